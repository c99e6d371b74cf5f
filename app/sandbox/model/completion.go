package model

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
	"github.com/naiber/naiber/store/quoted"
)

// A message is one entry of a chat history.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is text, whether it came as a string, as parts or not at all.
type content struct {
	text         string
	given, wrong bool
}

// unquoted takes the marks of quoted speech out of a prompt: what reads it here
// follows no instructions.
var unquoted = strings.NewReplacer(quoted.Label, "", quoted.Open, "", quoted.Close, "")

// UnmarshalJSON reads a string, null, or a list of parts, of which those that are
// not text are passed over.
func (c *content) UnmarshalJSON(raw []byte) error {
	var parts []struct{ Type, Text string }
	switch {
	case string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &c.text) == nil:
	case json.Unmarshal(raw, &parts) == nil:
		for _, p := range parts {
			c.text += p.Text + "\n"
		}
	default:
		c.wrong = true
	}
	c.given, c.text = true, strings.TrimSuffix(unquoted.Replace(c.text), "\n")
	return nil
}

// A chatRequest is a request for a completion. What is not read here is accepted
// and ignored, as clients send much that does not matter to a simulation; tools
// among it, since nobody hands any to the model.
type chatRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int     `json:"max_tokens"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`
	Stop                oneOrAll `json:"stop"`
	ResponseFormat      struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string  `json:"name"`
			Strict bool    `json:"strict"`
			Schema *schema `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

var roles = []string{"system", "developer", "assistant", "user", "function", "tool"}

// check refuses what the real service refuses.
func (req *chatRequest) check() error {
	enough := func(n *int) bool { return n == nil || *n >= 1 }
	f, form := req.ResponseFormat, req.ResponseFormat.JSONSchema
	formless := f.Type == "" || f.Type == "text"
	checks := []check{
		hasModel(req.Model),
		{len(req.Messages) > 0, "empty_array", "messages", "Invalid 'messages': expected an array with minimum length 1."},
		{req.StreamOptions == nil || req.Stream, "", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."},
		{
			req.MaxTokens == nil || req.MaxCompletionTokens == nil, "invalid_parameter_combination", "max_tokens",
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
		},
		{enough(req.MaxTokens), "integer_below_min_value", "max_tokens", "Invalid 'max_tokens'. Expected a value >= 1."},
		{enough(req.MaxCompletionTokens), "integer_below_min_value", "max_completion_tokens", "Invalid 'max_completion_tokens'. Expected a value >= 1."},
		{formless || f.Type == "json_schema", "invalid_value", "response_format.type", "Invalid value: '" + f.Type + "'. Supported values are: 'json_schema' and 'text'."},
		{formless || form.Name != "", "missing_required_parameter", "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'."},
		{formless || form.Schema != nil, "missing_required_parameter", "response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'."},
		{
			form.Schema == nil || !form.Strict || form.Schema.Type.least() == "object" && form.Schema.strict(), "", "response_format",
			"Invalid schema for response_format '" + form.Name + "': it must be an object, and all objects need 'additionalProperties' false and all of their properties required.",
		},
	}
	for i, m := range req.Messages {
		at := fmt.Sprintf("messages[%d].", i)
		checks = append(checks,
			check{slices.Contains(roles, m.Role), "invalid_value", at + "role", fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", m.Role, strings.Join(roles, "', '"))},
			check{
				!m.Content.wrong && (m.Content.given || m.Role == "assistant"), "invalid_type", at + "content",
				"Invalid type for '" + at + "content': expected one of a string or array of objects.",
			})
	}
	return first(checks...)
}

// hasModel is the check that a request names a model.
func hasModel(name string) check {
	return check{name != "", "", "", "you must provide a model parameter"}
}

// compose decides what to say: a form filled in where the request has a schema,
// else a reply. It is a function of the request and, asked for the time, the clock.
func (req *chatRequest) compose() string {
	if f := req.ResponseFormat; f.Type == "json_schema" {
		return fill(f.JSONSchema.Name, f.JSONSchema.Schema, req.Messages)
	}
	return speak(req.Messages, time.Now())
}

// A completion is the body of a plain answer, and the frame of a streamed one.
type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"`
	Model             string   `json:"model"`
	ServiceTier       string   `json:"service_tier"`
	SystemFingerprint string   `json:"system_fingerprint"`
	Choices           []choice `json:"choices"`
	Usage             any      `json:"usage,omitempty"`
}

