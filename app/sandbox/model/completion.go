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
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                oneOrAll        `json:"stop"`
	ResponseFormat      *responseFormat `json:"response_format"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string  `json:"name"`
		Strict bool    `json:"strict"`
		Schema *schema `json:"schema"`
	} `json:"json_schema"`
}

var roles = []string{"system", "developer", "assistant", "user", "function", "tool"}

// check refuses what the real service refuses.
func (req *chatRequest) check() error {
	below := func(n *int) bool { return n != nil && *n < 1 }
	const tooFew = "Expected a value >= 1."
	switch {
	case req.Model == "":
		return errNoModel
	case len(req.Messages) == 0:
		return invalid("empty_array", "messages", "Invalid 'messages': expected an array with minimum length 1.")
	case req.StreamOptions != nil && !req.Stream:
		return invalid("", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case req.MaxTokens != nil && req.MaxCompletionTokens != nil:
		return invalid("invalid_parameter_combination", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case below(req.MaxTokens):
		return invalid("integer_below_min_value", "max_tokens", "Invalid 'max_tokens'. "+tooFew)
	case below(req.MaxCompletionTokens):
		return invalid("integer_below_min_value", "max_completion_tokens", "Invalid 'max_completion_tokens'. "+tooFew)
	}
	for i, m := range req.Messages {
		at := fmt.Sprintf("messages[%d].", i)
		if !slices.Contains(roles, m.Role) {
			return invalid("invalid_value", at+"role", fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", m.Role, strings.Join(roles, "', '")))
		}
		if m.Content.wrong || !m.Content.given && m.Role != "assistant" {
			return invalid("invalid_type", at+"content", "Invalid type for '"+at+"content': expected one of a string or array of objects.")
		}
	}
	return req.ResponseFormat.check()
}

func (f *responseFormat) check() error {
	switch {
	case f == nil || f.Type == "text":
		return nil
	case f.Type != "json_schema":
		return invalid("invalid_value", "response_format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_schema' and 'text'.")
	case f.JSONSchema.Name == "":
		return invalid("missing_required_parameter", "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'.")
	case f.JSONSchema.Schema == nil:
		return invalid("missing_required_parameter", "response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'.")
	}
	if s := f.JSONSchema.Schema; f.JSONSchema.Strict && (s.Type.is() != "object" || !s.strict()) {
		return invalid("", "response_format", "Invalid schema for response_format '"+f.JSONSchema.Name+
			"': it must be an object, and all objects need 'additionalProperties' false and all of their properties required.")
	}
	return nil
}

// compose decides what to say: a form filled in where the request has a schema,
// else a reply. It is a function of the request and, asked for the time, the clock.
func (s *server) compose(req *chatRequest) string {
	if f := req.ResponseFormat; f != nil && f.Type == "json_schema" {
		return fill(f.JSONSchema.Name, f.JSONSchema.Schema, req.Messages)
	}
	return speak(req.Messages, s.now())
}

// An outgoing completion is ready for the wire.
type outgoing struct {
	completion

	tokens  []string
	report  bool // send the usage at the end of a stream
	first   time.Duration
	gap     time.Duration
	trouble troubles
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
	Message      *choiceMessage  `json:"message,omitempty"`
	Delta        json.RawMessage `json:"delta,omitempty"`
	Logprobs     *struct{}       `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

type choiceMessage struct {
	Role        string     `json:"role"`
	Content     string     `json:"content"`
	Refusal     *string    `json:"refusal"`
	Annotations []struct{} `json:"annotations"`
}

// chat answers POST /v1/chat/completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) error {
	began := s.now()
	req := &chatRequest{}
	if err := readJSON(r, req); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	t := s.troubles()
	if s.strike(r.Context(), w, t) {
		return nil
	}
	out, finish := s.outgoing(req, t)
	send := out.plain
	if req.Stream {
		send = out.stream
	}
	err := send(r.Context(), w, finish)
	s.log.DebugContext(r.Context(), "completion sent", slog.String("model", req.Model), slog.Int("messages", len(req.Messages)),
		slog.Int("tokens", len(out.tokens)), slog.String("reason", finish), slog.Bool("stream", req.Stream),
		slog.Int64("elapsed_ms", s.now().Sub(began).Milliseconds()), slog.Any("err", err))
	return nil
}

