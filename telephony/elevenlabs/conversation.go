package elevenlabs

import "time"

// ConversationStatus is how far a conversation's record has come.
type ConversationStatus string

// The statuses of a conversation's record.
const (
	ConversationInitiated  ConversationStatus = "initiated"
	ConversationInProgress ConversationStatus = "in-progress"
	ConversationProcessing ConversationStatus = "processing"
	ConversationDone       ConversationStatus = "done"
	ConversationFailed     ConversationStatus = "failed"
)

// Conversation is the record of a conversation, from the API or the post-call
// webhook. Fields of another type than expected are left zero.
type Conversation struct {
	ID         ConversationID     `json:"conversation_id"`
	AgentID    AgentID            `json:"agent_id"`
	Status     ConversationStatus `json:"status"`
	UserID     string             `json:"user_id"`
	Transcript []TranscriptTurn   `json:"transcript"`
	Metadata   CallMetadata       `json:"metadata"`
	Analysis   *Analysis          `json:"analysis"` // nil until the record is done
}

// TranscriptTurn is what was said, or done, at one point.
type TranscriptTurn struct {
	Role    string `json:"role"`    // "user" or "agent"
	Message string `json:"message"` // empty when nothing was said, as in a mere tool call
	// OriginalMessage is what the agent was going to say when Interrupted.
	OriginalMessage string     `json:"original_message"`
	Interrupted     bool       `json:"interrupted"`
	Seconds         float64    `json:"time_in_call_secs"`
	ToolCalls       []ToolUse  `json:"tool_calls"`
	ToolResults     []ToolDone `json:"tool_results"`
}

// At returns when in the conversation the turn began.
func (t TranscriptTurn) At() time.Duration { return seconds(t.Seconds) }

// ToolUse is a tool call in a transcript.
type ToolUse struct {
	RequestID string `json:"request_id"`
	Name      string `json:"tool_name"`
	Params    string `json:"params_as_json"`
	Called    bool   `json:"tool_has_been_called"`
}

// ToolDone is a tool's result in a transcript.
type ToolDone struct {
	RequestID string `json:"request_id"`
	Name      string `json:"tool_name"`
	Result    string `json:"result_value"`
	IsError   bool   `json:"is_error"`
}

// CallMetadata is about the conversation as a whole.
type CallMetadata struct {
	StartUnix         float64        `json:"start_time_unix_secs"`
	Seconds           float64        `json:"call_duration_secs"`
	Cost              float64        `json:"cost"` // credits
	TerminationReason string         `json:"termination_reason"`
	Error             *MetadataError `json:"error"`
	MainLanguage      string         `json:"main_language"`
}

// MetadataError is why a conversation failed.
type MetadataError struct {
	Code   int    `json:"code"` // a WebSocket close code
	Reason string `json:"reason"`
}

// Started returns when the conversation began, zero when not told.
func (m CallMetadata) Started() time.Time {
	if m.StartUnix <= 0 || m.StartUnix > maxUnix {
		return time.Time{}
	}
	return time.Unix(int64(m.StartUnix), 0).UTC()
}

// Duration returns how long the conversation lasted.
func (m CallMetadata) Duration() time.Duration { return seconds(m.Seconds) }

// Analysis is ElevenLabs' own view of a conversation.
type Analysis struct {
	Successful string `json:"call_successful"` // "success", "failure", "unknown"
	Summary    string `json:"transcript_summary"`
	Title      string `json:"call_summary_title"`
}

// maxUnix and maxSeconds keep numbers from outside far from overflow.
const (
	maxUnix    = 1 << 40
	maxSeconds = 1 << 30
)

func seconds(s float64) time.Duration {
	if !(s > 0 && s < maxSeconds) { // false for NaN, too
		return 0
	}
	return time.Duration(s * float64(time.Second))
}
