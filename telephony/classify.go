package telephony

import (
	"cmp"

	"github.com/naiber/naiber/store/calls"
)

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
	// Whoever answered is not the person, or nobody there knows them.
	causeSomeoneElse = string(calls.OutcomeSomeoneElse)
	causeWrongNumber = string(calls.OutcomeWrongNumber)
	// causeProcessRestart ends a call that was in progress when the process carrying
	// it died, and could not be picked up.
	causeProcessRestart = "process_restart"
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

// meanings holds what each cause of an ending says.
var meanings = map[string]struct {
	outcome calls.Outcome
	by      string // whose doing it usually is
	always  bool   // the outcome stands though the person was heard to speak
}{
	causeGoodbye:            {calls.OutcomeSilent, byNaiber, false},
	causeHungUp:             {calls.OutcomeSilent, byPerson, false},
	causeSilence:            {calls.OutcomeSilent, byPerson, false},
	causeOptedOut:           {calls.OutcomeSilent, byPerson, false},
	causeTimeLimit:          {calls.OutcomeSilent, byNaiber, false},
	calls.CauseTrouble:      {calls.OutcomeSilent, byNaiber, false},
	causeSomeoneElse:        {calls.OutcomeSomeoneElse, byPerson, true},
	causeWrongNumber:        {calls.OutcomeWrongNumber, byPerson, true},
	causeVoicemail:          {calls.OutcomeVoicemail, byNaiber, true},
	causeOperator:           {calls.OutcomeCanceled, byOperator, false},
	causeShutdown:           {calls.OutcomeFailed, byNaiber, false},
	causeProcessRestart:     {calls.OutcomeFailed, byNaiber, false},
	causeInternal:           {calls.OutcomeFailed, byNaiber, false},
	causeStreamLost:         {calls.OutcomeFailed, byTwilio, false},
	causeConversationFailed: {calls.OutcomeFailed, byElevenLabs, false},
	causeAudioFormat:        {calls.OutcomeFailed, byElevenLabs, false},
	causeBusy:               {calls.OutcomeBusy, byPerson, true},
	causeNoAnswer:           {calls.OutcomeNoAnswer, byPerson, true},
	causeFailed:             {calls.OutcomeFailed, byTwilio, true},
	causeCanceled:           {calls.OutcomeCanceled, byNaiber, true},
}

// endingOf says what an ending means: cause is why, by whose doing it was (empty:
// as usual for the cause), and spoken how often the person was heard to speak.
// A cause that nobody recognises counts as our fault.
func endingOf(cause, by string, spoken int) calls.Ending {
	m, known := meanings[cause]
	if !known {
		cause, by, m.outcome = causeUnknown, byUnknown, calls.OutcomeFailed
	}
	if spoken > 0 && !m.always {
		m.outcome = calls.OutcomeReached
	}
	return calls.Ending{Cause: cause, Outcome: m.outcome, By: cmp.Or(by, m.by)}
}

// statusCause is the cause of an ending that Twilio reports by a final status.
func statusCause(status calls.CallStatus) string {
	return cmp.Or(map[calls.CallStatus]string{
		calls.StatusCompleted: causeHungUp, calls.StatusBusy: causeBusy, calls.StatusNoAnswer: causeNoAnswer,
		calls.StatusFailed: causeFailed, calls.StatusCanceled: causeCanceled,
	}[status], causeUnknown)
}

// askedCause is the cause of an ending that the conversation asked for: its
// reason where that is a cause of its own, else a goodbye.
func askedCause(reason string) string {
	switch reason {
	case causeOptedOut, causeSilence, causeTimeLimit, causeSomeoneElse, causeWrongNumber, calls.CauseTrouble:
		return reason
	default:
		return causeGoodbye
	}
}
