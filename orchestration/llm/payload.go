package llm

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// payload is a chat request as bytes without the model's name: it is marshalled once and can be
// sent to any number of models.
type payload struct {
	models []string
	// messages is a JSON array without its closing bracket, to allow more to be appended.
	messages []byte
	said     string // the part of the reply that exists already
	fields   []field
	// schema goes into a message instead of response_format if a server refuses that.
	schema []byte
}

// field is one member of the request, with its value in JSON.
type field struct {
	name string
	raw  []byte
}

func (p *payload) has(name string) bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return f.name == name })
}

func (p *payload) set(name string, raw []byte) {
	p.fields = append(p.fields, field{name, raw})
}

// encode returns the body to send to model, without the parameters that its server refuses.
func (p *payload) encode(model string, refused map[string]bool) []byte {
	size := len(p.messages) + len(p.schema) + 256
	for _, f := range p.fields {
		size += len(f.name) + len(f.raw) + 4
	}
	b := make([]byte, 0, size)
	b = append(b, `{"model":`...)
	b = AppendString(b, model)
	b = append(b, `,"messages":`...)
	b = append(b, p.messages...)
	if refused["response_format"] && p.schema != nil {
		b = append(b, ',')
		b = appendMessage(b, Message{
			Role:    RoleSystem,
			Content: "Answer with one JSON object and nothing else. It must match this JSON schema:\n" + string(p.schema),
		})
	}
	b = append(b, ']')
	for _, f := range p.fields {
		name := f.name
		if refused[name] {
			if name != "max_tokens" {
				continue
			}
			name = "max_completion_tokens"
		}
		b = append(b, ',', '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		b = append(b, f.raw...)
	}
	return append(b, '}')
}

// with returns a copy of p with more messages at its end.
func (p *payload) with(more ...Message) *payload {
	q := *p
	q.messages = bytes.Clone(p.messages)
	for _, m := range more {
		q.messages = append(q.messages, ',')
		q.messages = appendMessage(q.messages, m)
	}
	return &q
}

// payload marshals req.
func (c *Client) payload(req Request) (*payload, error) {
	if len(req.Messages) == 0 {
		return nil, ErrNoMessages
	}
	p := &payload{models: c.cfg.Models, messages: appendMessages(req.Messages), said: req.Said}
	switch {
	case len(req.Models) > 0:
		p.models = req.Models
	case req.Background && c.cfg.BackgroundModel != "":
		p.models = append([]string{c.cfg.BackgroundModel}, c.cfg.Models...)
	}
	p.set("stream", []byte("true"))
	p.set("stream_options", []byte(`{"include_usage":true}`))
	if n := firstPositive(req.MaxTokens, c.cfg.MaxTokens); n > 0 {
		p.set("max_tokens", strconv.AppendInt(nil, int64(n), 10))
	}
	p.setNumber("temperature", cmp.Or(req.Temperature, c.cfg.Temperature))
	p.setNumber("top_p", req.TopP)
	if req.TopK > 0 {
		p.set("top_k", strconv.AppendInt(nil, int64(req.TopK), 10))
	}
	p.setNumber("repeat_penalty", req.RepeatPenalty)
	return p, nil
}

// setNumber sets a number, unless it is nil.
func (p *payload) setNumber(name string, value *float64) {
	if value != nil {
		p.set(name, strconv.AppendFloat(nil, *value, 'f', -1, 64))
	}
}

func firstPositive(a, b int) int {
	if a > 0 {
		return a
	}
	return b
}

// appendMessages returns msgs as a JSON array without its closing bracket.
func appendMessages(msgs []Message) []byte {
	size := 1
	for _, m := range msgs {
		size += len(m.Content) + len(m.Content)/16 + 64
	}
	b := append(make([]byte, 0, size), '[')
	for i, m := range msgs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMessage(b, m)
	}
	return b
}

func appendMessage(b []byte, m Message) []byte {
	b = append(b, `{"role":`...)
	b = AppendString(b, m.Role)
	b = append(b, `,"content":`...)
	b = AppendString(b, m.Content)
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string, in the form that encoding/json writes without HTML
// escapes. It is hand-written because prompts are the longest text of a turn and replies are sent
// word by word; encoding/json takes several times as long.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, b)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\ufffd`...)
			i++
			start = i
			continue
		}
		if r == '\u2028' || r == '\u2029' { // line ends to JavaScript
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&0xF])
	}
}
