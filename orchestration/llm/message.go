package llm

import "time"

// The roles of a [Message].
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// The finish reasons of a [Result]. Servers may send others, which are passed on.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	// FinishBroken is our own: the stream broke in mid-reply and could not be continued. What was
	// said before is kept.
	FinishBroken = "broken"
)

// Message is one message of the conversation that a model is given.
type Message struct {
	Role    string
	Content string
	// ToolCalls are the calls that an assistant's message requests, and ToolCallID is the call that
	// a tool's message answers. Both are read but never sent: we offer no tools to models.
	ToolCalls  []ToolCall
	ToolCallID string
}

// ToolCall is a function that the model wants to be called.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is JSON as written by the model, and may not be valid.
	Arguments string
}

// Request is one request to a model.
type Request struct {
	Messages []Message
	// Models overrides [Config.Models].
	Models []string
	// MaxTokens overrides [Config.MaxTokens].
	MaxTokens int
	// Temperature overrides [Config.Temperature].
	Temperature *float64
	// TopP, TopK and RepeatPenalty are sent if they are set. Local servers know the last two; a
	// server that refuses them gets the request without.
	TopP          *float64
	TopK          int
	RepeatPenalty *float64
	// Background marks work for which nobody waits on the line: it runs under
	// [Config.BackgroundDeadline], is hedged late, and goes to [Config.BackgroundModel] first.
	Background bool
	// Said is the part of the reply that exists already: the model is asked for the rest, and the
	// result's text begins with it.
	Said string
	// Cut ends a reply that reaches MaxTokens there, without a continuation.
	Cut bool
}

// Delta is the next piece of a reply. It is valid UTF-8 and never empty.
type Delta struct {
	Text string
}

// Result is a complete reply.
type Result struct {
	// Model is the model that spoke last; others may have begun.
	Model string
	// Text is everything that was passed on, in order. It is authoritative.
	Text         string
	FinishReason string
	ToolCalls    []ToolCall
	// Usage is the sum over continuations; zero if the server reported none.
	Usage Usage
	// TTFT is the time from the call to the first useful token.
	TTFT time.Duration
	// Attempts counts the models started, including hedges and continuations.
	Attempts      int
	Continuations int
	// Cause is why the reply ended early, for [FinishBroken], or why it could not be continued, for
	// [FinishLength].
	Cause error
}

// Usage is the server's token count.
type Usage struct {
	Prompt, Completion, Total int
}

func (u *Usage) add(v Usage) {
	u.Prompt += v.Prompt
	u.Completion += v.Completion
	u.Total += v.Total
}
