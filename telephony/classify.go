package telephony

import "github.com/naiber/naiber/store/calls"

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
func endingOf(cause, by string, spoken int) calls.Ending {
	reachedOr := func(otherwise calls.Outcome) calls.Outcome {
		if spoken > 0 {
			return calls.OutcomeReached
		}
		return otherwise
	}
	end := calls.Ending{Cause: cause}
	switch cause {
	case causeGoodbye:
		end.Outcome, end.By = reachedOr(calls.OutcomeSilent), byNaiber
	case causeHungUp, causeSilence, causeOptedOut:
		end.Outcome, end.By = reachedOr(calls.OutcomeSilent), byPerson
	case causeTimeLimit, calls.CauseTrouble:
		end.Outcome, end.By = reachedOr(calls.OutcomeSilent), byNaiber
	case causeVoicemail:
		end.Outcome, end.By = calls.OutcomeVoicemail, byNaiber
	case causeOperator:
		end.Outcome, end.By = reachedOr(calls.OutcomeCanceled), byOperator
	case causeShutdown, causeInternal:
		end.Outcome, end.By = reachedOr(calls.OutcomeFailed), byNaiber
	case causeStreamLost:
		end.Outcome, end.By = reachedOr(calls.OutcomeFailed), byTwilio
	case causeConversationFailed, causeAudioFormat:
		end.Outcome, end.By = reachedOr(calls.OutcomeFailed), byElevenLabs
	case causeBusy:
		end.Outcome, end.By = calls.OutcomeBusy, byPerson
	case causeNoAnswer:
		end.Outcome, end.By = calls.OutcomeNoAnswer, byPerson
	case causeFailed:
		end.Outcome, end.By = calls.OutcomeFailed, byTwilio
	case causeCanceled:
		end.Outcome, end.By = calls.OutcomeCanceled, byNaiber
	default:
		end.Cause, end.Outcome, end.By = causeUnknown, reachedOr(calls.OutcomeFailed), byUnknown
	}
	if by != "" && end.Cause != causeUnknown {
		end.By = by
	}
	return end
}

// statusCause is the cause of an ending that Twilio reports by a final status.
func statusCause(status calls.CallStatus) string {
	switch status {
	case calls.StatusCompleted:
		return causeHungUp
	case calls.StatusBusy:
		return causeBusy
	case calls.StatusNoAnswer:
		return causeNoAnswer
	case calls.StatusFailed:
		return causeFailed
	case calls.StatusCanceled:
		return causeCanceled
	default:
		return causeUnknown
	}
}

// askedCause is the cause of an ending that the conversation asked for: its
// reason where that is a cause of its own, else a goodbye.
func askedCause(reason string) string {
	switch reason {
	case causeOptedOut, causeSilence, causeTimeLimit, calls.CauseTrouble:
		return reason
	default:
		return causeGoodbye
	}
}
