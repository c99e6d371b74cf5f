package telephony

import (
	"testing"

	"github.com/naiber/naiber/store/calls"
)

// TestEndingOf is the specification of endings.
func TestEndingOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cause, by string
		spoken    int
		want      calls.Ending
	}{
		{"goodbye", "", 3, calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}},
		{"goodbye", "elevenlabs", 3, calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "elevenlabs"}},
		{"goodbye", "", 0, calls.Ending{Outcome: calls.OutcomeSilent, Cause: "goodbye", By: "naiber"}},
		{"hung_up", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}},
		{"hung_up", "", 0, calls.Ending{Outcome: calls.OutcomeSilent, Cause: "hung_up", By: "person"}},
		{"silence", "", 0, calls.Ending{Outcome: calls.OutcomeSilent, Cause: "silence", By: "person"}},
		{"silence", "", 2, calls.Ending{Outcome: calls.OutcomeReached, Cause: "silence", By: "person"}},
		{"opted_out", "", 2, calls.Ending{Outcome: calls.OutcomeReached, Cause: "opted_out", By: "person"}},
		{"time_limit", "", 9, calls.Ending{Outcome: calls.OutcomeReached, Cause: "time_limit", By: "naiber"}},
		{"voicemail", "", 1, calls.Ending{Outcome: calls.OutcomeVoicemail, Cause: "voicemail", By: "naiber"}},
		{"operator", "", 0, calls.Ending{Outcome: calls.OutcomeCanceled, Cause: "operator", By: "operator"}},
		{"operator", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "operator", By: "operator"}},
		{"shutdown", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "shutdown", By: "naiber"}},
		{"shutdown", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "shutdown", By: "naiber"}},
		{"internal", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "internal", By: "naiber"}},
		{"internal", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "internal", By: "naiber"}},
		{"stream_lost", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "stream_lost", By: "twilio"}},
		{"stream_lost", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "stream_lost", By: "twilio"}},
		{"conversation_failed", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "conversation_failed", By: "elevenlabs"}},
		{"conversation_failed", "naiber", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "conversation_failed", By: "naiber"}},
		{"audio_format", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "audio_format", By: "elevenlabs"}},
		{"audio_format", "twilio", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "audio_format", By: "twilio"}},
		{"busy", "", 0, calls.Ending{Outcome: calls.OutcomeBusy, Cause: "busy", By: "person"}},
		{"no_answer", "", 0, calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer", By: "person"}},
		{"failed", "", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "failed", By: "twilio"}},
		{"canceled", "", 0, calls.Ending{Outcome: calls.OutcomeCanceled, Cause: "canceled", By: "naiber"}},
		{"what is this", "person", 0, calls.Ending{Outcome: calls.OutcomeFailed, Cause: "unknown", By: "unknown"}},
		{"", "", 1, calls.Ending{Outcome: calls.OutcomeReached, Cause: "unknown", By: "unknown"}},
	}
	for _, tt := range tests {
		if got := endingOf(tt.cause, tt.by, tt.spoken); got != tt.want {
			t.Errorf("endingOf(%q, %q, %d) = %+v, want %+v", tt.cause, tt.by, tt.spoken, got, tt.want)
		}
	}
}

func TestStatusCause(t *testing.T) {
	t.Parallel()
	for status, want := range map[calls.CallStatus]string{
		calls.StatusCompleted: "hung_up", calls.StatusBusy: "busy", calls.StatusNoAnswer: "no_answer",
		calls.StatusFailed: "failed", calls.StatusCanceled: "canceled", calls.StatusRinging: "unknown", "news": "unknown",
	} {
		if got := statusCause(status); got != want {
			t.Errorf("statusCause(%q) = %q, want %q", status, got, want)
		}
	}
}

func TestAskedCause(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"opted_out": "opted_out", "silence": "silence", "time_limit": "time_limit", "trouble": "trouble",
		"user said goodbye": "goodbye", "": "goodbye", "operator": "goodbye",
	} {
		if got := askedCause(reason); got != want {
			t.Errorf("askedCause(%q) = %q, want %q", reason, got, want)
		}
	}
}
