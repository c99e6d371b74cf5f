package llm

import "time"

// Roles of a [Message].
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Finish reasons of a [Result]. Servers may send others, which are passed on.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	// FinishBroken is ours: the stream broke in mid-speech and could not be
	// continued. What had been said stands.
	FinishBroken = "broken"
)

// Message is one line of the conversation that a model is given.
type Message struct {
	Role    string
	Content string
	// ToolCalls are what an assistant's message asked for, and ToolCallID says which
	// call a tool's message answers. Both are read, and never sent: no model of ours is
	// offered tools.
	ToolCalls  []ToolCall
	ToolCallID string
}

// ToolCall is a function that the model wants called.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is JSON as the model wrote it: not necessarily valid.
	Arguments string
}

// Request is one question to a model.
type Request struct {
	Messages []Message
	// Models overrides [Config.Models].
	Models []string
	// MaxTokens overrides [Config.MaxTokens].
	MaxTokens int
	// Temperature overrides [Config.Temperature].
	Temperature *float64
	// TopP, TopK and RepeatPenalty are sent where they are set. The last two are
	// known to servers of one's own; where one refuses them they are left out.
	TopP          *float64
	TopK          int
	RepeatPenalty *float64
	// Background marks work that nobody waits for on the line: it runs under
	// [Config.BackgroundDeadline], is not hedged early, and is first put to
	// [Config.BackgroundModel].
	Background bool
	// Said is the part of the reply that is there already: the model is asked for the
	// rest, and the result's text begins with it.
	Said string
	// Cut lets a reply that reaches MaxTokens end there: it is not continued.
	Cut bool
}

// Delta is the next piece of a reply. It is valid UTF-8 and never empty.
type Delta struct {
	Text string
}

// Result is a reply as it was in the end.
type Result struct {
	// Model is the one that spoke last; others may have begun.
	Model string
	// Text is all that was handed on, in order: the final text is the truth.
	Text         string
	FinishReason string
	ToolCalls    []ToolCall
	// Usage is summed over continuations; zero where the server told none.
	Usage Usage
	// TTFT is from the call to the first useful token.
	TTFT time.Duration
	// Attempts counts the models started, hedges and continuations included.
	Attempts      int
	Continuations int
	// Cause is why the reply ended early, for [FinishBroken], and why it could
	// not be continued, for [FinishLength].
	Cause error
}

// Usage is what the server counted, in tokens.
type Usage struct {
	Prompt, Completion, Total int
}

func (u *Usage) add(v Usage) {
	u.Prompt += v.Prompt
	u.Completion += v.Completion
	u.Total += v.Total
}
