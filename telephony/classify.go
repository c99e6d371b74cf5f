package telephony

import "github.com/naiber/naiber/store"

// The causes of an ending. Every call that ends has exactly one.
const (
	causeGoodbye            = "goodbye"
	causeHungUp             = "hung_up"
	causeSilence            = "silence"
	causeTimeLimit          = "time_limit"
	causeVoicemail          = "voicemail"
	causeOptedOut           = "opted_out"
	causeOperator           = "operator"
	causeShutdown           = "shutdown"
	causeStreamLost         = "stream_lost"
	causeConversationFailed = "conversation_failed"
	causeAudioFormat        = "audio_format"
	causeBusy               = "busy"
	causeNoAnswer           = "no_answer"
	causeFailed             = "failed"
	causeCanceled           = "canceled"
	causeInternal           = "internal"
	causeUnknown            = "unknown"
)

// Whose doing an ending was.
const (
	byPerson     = "person"
	byNaiber     = "naiber"
	byTwilio     = "twilio"
	byElevenLabs = "elevenlabs"
	byOperator   = "operator"
	byUnknown    = "unknown"
)

// endingOf says what an ending means: cause is why, by whose doing it was (empty:
// as usual for the cause), and spoken how often the person was heard to speak.
// A cause that nobody recognises counts as our fault.
func endingOf(cause, by string, spoken int) store.Ending {
	reachedOr := func(otherwise store.Outcome) store.Outcome {
		if spoken > 0 {
			return store.OutcomeReached
		}
		return otherwise
	}
	end := store.Ending{Cause: cause}
	switch cause {
	case causeGoodbye:
		end.Outcome, end.By = reachedOr(store.OutcomeSilent), byNaiber
	case causeHungUp, causeSilence, causeOptedOut:
		end.Outcome, end.By = reachedOr(store.OutcomeSilent), byPerson
	case causeTimeLimit, store.CauseTrouble:
		end.Outcome, end.By = reachedOr(store.OutcomeSilent), byNaiber
	case causeVoicemail:
		end.Outcome, end.By = store.OutcomeVoicemail, byNaiber
	case causeOperator:
		end.Outcome, end.By = reachedOr(store.OutcomeCanceled), byOperator
	case causeShutdown, causeInternal:
		end.Outcome, end.By = reachedOr(store.OutcomeFailed), byNaiber
	case causeStreamLost:
		end.Outcome, end.By = reachedOr(store.OutcomeFailed), byTwilio
	case causeConversationFailed, causeAudioFormat:
		end.Outcome, end.By = reachedOr(store.OutcomeFailed), byElevenLabs
	case causeBusy:
		end.Outcome, end.By = store.OutcomeBusy, byPerson
	case causeNoAnswer:
		end.Outcome, end.By = store.OutcomeNoAnswer, byPerson
	case causeFailed:
		end.Outcome, end.By = store.OutcomeFailed, byTwilio
	case causeCanceled:
		end.Outcome, end.By = store.OutcomeCanceled, byNaiber
	default:
		end.Cause, end.Outcome, end.By = causeUnknown, reachedOr(store.OutcomeFailed), byUnknown
	}
	if by != "" && end.Cause != causeUnknown {
		end.By = by
	}
	return end
}

// statusCause is the cause of an ending that Twilio reports by a final status.
func statusCause(status store.CallStatus) string {
	switch status {
	case store.StatusCompleted:
		return causeHungUp
	case store.StatusBusy:
		return causeBusy
	case store.StatusNoAnswer:
		return causeNoAnswer
	case store.StatusFailed:
		return causeFailed
	case store.StatusCanceled:
		return causeCanceled
	default:
		return causeUnknown
	}
}

// askedCause is the cause of an ending that the conversation asked for: its
// reason where that is a cause of its own, else a goodbye.
func askedCause(reason string) string {
	switch reason {
	case causeOptedOut, causeSilence, causeTimeLimit, store.CauseTrouble:
		return reason
	default:
		return causeGoodbye
	}
}
