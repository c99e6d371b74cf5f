package model

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
	"github.com/naiber/naiber/store/quoted"
)

// A message is one entry of a chat history. Its content is a text, or nothing.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// unquoted removes the marks of quoted speech from a prompt: what reads it here
// follows no instructions.
var unquoted = strings.NewReplacer(quoted.Label, "", quoted.Open, "", quoted.Close, "")

// text returns what a message says.
func (m message) text() string {
	text, _ := m.Content.(string)
	return unquoted.Replace(text)
}

// A chatRequest is a request for a completion. It ignores what does not matter to a
// simulation; tools among it, since nobody hands any to the model.
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

const (
	noModel = "you must provide a model parameter"
	missing = "missing_required_parameter"
)

// check refuses what the real service refuses.
func (req *chatRequest) check() *apiError {
	f, form := req.ResponseFormat, req.ResponseFormat.JSONSchema
	formless := f.Type == "" || f.Type == "text"
	limit := cmp.Or(req.MaxTokens, req.MaxCompletionTokens)
	err := cmp.Or(
		unless(req.Model != "", nil, nil, noModel),
		unless(len(req.Messages) > 0, "empty_array", "messages", "Invalid 'messages': expected an array with minimum length 1."),
		unless(req.StreamOptions == nil || req.Stream, nil, "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
		unless(req.MaxTokens == nil || req.MaxCompletionTokens == nil, "invalid_parameter_combination", "max_tokens",
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."),
		unless(limit == nil || *limit >= 1, "integer_below_min_value", "max_tokens", "Invalid 'max_tokens' or 'max_completion_tokens'. Expected a value >= 1."),
		unless(formless || f.Type == "json_schema", "invalid_value", "response_format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_schema' and 'text'."),
		unless(formless || form.Name != "", missing, "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'."),
		unless(formless || form.Schema != nil, missing, "response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'."),
		unless(form.Schema == nil || !form.Strict || form.Schema.strict(), nil, "response_format", "Invalid schema for response_format '"+form.Name+
			"': it must be an object, and all objects need 'additionalProperties' false and all of their properties required."),
	)
	roles := []string{"system", "developer", "assistant", "user", "function", "tool"}
	for i, m := range req.Messages {
		at := fmt.Sprintf("messages[%d].", i)
		_, text := m.Content.(string)
		err = cmp.Or(err,
			unless(slices.Contains(roles, m.Role), "invalid_value", at+"role", "Invalid value: '"+m.Role+"'. Supported values are: '"+strings.Join(roles, "', '")+"'."),
			unless(text || m.Content == nil && m.Role == "assistant", "invalid_type", at+"content", "Invalid type for '"+at+"content': expected a string."))
	}
	return err
}

// An answer is a completion on its way to a client.
type answer struct {
	w          http.ResponseWriter
	body       map[string]any // of a plain answer, and of each event of a streamed one
	tokens     []string
	finish     string
	first, gap time.Duration // before the first token, and between two
	trouble    troubles
}

// chat answers POST /v1/chat/completions: with a form filled in where the request
// has a schema, else with a reply, which is a function of the request and, where
// somebody asks for the time, of the clock.
func (s *server) chat(w http.ResponseWriter, r *http.Request) *apiError {
	began := time.Now()
	var req chatRequest
	if err := readJSON(r, &req); err != nil {
		return err
	}
	t := s.troubles()
	if t.strike(r.Context(), w) {
		return nil
	}
	a := &answer{w: w, first: t.delay(s.cfg.FirstTokenDelay), gap: s.cfg.TokenDelay, trouble: t}
	a.tokens, a.finish = req.cut(req.reply(began), t)
	prompt := 0
	for _, m := range req.Messages {
		prompt += 4 + len(tokensOf(m.text())) // four for what surrounds a message
	}
	a.body = map[string]any{
		"id": "chatcmpl-" + rand.Text(), "object": "chat.completion", "created": began.Unix(), "model": req.Model,
		"service_tier": "default", "system_fingerprint": "fp_naiber_sandbox",
		"usage": map[string]int{"prompt_tokens": prompt, "completion_tokens": len(a.tokens), "total_tokens": prompt + len(a.tokens)},
	}
	if req.Stream {
		a.stream(r.Context(), req.StreamOptions != nil && req.StreamOptions.IncludeUsage)
	} else {
		a.plain(r.Context())
	}
	s.cfg.Log.DebugContext(r.Context(), "completion sent", slog.String("model", req.Model), slog.Int("messages", len(req.Messages)),
		slog.Int("tokens", len(a.tokens)), slog.String("reason", a.finish), slog.Bool("stream", req.Stream),
		slog.Int64("elapsed_ms", time.Since(began).Milliseconds()), slog.Any("err", r.Context().Err()))
	return nil
}

// reply returns what answers the request, in full.
func (req *chatRequest) reply(now time.Time) string {
	if f := req.ResponseFormat; f.Type == "json_schema" {
		return fill(f.JSONSchema.Name, f.JSONSchema.Schema, req.Messages)
	}
	return speak(req.Messages, now)
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
	all := len(tokens)
	limit := min(*cmp.Or(req.MaxTokens, req.MaxCompletionTokens, &all), cmp.Or(t[faults.ModelLength], all))
	switch {
	case t.has(faults.ModelEmpty):
		return nil, "stop"
	case limit < all:
		return tokens[:limit], "length"
	}
	return tokens, "stop"
}

// token matches a word with the space before it, or a part of a long word.
var token = regexp.MustCompile(`\s*\S{1,8}|\s+`)

// tokensOf cuts text into pieces that join to text again.
func tokensOf(text string) []string { return token.FindAllString(text, -1) }

// plain writes the whole completion at once, after the time that its tokens take.
func (a *answer) plain(ctx context.Context) {
	if a.pace(ctx, `{"object":"chat.completion","choices":[{"index":0,"message":{"content":" and th`, func(string) {}) {
		content := strings.Join(a.tokens, "")
		a.choose("message", map[string]any{"role": "assistant", "content": content, "refusal": nil, "annotations": []any{}}, a.finish)
		wire.JSON(a.w, http.StatusOK, a.body)
	}
}

// stream writes the completion as server-sent events: a chunk that carries
// only the role, at once; then a chunk for each token, flushed one by one; the
// finish reason; the usage when it was asked for; the end mark.
func (a *answer) stream(ctx context.Context, report bool) {
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	a.w.Header().Set("Cache-Control", "no-cache")
	usage := a.body["usage"]
	a.body["object"], a.body["usage"] = "chat.completion.chunk", nil
	if !report {
		delete(a.body, "usage")
	}
	delta := func(content, finish any) {
		a.choose("delta", content, finish)
		a.event()
	}
	delta(json.RawMessage(`{"role":"assistant","content":"","refusal":null}`), nil)
	const half = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" and th`
	if !a.pace(ctx, half, func(token string) { delta(map[string]string{"content": token}, nil) }) {
		return
	}
	delta(struct{}{}, a.finish)
	if report {
		a.body["choices"], a.body["usage"] = []any{}, usage
		a.event()
	}
	a.send("data: [DONE]\n\n")
}

// pace hands over each token when it is time, with the faults that are due before it:
// half is what a broken answer ends with. It reports false if the client has gone.
func (a *answer) pace(ctx context.Context, half string, say func(token string)) bool {
	pause := a.first
	for i, token := range a.tokens {
		if !wire.Wait(ctx, pause) {
			return false
		}
		pause = a.gap
		a.breakAt(ctx, i, half)
		say(token)
	}
	a.breakAt(ctx, len(a.tokens), half)
	return true
}

// breakAt carries out the faults that are due before token i, and at the end those that
// were to come after more tokens than there are.
func (a *answer) breakAt(ctx context.Context, i int, half string) {
	due := func(name string) bool {
		return a.trouble.has(name) && min(a.trouble[name], len(a.tokens)) == i
	}
	if due(faults.ModelHalfChunk) {
		a.send(half)
		panic(http.ErrAbortHandler)
	}
	if due(faults.ModelHang) {
		hang(ctx)
	}
}

// choose sets the only choice of the body: a message or a delta, and why it ends if it
// does.
func (a *answer) choose(kind string, content, finish any) {
	a.body["choices"] = []any{map[string]any{"index": 0, kind: content, "logprobs": nil, "finish_reason": finish}}
}

// event sends the body as it is.
func (a *answer) event() {
	body, _ := json.Marshal(a.body) // texts and numbers
	a.send("data: " + string(body) + "\n\n")
}

// send ignores errors, since the client may be gone.
func (a *answer) send(data string) {
	_, _ = io.WriteString(a.w, data)
	_ = http.NewResponseController(a.w).Flush()
}
