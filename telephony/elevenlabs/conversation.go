package elevenlabs

import "time"

// Conversation is the record of a conversation, as far as it is used. Fields of
// another type than expected are left zero.
type Conversation struct {
	Transcript []TranscriptTurn `json:"transcript"`
	Metadata   CallMetadata     `json:"metadata"`
}

// TranscriptTurn is what was said, or done, at one point.
type TranscriptTurn struct {
	Role    string  `json:"role"`    // "user" or "agent"
	Message string  `json:"message"` // empty when nothing was said, as in a mere tool call
	Seconds float64 `json:"time_in_call_secs"`
}

// At returns when in the conversation the turn began.
func (t TranscriptTurn) At() time.Duration {
	if !(t.Seconds > 0 && t.Seconds < maxSeconds) { // false for NaN, too
		return 0
	}
	return time.Duration(t.Seconds * float64(time.Second))
}

// CallMetadata is about the conversation as a whole.
type CallMetadata struct {
	StartUnix float64 `json:"start_time_unix_secs"`
}

// Started returns when the conversation began, zero when not told.
func (m CallMetadata) Started() time.Time {
	if m.StartUnix <= 0 || m.StartUnix > maxUnix {
		return time.Time{}
	}
	return time.Unix(int64(m.StartUnix), 0).UTC()
}

// maxUnix and maxSeconds keep numbers from outside far from overflow.
const (
	maxUnix    = 1 << 40
	maxSeconds = 1 << 30
)
