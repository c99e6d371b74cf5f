package llm

import "github.com/naiber/naiber/internal/jsonscan"

// chunk holds the contents of one payload of a chat stream. Its slices are valid until the next
// parse.
type chunk struct {
	// text is the content of the first choice.
	text      []byte
	refusal   []byte
	finish    string
	reasoning bool // it contains reasoning, which is not to be spoken
	tools     []toolDelta
	usage     Usage
	failed    bool // it reports an error
	code      string

	scan jsonscan.Scanner
}

// toolDelta is a piece of a tool call.
type toolDelta struct {
	index          int
	id, name, args []byte
}

// parse parses one payload, streamed ("delta") or whole ("message"). It returns ErrBrokenChunk if
// the payload is not JSON; JSON of another shape gives an empty chunk.
func (c *chunk) parse(data []byte) error {
	*c = chunk{scan: c.scan, tools: c.tools[:0]}
	s := &c.scan
	s.Reset(data)
	s.Object(func(key []byte) {
		switch string(key) {
		case "choices":
			c.forget()
			s.Array(func(i int) {
				if i == 0 {
					c.choice()
				} else {
					s.Skip()
				}
			})
		case "usage":
			c.usage = c.readUsage()
		case "error":
			c.readError()
		default:
			s.Skip()
		}
	})
	if !s.Finish() {
		return ErrBrokenChunk
	}
	return nil
}

// forget clears the results of the choices, because a key may occur twice and the last one counts.
func (c *chunk) forget() {
	c.finish = ""
	c.forgetDelta()
}

func (c *chunk) forgetDelta() {
	c.text, c.refusal, c.reasoning, c.tools = nil, nil, false, c.tools[:0]
}

func (c *chunk) choice() {
	s := &c.scan
	s.Object(func(key []byte) {
		switch string(key) {
		case "delta":
			c.forgetDelta()
			c.delta()
		case "message":
			if s.Peek() == '{' { // in a stream it may be there as null
				c.forgetDelta()
			}
			c.delta()
		case "finish_reason":
			c.finish = finishReason(s.Str())
		default:
			s.Skip()
		}
	})
}

func (c *chunk) delta() {
	s := &c.scan
	s.Object(func(key []byte) {
		switch string(key) {
		case "content":
			c.text = c.content()
		case "refusal":
			c.refusal = s.Str()
		case "reasoning_content", "reasoning", "reasoning_details", "thinking":
			c.reasoning = c.reasoning || s.Peek() != 'n'
			s.Skip()
		case "tool_calls":
			c.tools = c.tools[:0]
			s.Array(func(i int) { c.tool(i) })
		default:
			s.Skip()
		}
	})
}

// content reads text, or the text in a list of parts: some servers send reasoning and speech as
// parts of one content.
func (c *chunk) content() []byte {
	s := &c.scan
	if s.Peek() != '[' {
		return s.Str()
	}
	var all []byte
	s.Array(func(int) {
		var kind, text []byte
		s.Object(func(key []byte) {
			switch string(key) {
			case "type":
				kind = s.Str()
			case "text":
				text = s.Str()
			default:
				s.Skip()
			}
		})
		if len(kind) == 0 || string(kind) == "text" {
			all = append(all, text...)
		} else {
			c.reasoning = true
		}
	})
	return all
}

func (c *chunk) tool(i int) {
	s := &c.scan
	t := toolDelta{index: i}
	s.Object(func(key []byte) {
		switch string(key) {
		case "index":
			t.index = s.Integer()
		case "id":
			t.id = s.Str()
		case "function":
			s.Object(func(key []byte) {
				switch string(key) {
				case "name":
					t.name = s.Str()
				case "arguments":
					t.args = s.Str()
				default:
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
	c.tools = append(c.tools, t)
}

func (c *chunk) readUsage() (u Usage) {
	s := &c.scan
	s.Object(func(key []byte) {
		switch string(key) {
		case "prompt_tokens":
			u.Prompt = s.Integer()
		case "completion_tokens":
			u.Completion = s.Integer()
		case "total_tokens":
			u.Total = s.Integer()
		default:
			s.Skip()
		}
	})
	return u
}

// readError reads an error: an object, or on some servers a bare string.
func (c *chunk) readError() {
	s := &c.scan
	c.code = ""
	if s.Peek() == '"' {
		c.failed = len(s.Str()) > 0
		return
	}
	c.failed = s.Peek() == '{'
	s.Object(func(key []byte) {
		switch string(key) {
		case "code", "type":
			if v := identifier(string(s.Str())); v != "" && (c.code == "" || string(key) == "code") {
				c.code = v
			}
		default:
			s.Skip()
		}
	})
}

// finishReason converts b to a string, without an allocation for the usual ones.
func finishReason(b []byte) string {
	switch string(b) {
	case "":
		return ""
	case FinishStop:
		return FinishStop
	case FinishLength:
		return FinishLength
	case FinishToolCalls:
		return FinishToolCalls
	case FinishContentFilter:
		return FinishContentFilter
	}
	return identifier(string(b))
}
