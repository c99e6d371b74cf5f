package voice

import (
	"encoding/json"
	"strings"
	"time"
)

// A message is one message of the history, in the form sent to the model.
type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	note note
}

// A note is what the record says about a message that the model does not see.
type note struct {
	at          time.Duration // since the conversation began
	interrupted bool
	original    string        // before the interruption
	ttfb        time.Duration // of the model's answer
	platform    string        // the event that stands for a user's turn
	tool        string        // of a tool's result
	isError     bool
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// personality comes before a prompt, unless the agent ignores the default personality.
const personality = "You are a friendly voice assistant. Speak naturally, in short sentences, and never use markup.\n\n"

// dots is one form in which the model sees a user's silence.
const dots = "..."

// requestBody returns the body of a request to the custom model.
func (set *setup) requestBody(history []message) ([]byte, error) {
	p := set.Agent.Prompt
	system := p.Prompt
	if !p.NoDefaults {
		system = personality + system
	}
	body := struct {
		Model       string          `json:"model"`
		Stream      bool            `json:"stream"`
		Temperature *float64        `json:"temperature,omitempty"`
		MaxTokens   int             `json:"max_tokens,omitempty"`
		Messages    []message       `json:"messages"`
		Tools       []any           `json:"tools,omitempty"`
		UserID      string          `json:"user_id,omitempty"`
		ExtraBody   json.RawMessage `json:"elevenlabs_extra_body,omitempty"`
	}{
		Stream: true, Temperature: p.Temperature, MaxTokens: max(p.MaxTokens, 0),
		Messages: append([]message{{Role: "system", Content: &system}}, history...),
		Tools:    set.offers(), UserID: set.userID, ExtraBody: set.extraBody,
	}
	if p.Custom != nil {
		body.Model = p.Custom.ModelID
	}
	return json.Marshal(body) //nolint:wrapcheck // cannot fail but for the extra body, which was JSON
}

// push appends a message said by role.
func (c *conversation) push(role, text string, n note) {
	n.at = time.Since(c.started)
	c.history = append(c.history, message{Role: role, Content: &text, note: n})
}

// unsay removes the user's last turn from the history, because it turned out to go on, and
// returns its text. It returns "" if there is none or a silence.
func (c *conversation) unsay() string {
	last := len(c.history) - 1
	if last < 0 || c.history[last].Role != "user" {
		return ""
	}
	m := c.history[last]
	c.history = c.history[:last]
	if m.note.platform != "" {
		return ""
	}
	return strings.TrimSpace(*m.Content)
}

// pushTool appends the call of a tool, with the text said before it, and its result.
func (c *conversation) pushTool(said string, call toolCall, result string, isError bool) {
	m := message{Role: "assistant", ToolCalls: []toolCall{call}, note: note{at: time.Since(c.started)}}
	if said != "" {
		m.Content = &said
	}
	if c.reply != nil {
		c.reply.committed = true // the message of the tool call has its text
	}
	c.history = append(c.history, m, message{
		Role: "tool", Content: &result, ToolCallID: call.ID,
		note: note{at: time.Since(c.started), tool: call.Function.Name, isError: isError},
	})
}