type choice struct {
	Index        int             `json:"index"`
	Message      json.RawMessage `json:"message,omitempty"`
	Delta        json.RawMessage `json:"delta,omitempty"`
	Logprobs     *struct{}       `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

// An outgoing completion is ready for the wire.
type outgoing struct {
	completion

	tokens  []string
	finish  string
	report  bool // send the usage at the end of a stream
	first   time.Duration
	gap     time.Duration
	trouble troubles
}

// chat answers POST /v1/chat/completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	req := &chatRequest{}
	if err := readJSON(r, req); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	t := s.troubles()
	if t.strike(r.Context(), w) {
		return nil
	}
	out := s.outgoing(req, t)
	send := out.plain
	if req.Stream {
		send = out.stream
	}
	err := send(r.Context(), w)
	s.cfg.Log.DebugContext(r.Context(), "completion sent", slog.String("model", req.Model), slog.Int("messages", len(req.Messages)),
		slog.Int("tokens", len(out.tokens)), slog.String("reason", out.finish), slog.Bool("stream", req.Stream),
		slog.Int64("elapsed_ms", time.Since(began).Milliseconds()), slog.Any("err", err))
	return nil
}

func (s *server) outgoing(req *chatRequest, t troubles) *outgoing {
	text := req.compose()
	for _, stop := range req.Stop {
		if stop != "" {
			text, _, _ = strings.Cut(text, stop)
		}
	}
	tokens, finish := tokensOf(text), "stop"
	limit := len(tokens)
	for _, n := range []*int{req.MaxTokens, req.MaxCompletionTokens} {
		if n != nil {
			limit = min(limit, *n)
		}
	}
	if t.has(faults.ModelLength) {
		limit = min(limit, t[faults.ModelLength])
	}
	if limit < len(tokens) {
		tokens, finish = tokens[:limit], "length"
	}
	if t.has(faults.ModelEmpty) {
		tokens, finish = nil, "stop"
	}
	prompt := 0
	for _, m := range req.Messages {
		prompt += 4 + len(tokensOf(m.Content.text)) // four for what surrounds a message
	}
	return &outgoing{
		completion: completion{
			ID: "chatcmpl-" + rand.Text(), Object: "chat.completion", Created: time.Now().Unix(), Model: req.Model,
			ServiceTier: "default", SystemFingerprint: "fp_naiber_sandbox",
			Usage: map[string]int{"prompt_tokens": prompt, "completion_tokens": len(tokens), "total_tokens": prompt + len(tokens)},
		},
		tokens: tokens, finish: finish, report: req.StreamOptions != nil && req.StreamOptions.IncludeUsage,
		first: t.delay(s.cfg.FirstTokenDelay), gap: s.cfg.TokenDelay, trouble: t,
	}
}

// token is a word with the space before it, or a part of a long word.
var token = regexp.MustCompile(`\s*\S{1,8}|\s+`)

// tokensOf cuts text into pieces that join to text again.
func tokensOf(text string) []string { return token.FindAllString(text, -1) }

// plain writes the whole completion at once, after the time that its tokens
// would have taken.
func (out *outgoing) plain(ctx context.Context, w http.ResponseWriter) error {
	if !wire.Wait(ctx, out.first+time.Duration(len(out.tokens))*out.gap) {
		return ctx.Err()
	}
	content := `{"role":"assistant","content":` + string(mustJSON(strings.Join(out.tokens, ""))) + `,"refusal":null,"annotations":[]}`
	out.Choices = []choice{{Message: json.RawMessage(content), FinishReason: &out.finish}}
	switch {
	case out.trouble.has(faults.ModelHalfChunk):
		body := mustJSON(out.completion)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case out.trouble.has(faults.ModelHang):
		hang(ctx)
	}
	wire.JSON(w, http.StatusOK, out.completion)
	return nil
}

// stream writes the completion as server-sent events: a chunk that carries
// only the role, at once; then a chunk for each token, flushed one by one; the
// finish reason; the usage when it was asked for; the end mark.
func (out *outgoing) stream(ctx context.Context, w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	e := events{w: w, flush: http.NewResponseController(w), frame: out.completion}
	e.frame.Object, e.frame.Usage = "chat.completion.chunk", nil
	if out.report {
		e.frame.Usage = json.RawMessage("null")
	}
	e.delta(`{"role":"assistant","content":"","refusal":null}`, nil)
	pause := out.first
	for i, token := range out.tokens {
		if !wire.Wait(ctx, pause) {
			return ctx.Err()
		}
		pause = out.gap
		e.breakAt(ctx, out.trouble, i)
		e.delta(`{"content":`+string(mustJSON(token))+`}`, nil)
	}
	// A break that was to come after more tokens than there are comes here.
	e.breakAt(ctx, out.trouble, max(out.trouble[faults.ModelHalfChunk], out.trouble[faults.ModelHang]))
	e.delta(`{}`, &out.finish)
	if out.report {
		e.frame.Choices, e.frame.Usage = []choice{}, out.Usage
		e.write(string(mustJSON(e.frame)) + "\n\n")
	}
	e.write("[DONE]\n\n")
	return e.err
}

// events writes chunks that share a frame, until an error.
type events struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	frame completion
	err   error
}

func (e *events) delta(delta string, finish *string) {
	e.frame.Choices = []choice{{Delta: json.RawMessage(delta), FinishReason: finish}}
	e.write(string(mustJSON(e.frame)) + "\n\n")
}

func (e *events) write(data string) {
	if e.err == nil {
		_, e.err = e.w.Write([]byte("data: " + data))
	}
	if e.err == nil {
		e.err = e.flush.Flush()
	}
}

// breakAt carries out the faults that are due before token i.
func (e *events) breakAt(ctx context.Context, t troubles, i int) {
	if n, on := t[faults.ModelHalfChunk]; on && n == i {
		e.write(`{"id":"` + e.frame.ID + `","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" and th`)
		panic(http.ErrAbortHandler)
	}
	if n, on := t[faults.ModelHang]; on && n == i {
		hang(ctx)
	}
}

// mustJSON encodes what is built here and cannot fail: structs, maps and lists of
// texts and numbers.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("model: encode %T: %v", v, err))
	}
	return raw
}
