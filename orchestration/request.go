package orchestration

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/orchestration/llm"
)

// maxBodyBytes bounds a request. A long call's history is some tens of kilobytes.
const maxBodyBytes = 1 << 20

// bodyDeadline bounds how long a caller may take to send a body.
const bodyDeadline = 10 * time.Second

// maxShallowBrackets is how many opening brackets a body may have before its
// nesting is looked at by encoding/json, which bounds the depth.
const maxShallowBrackets = 5000

// request is what we read of a chat-completions request.
type request struct {
	messages []llm.Message
	tools    []string // names of the functions offered
	users    []string // "user" and "user_id", those that are there
	token    string   // signed call token
	call     string   // call id as the voice service repeats it; the token is what counts
	stream   bool
	usage    bool
	body     string // the whole request, for a passthrough
}

func (r *request) offers(tool string) bool {
	return slices.Contains(r.tools, tool)
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads all of a request's body. Nothing is streamed before that:
// net/http may cut a body off once the response has begun.
func readBody(w http.ResponseWriter, r *http.Request) (string, error) {
	if r.ContentLength > maxBodyBytes {
		return "", errTooLarge
	}
	rc := http.NewResponseController(w)
	// A writer without deadlines (in tests) is as good as one that was set.
	_ = rc.SetReadDeadline(time.Now().Add(bodyDeadline))
	buf, _ := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(buf)
	buf.Reset()
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_ = rc.SetReadDeadline(time.Time{})
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return "", errTooLarge
	}
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return "", badRequest("", "The request body ended early.")
		}
		return "", badRequest("", "The request body could not be read.")
	}
	return buf.String(), nil
}

// parseRequest decodes a body. Fields that it does not know are ignored. The
// error is an *apiError.
func parseRequest(body string) (*request, error) {
	if !validJSON(body) {
		return nil, badRequest("", "The request body is not valid JSON.")
	}
	root := gjson.Parse(body)
	if !root.IsObject() {
		return nil, badRequest("", "The request body must be a JSON object.")
	}
	p := parser{req: &request{body: body}}
	root.ForEach(func(key, v gjson.Result) bool {
		p.field(key.Str, v)
		return p.err == nil
	})
	if p.err == nil && len(p.req.messages) == 0 {
		p.fail("messages", "must be a list with at least one message.")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.req, nil
}

func validJSON(body string) bool {
	if strings.Count(body, "[")+strings.Count(body, "{") > maxShallowBrackets {
		return json.Valid([]byte(body))
	}
	return gjson.Valid(body)
}

// parser keeps the first thing that is wrong.
type parser struct {
	req *request
	err error
}

func (p *parser) fail(param, what string) {
	if p.err == nil {
		p.err = badRequest(param, "'"+param+"' "+what)
	}
}

func (p *parser) field(key string, v gjson.Result) {
	switch key {
	case "messages":
		p.messages(v)
	case "stream":
		p.req.stream = p.flag(key, v)
	case "stream_options":
		if v.IsObject() {
			p.req.usage = v.Get("include_usage").Bool()
		}
	case "tools":
		p.tools(v)
	case "user", "user_id":
		if v.Type == gjson.String && v.Str != "" {
			p.req.users = append(p.req.users, v.Str)
		}
	case "elevenlabs_extra_body":
		if v.IsObject() {
			p.req.token = text(v.Get("token"))
			p.req.call = text(v.Get("call"))
		}
	}
}

func (p *parser) flag(key string, v gjson.Result) bool {
	switch v.Type {
	case gjson.True:
		return true
	case gjson.False, gjson.Null:
		return false
	default:
		p.fail(key, "must be true or false.")
		return false
	}
}

func (p *parser) tools(v gjson.Result) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsArray() {
		p.fail("tools", "must be a list.")
		return
	}
	v.ForEach(func(_, tool gjson.Result) bool {
		if name := text(tool.Get("function.name")); name != "" {
			p.req.tools = append(p.req.tools, name)
		}
		return true
	})
}

func (p *parser) messages(v gjson.Result) {
	if !v.IsArray() {
		p.fail("messages", "must be a list.")
		return
	}
	p.req.messages = make([]llm.Message, 0, 1+strings.Count(v.Raw, `"role"`)) // a key given twice: the last counts
	i := 0
	v.ForEach(func(_, m gjson.Result) bool {
		p.message(i, m)
		i++
		return p.err == nil
	})
}

func (p *parser) message(i int, v gjson.Result) {
	at := func(field string) string { return "messages[" + strconv.Itoa(i) + "]" + field }
	if !v.IsObject() {
		p.fail(at(""), "must be an object.")
		return
	}
	var m llm.Message
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "role":
			m.Role = text(f)
		case "content":
			var ok bool
			if m.Content, ok = content(f); !ok {
				p.fail(at(".content"), "must be a string, a list of parts or null.")
			}
		case "name":
			m.Name = text(f)
		case "tool_call_id":
			m.ToolCallID = text(f)
		case "tool_calls":
			f.ForEach(func(_, c gjson.Result) bool {
				m.ToolCalls = append(m.ToolCalls, llm.ToolCall{
					ID: text(c.Get("id")), Name: text(c.Get("function.name")), Arguments: text(c.Get("function.arguments")),
				})
				return true
			})
		}
		return p.err == nil
	})
	switch m.Role {
	case llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleTool:
	case "developer":
		m.Role = llm.RoleSystem
	case "function":
		m.Role = llm.RoleTool
	default:
		p.fail(at(".role"), "must be system, developer, user, assistant or tool.")
	}
	p.req.messages = append(p.req.messages, m)
}

// content reads a message's content: a string, a list of parts, or null.
func content(v gjson.Result) (string, bool) {
	switch {
	case v.Type == gjson.String:
		return text(v), true
	case v.Type == gjson.Null:
		return "", true
	case v.IsArray():
		var parts []string
		v.ForEach(func(_, part gjson.Result) bool {
			if part.Type == gjson.String {
				parts = append(parts, text(part))
			} else if t := part.Get("text"); t.Type == gjson.String {
				parts = append(parts, text(t))
			}
			return true
		})
		return strings.Join(parts, " "), true
	default:
		return "", false
	}
}

// text is a string's value in valid UTF-8 without NUL, which PostgreSQL cannot
// keep; anything but a string is empty.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	s := strings.ToValidUTF8(v.Str, "\uFFFD")
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}
