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
	// The person who answered is not the one called, or nobody there knows them.
	causeSomeoneElse = string(calls.OutcomeSomeoneElse)
	causeWrongNumber = string(calls.OutcomeWrongNumber)
	// causeProcessRestart ends a call that was in progress when the process carrying it died, and
	// that no other process could take over.
	causeProcessRestart = "process_restart"
)

// The parties that can cause an ending.
const (
	byPerson     = "person"
	byNaiber     = "naiber"
	byTwilio     = "twilio"
	byElevenLabs = "elevenlabs"
	byOperator   = "operator"
	byUnknown    = "unknown"
)

// meanings holds what each cause means for the ending.
var meanings = map[string]struct {
	outcome calls.Outcome
	by      string // the party that usually causes it
	always  bool   // the outcome applies even if the person was heard to speak
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

// endingOf returns the ending for a cause. by is the party that caused it (empty: the usual one),
// and spoken is how often the person was heard to speak. An unknown cause counts as our failure.
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

// statusCause returns the cause of an ending that Twilio reports by a final status.
func statusCause(status calls.CallStatus) string {
	return cmp.Or(map[calls.CallStatus]string{
		calls.StatusCompleted: causeHungUp, calls.StatusBusy: causeBusy, calls.StatusNoAnswer: causeNoAnswer,
		calls.StatusFailed: causeFailed, calls.StatusCanceled: causeCanceled,
	}[status], causeUnknown)
}

// askedCause returns the cause of an ending that the conversation asked for: its reason if that is
// a cause of its own, else causeGoodbye.
func askedCause(reason string) string {
	switch reason {
	case causeOptedOut, causeSilence, causeTimeLimit, causeSomeoneElse, causeWrongNumber, calls.CauseTrouble:
		return reason
	default:
		return causeGoodbye
	}
}
