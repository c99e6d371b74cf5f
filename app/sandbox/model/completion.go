package model

import (
	"cmp"
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

// A message is one entry of a chat history. Its content is a text, a list of parts,
// or nothing.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// unquoted takes the marks of quoted speech out of a prompt: what reads it here
// follows no instructions.
var unquoted = strings.NewReplacer(quoted.Label, "", quoted.Open, "", quoted.Close, "")

// text returns what a message says. Parts that are no text are passed over.
func (m message) text() string {
	text, _ := m.Content.(string)
	parts, _ := m.Content.([]any)
	said := []string{}
	for _, p := range parts {
		part, _ := p.(map[string]any)
		words, _ := part["text"].(string)
		said = append(said, words)
	}
	return unquoted.Replace(text + strings.Join(said, "\n"))
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
	f, form := req.ResponseFormat, req.ResponseFormat.JSONSchema
	formless := f.Type == "" || f.Type == "text"
	const least = "integer_below_min_value"
	checks := []check{
		hasModel(req.Model),
		{len(req.Messages) > 0, "empty_array", "messages", "Invalid 'messages': expected an array with minimum length 1."},
		{req.StreamOptions == nil || req.Stream, "", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."},
		{req.MaxTokens == nil || req.MaxCompletionTokens == nil, "invalid_parameter_combination", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."},
		{req.MaxTokens == nil || *req.MaxTokens >= 1, least, "max_tokens", "Invalid 'max_tokens'. Expected a value >= 1."},
		{req.MaxCompletionTokens == nil || *req.MaxCompletionTokens >= 1, least, "max_completion_tokens", "Invalid 'max_completion_tokens'. Expected a value >= 1."},
		{formless || f.Type == "json_schema", "invalid_value", "response_format.type", "Invalid value: '" + f.Type + "'. Supported values are: 'json_schema' and 'text'."},
		{formless || form.Name != "", missing, "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'."},
		{formless || form.Schema != nil, missing, "response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'."},
		{form.Schema == nil || !form.Strict || form.Schema.strict(), "", "response_format", "Invalid schema for response_format '" + form.Name +
			"': it must be an object, and all objects need 'additionalProperties' false and all of their properties required."},
	}
	for i, m := range req.Messages {
		at := fmt.Sprintf("messages[%d].", i)
		_, text := m.Content.(string)
		_, parts := m.Content.([]any)
		checks = append(checks,
			check{slices.Contains(roles, m.Role), "invalid_value", at + "role", fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", m.Role, strings.Join(roles, "', '"))},
			check{text || parts || m.Content == nil && m.Role == "assistant", "invalid_type", at + "content", "Invalid type for '" + at + "content': expected one of a string or array of objects."})
	}
	return first(checks...)
}

const missing = "missing_required_parameter"

// hasModel is the check that a request names a model.
func hasModel(name string) check {
	return check{name != "", "", "", "you must provide a model parameter"}
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

// An answer is a completion on its way to a client.
type answer struct {
	completion

	w       http.ResponseWriter
	tokens  []string
	finish  string
	first   time.Duration // before the first token
	gap     time.Duration // between two
	trouble troubles
	err     error // of writing
}

// chat answers POST /v1/chat/completions: with a form filled in where the request
// has a schema, else with a reply, which is a function of the request and, where
// somebody asks for the time, of the clock.
func (s *server) chat(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	var req chatRequest
	if err := readJSON(r, &req); err != nil {
		return err
	}
	t := s.troubles()
	if t.strike(r.Context(), w) {
		return nil
	}
	var text string
	if f := req.ResponseFormat; f.Type == "json_schema" {
		text = fill(f.JSONSchema.Name, f.JSONSchema.Schema, req.Messages)
	} else {
		text = speak(req.Messages, began)
	}
	a := &answer{w: w, first: t.delay(s.cfg.FirstTokenDelay), gap: s.cfg.TokenDelay, trouble: t}
	a.tokens, a.finish = req.cut(text, t)
	prompt := 0
	for _, m := range req.Messages {
		prompt += 4 + len(tokensOf(m.text())) // four for what surrounds a message
	}
	a.completion = completion{
		ID: "chatcmpl-" + rand.Text(), Object: "chat.completion", Created: began.Unix(), Model: req.Model, ServiceTier: "default", SystemFingerprint: "fp_naiber_sandbox",
		Usage: map[string]int{"prompt_tokens": prompt, "completion_tokens": len(a.tokens), "total_tokens": prompt + len(a.tokens)},
	}
	if req.Stream {
		a.stream(r.Context(), req.StreamOptions != nil && req.StreamOptions.IncludeUsage)
	} else {
		a.plain(r.Context())
	}
	s.cfg.Log.DebugContext(r.Context(), "completion sent", slog.String("model", req.Model), slog.Int("messages", len(req.Messages)),
		slog.Int("tokens", len(a.tokens)), slog.String("reason", a.finish), slog.Bool("stream", req.Stream),
		slog.Int64("elapsed_ms", time.Since(began).Milliseconds()), slog.Any("err", cmp.Or(a.err, r.Context().Err())))
	return nil
}

// cut returns the tokens of a text up to where the request or a fault ends it, and
// the reason for its end.
func (req *chatRequest) cut(text string, t troubles) (tokens []string, finish string) {
	for _, stop := range req.Stop {
		if stop != "" {
			text, _, _ = strings.Cut(text, stop)
		}
	}
	tokens = tokensOf(text)
	limit := len(tokens)
	for _, n := range []*int{req.MaxTokens, req.MaxCompletionTokens} {
		if n != nil {
			limit = min(limit, *n)
		}
	}
	if t.has(faults.ModelLength) {
		limit = min(limit, t[faults.ModelLength])
	}
	switch {
	case t.has(faults.ModelEmpty):
		return nil, "stop"
	case limit < len(tokens):
		return tokens[:limit], "length"
	}
	return tokens, "stop"
}

// token is a word with the space before it, or a part of a long word.
var token = regexp.MustCompile(`\s*\S{1,8}|\s+`)

// tokensOf cuts text into pieces that join to text again.
func tokensOf(text string) []string { return token.FindAllString(text, -1) }

// plain writes the whole completion at once, after the time that its tokens
// would have taken.
func (a *answer) plain(ctx context.Context) {
	if !wire.Wait(ctx, a.first+time.Duration(len(a.tokens))*a.gap) {
		return
	}
	content := `{"role":"assistant","content":` + string(mustJSON(strings.Join(a.tokens, ""))) + `,"refusal":null,"annotations":[]}`
	a.Choices = []choice{{Message: json.RawMessage(content), FinishReason: &a.finish}}
	switch {
	case a.trouble.has(faults.ModelHalfChunk):
		body := mustJSON(a.completion)
		a.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = a.w.Write(body[:len(body)/2])
		_ = http.NewResponseController(a.w).Flush()
		panic(http.ErrAbortHandler)
	case a.trouble.has(faults.ModelHang):
		hang(ctx)
	}
	wire.JSON(a.w, http.StatusOK, a.completion)
}

// stream writes the completion as server-sent events: a chunk that carries
// only the role, at once; then a chunk for each token, flushed one by one; the
// finish reason; the usage when it was asked for; the end mark.
func (a *answer) stream(ctx context.Context, report bool) {
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	a.w.Header().Set("Cache-Control", "no-cache")
	usage := a.Usage
	a.Object, a.Usage = "chat.completion.chunk", nil
	if report {
		a.Usage = json.RawMessage("null")
	}
	a.delta(`{"role":"assistant","content":"","refusal":null}`, nil)
	pause := a.first
	for i, token := range a.tokens {
		if !wire.Wait(ctx, pause) {
			return
		}
		pause = a.gap
		a.breakAt(ctx, i)
		a.delta(`{"content":`+string(mustJSON(token))+`}`, nil)
	}
	// A break that was to come after more tokens than there are comes here.
	a.breakAt(ctx, max(a.trouble[faults.ModelHalfChunk], a.trouble[faults.ModelHang]))
	a.delta(`{}`, &a.finish)
	if report {
		a.Choices, a.Usage = []choice{}, usage
		a.event(string(mustJSON(a.completion)) + "\n\n")
	}
	a.event("[DONE]\n\n")
}

func (a *answer) delta(delta string, finish *string) {
	a.Choices = []choice{{Delta: json.RawMessage(delta), FinishReason: finish}}
	a.event(string(mustJSON(a.completion)) + "\n\n")
}

// event writes one, until an error.
func (a *answer) event(data string) {
	if a.err == nil {
		_, a.err = a.w.Write([]byte("data: " + data))
	}
	if a.err == nil {
		a.err = http.NewResponseController(a.w).Flush()
	}
}

// breakAt carries out the faults that are due before token i.
func (a *answer) breakAt(ctx context.Context, i int) {
	if n, on := a.trouble[faults.ModelHalfChunk]; on && n == i {
		a.event(`{"id":"` + a.ID + `","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" and th`)
		panic(http.ErrAbortHandler)
	}
	if n, on := a.trouble[faults.ModelHang]; on && n == i {
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
