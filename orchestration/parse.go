package orchestration

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/orchestration/llm"
)

// maxForeseen bounds for how many messages space is reserved because of a body's contents.
const maxForeseen = 256

// parseRequest parses a body. It ignores unknown fields. The request refers to body only as its
// whole text, for a passthrough; its strings are copies. The error is an *apiError.
func parseRequest(body []byte) (*request, error) {
	p := parser{req: &request{body: body}}
	s := &p.scan
	s.Reset(body)
	object := s.Peek() == '{'
	s.Object(func(key []byte) { p.field(string(key)) })
	switch {
	case !s.Finish():
		return nil, badRequest("", "The request body is not valid JSON.")
	case !object:
		return nil, badRequest("", "The request body must be a JSON object.")
	case len(p.req.messages) == 0:
		p.fail("messages", "must be a list with at least one message.")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.req, nil
}

// parser continues after a mistake, since the text may not be JSON at all, and keeps the first
// error.
type parser struct {
	scan jsonscan.Scanner
	req  *request
	err  error
}

func (p *parser) fail(param, what string) {
	if p.err == nil {
		p.err = badRequest(param, "'"+param+"' "+what)
	}
}

// field parses the value of one of the request's keys.
func (p *parser) field(key string) {
	s := &p.scan
	switch key {
	case "messages":
		p.messages()
	case "stream":
		p.stream()
	case "stream_options":
		s.Object(func(key []byte) {
			if string(key) == "include_usage" {
				p.req.usage, _ = s.Bool()
			} else {
				s.Skip()
			}
		})
	case "tools":
		p.tools()
	case "user", "user_id":
		if name := p.text(); name != "" {
			p.req.users = append(p.req.users, name)
		}
	case "elevenlabs_extra_body":
		s.Object(func(key []byte) {
			switch string(key) {
			case "token":
				p.req.tokened = p.req.tokened || s.Peek() != 'n'
				p.req.token = p.text()
			case "call":
				p.req.call = p.text()
			default:
				s.Skip()
			}
		})
	default:
		s.Skip()
	}
}

func (p *parser) stream() {
	null := p.scan.Peek() == 'n'
	var ok bool
	if p.req.stream, ok = p.scan.Bool(); !ok && !null {
		p.fail("stream", "must be true or false.")
	}
}

func (p *parser) tools() {
	s := &p.scan
	if c := s.Peek(); c != '[' && c != 'n' {
		p.fail("tools", "must be a list.")
	}
	s.Array(func(int) {
		s.Object(func(key []byte) {
			if string(key) != "function" {
				s.Skip()
				return
			}
			if c := p.function(); c.Name != "" {
				p.req.tools = append(p.req.tools, c.Name)
			}
		})
	})
}

// function parses a function's name, and the arguments of a call to it.
func (p *parser) function() (c llm.ToolCall) {
	s := &p.scan
	s.Object(func(key []byte) {
		switch string(key) {
		case "name":
			c.Name = p.text()
		case "arguments":
			c.Arguments = p.text()
		default:
			s.Skip()
		}
	})
	return c
}

func (p *parser) messages() {
	s := &p.scan
	if s.Peek() != '[' {
		p.fail("messages", "must be a list.")
	}
	// If a key occurs twice, the last one counts.
	p.req.messages = make([]llm.Message, 0, min(maxForeseen, bytes.Count(p.req.body, []byte(`"role"`))))
	s.Array(p.message)
}

func (p *parser) message(i int) {
	s := &p.scan
	at := func(field string) string { return "messages[" + strconv.Itoa(i) + "]" + field }
	if s.Peek() != '{' {
		p.fail(at(""), "must be an object.")
		s.Skip()
		return
	}
	var m llm.Message
	s.Object(func(key []byte) {
		switch string(key) {
		case "role":
			m.Role = p.role(at)
		case "content":
			var ok bool
			if m.Content, ok = p.content(); !ok {
				p.fail(at(".content"), "must be a string, a list of parts or null.")
			}
		case "tool_call_id":
			m.ToolCallID = p.text()
		case "tool_calls":
			s.Array(func(int) { m.ToolCalls = append(m.ToolCalls, p.toolCall()) })
		default:
			s.Skip()
		}
	})
	if m.Role == "" {
		p.badRole(at)
	}
	p.req.messages = append(p.req.messages, m)
}

// role parses a role and returns it in the form that personas use.
func (p *parser) role(at func(string) string) string {
	switch role := p.scan.Str(); string(role) {
	case llm.RoleSystem, "developer":
		return llm.RoleSystem
	case llm.RoleUser:
		return llm.RoleUser
	case llm.RoleAssistant:
		return llm.RoleAssistant
	case llm.RoleTool, "function":
		return llm.RoleTool
	default:
		p.badRole(at)
		return ""
	}
}

func (p *parser) badRole(at func(string) string) {
	p.fail(at(".role"), "must be system, developer, user, assistant or tool.")
}

func (p *parser) toolCall() (c llm.ToolCall) {
	s := &p.scan
	var id string
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			id = p.text()
		case "function":
			c = p.function()
		default:
			s.Skip()
		}
	})
	c.ID = id
	return c
}

// content parses a message's content: a string, a list of parts, or null.
func (p *parser) content() (text string, ok bool) {
	s := &p.scan
	switch s.Peek() {
	case '"':
		return p.text(), true
	case '[':
		var parts []string
		s.Array(func(int) {
			if part, ok := p.part(); ok {
				parts = append(parts, part)
			}
		})
		return strings.Join(parts, " "), true
	default:
		null := s.Peek() == 'n'
		s.Skip()
		return "", null
	}
}

// part parses one part of a content: a string, or an object with a text.
func (p *parser) part() (text string, ok bool) {
	s := &p.scan
	if s.Peek() == '"' {
		return p.text(), true
	}
	s.Object(func(key []byte) {
		if string(key) == "text" && s.Peek() == '"' {
			text, ok = p.text(), true
		} else {
			s.Skip()
		}
	})
	return text, ok
}

// text parses a value and returns that of a string in valid UTF-8 without NUL, which PostgreSQL
// cannot store; "" for anything but a string.
func (p *parser) text() string {
	b := p.scan.Str()
	if bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, nil)
	}
	return string(b)
}