func (s *server) outgoing(req *chatRequest, t troubles) (out *outgoing, finish string) {
	out = &outgoing{
		completion: completion{
			ID: "chatcmpl-" + rand.Text(), Object: "chat.completion", Created: s.now().Unix(), Model: req.Model,
			ServiceTier: "default", SystemFingerprint: "fp_naiber_sandbox",
		},
		report: req.StreamOptions != nil && req.StreamOptions.IncludeUsage,
		first:  t.delay(s.cfg.FirstTokenDelay), gap: s.cfg.TokenDelay, trouble: t,
	}
	text := s.compose(req)
	for _, stop := range req.Stop {
		if stop != "" {
			text, _, _ = strings.Cut(text, stop)
		}
	}
	out.tokens, finish = tokensOf(text), "stop"
	limit := len(out.tokens)
	for _, n := range []*int{req.MaxTokens, req.MaxCompletionTokens} {
		if n != nil {
			limit = min(limit, *n)
		}
	}
	if t.length > 0 {
		limit = min(limit, t.length)
	}
	if limit < len(out.tokens) {
		out.tokens, finish = out.tokens[:limit], "length"
	}
	if t.empty {
		out.tokens, finish = nil, "stop"
	}
	prompt := 0
	for _, m := range req.Messages {
		prompt += 4 + len(tokensOf(m.Content.text)) // four for what surrounds a message
	}
	out.Usage = map[string]int{"prompt_tokens": prompt, "completion_tokens": len(out.tokens), "total_tokens": prompt + len(out.tokens)}
	return out, finish
}

// token is a word with the space before it, or a part of a long word.
var token = regexp.MustCompile(`\s*\S{1,8}|\s+`)

// tokensOf cuts text into pieces that join to text again.
func tokensOf(text string) []string { return token.FindAllString(text, -1) }

// plain writes the whole completion at once, after the time that its tokens
// would have taken.
func (out *outgoing) plain(ctx context.Context, w http.ResponseWriter, finish string) error {
	if err := wait(ctx, out.first+time.Duration(len(out.tokens))*out.gap); err != nil {
		return err
	}
	out.Choices = []choice{{
		Message:      &choiceMessage{Role: "assistant", Content: strings.Join(out.tokens, ""), Annotations: []struct{}{}},
		FinishReason: &finish,
	}}
	switch body := mustJSON(out.completion); {
	case out.trouble.halfAfter >= 0:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case out.trouble.hangAfter > 0:
		_ = wait(ctx, maxHang)
		panic(http.ErrAbortHandler)
	}
	writeJSON(w, http.StatusOK, out.completion)
	return nil
}

// stream writes the completion as server-sent events: a chunk that carries
// only the role, at once; then a chunk for each token, flushed one by one; the
// finish reason; the usage when it was asked for; the end mark.
func (out *outgoing) stream(ctx context.Context, w http.ResponseWriter, finish string) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	e := events{w: w, flush: http.NewResponseController(w), frame: out.completion}
	e.frame.Object, e.frame.Usage = "chat.completion.chunk", nil
	if out.report {
		e.frame.Usage = json.RawMessage("null")
	}
	if err := e.delta(`{"role":"assistant","content":"","refusal":null}`, nil); err != nil {
		return err
	}
	if err := wait(ctx, out.first); err != nil {
		return err
	}
	for i, token := range out.tokens {
		if i > 0 {
			if err := wait(ctx, out.gap); err != nil {
				return err
			}
		}
		e.breakAt(ctx, out.trouble, i)
		if err := e.delta(`{"content":`+string(mustJSON(token))+`}`, nil); err != nil {
			return err
		}
	}
	// A break that was to come after more tokens than there are comes here.
	e.breakAt(ctx, out.trouble, max(out.trouble.halfAfter, out.trouble.hangAfter, 0))
	if err := e.delta(`{}`, &finish); err != nil {
		return err
	}
	if out.report {
		e.frame.Choices, e.frame.Usage = []choice{}, out.Usage
		if err := e.write(string(mustJSON(e.frame)) + "\n\n"); err != nil {
			return err
		}
	}
	return e.write("[DONE]\n\n")
}

// events writes chunks that share a frame.
type events struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	frame completion
}

func (e *events) delta(delta string, finish *string) error {
	e.frame.Choices = []choice{{Delta: json.RawMessage(delta), FinishReason: finish}}
	return e.write(string(mustJSON(e.frame)) + "\n\n")
}

func (e *events) write(data string) error {
	if _, err := e.w.Write([]byte("data: " + data)); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if err := e.flush.Flush(); err != nil {
		return fmt.Errorf("flush event: %w", err)
	}
	return nil
}

// breakAt carries out the faults that are due before token i.
func (e *events) breakAt(ctx context.Context, t troubles, i int) {
	switch i {
	case t.halfAfter:
		_ = e.write(`{"id":"` + e.frame.ID + `","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" and th`)
	case t.hangAfter:
		_ = wait(ctx, maxHang)
	default:
		return
	}
	panic(http.ErrAbortHandler)
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
