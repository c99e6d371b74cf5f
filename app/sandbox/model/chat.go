package model

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// An answer is what the model says to a request, before it is cut to a length
// and put on the wire.
type answer struct {
	text   string
	calls  []toolCall
	finish string // "stop", "length" or "tool_calls"
}

// usage counts tokens as the wire reports them.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// chat answers POST /v1/chat/completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) error {
	began := s.now()
	// All of the body is read before the first byte of the answer leaves: an
	// HTTP/1 server may stop reading once it writes.
	body, err := readBody(r)
	if err != nil {
		return err
	}
	req, err := parseChat(body)
	if err != nil {
		return err
	}
	t := s.troubles()
	if s.strike(r.Context(), w, t) {
		return nil
	}
	a, err := compose(req)
	if err != nil {
		return err
	}
	out := s.outgoing(req, a, t)
	if req.Stream {
		err = s.stream(r.Context(), w, out)
	} else {
		err = s.plain(r.Context(), w, out)
	}
	s.log.DebugContext(r.Context(), "completion sent", slog.String("model", req.Model), slog.Int("messages", len(req.Messages)),
		slog.Int("tokens", len(out.tokens)), slog.String("reason", out.finish), slog.Bool("stream", req.Stream),
		slog.Int64("elapsed_ms", s.now().Sub(began).Milliseconds()), slog.Any("err", err))
	return nil
}

// compose decides what to say. It is a function of the request alone.
func compose(req *chatRequest) (answer, error) {
	switch {
	case req.Schema != nil:
		if text, ok := learned(req); ok {
			return answer{text: text, finish: "stop"}, nil
		}
		text, err := fillSchema(req.Schema, readScene(req.Messages))
		if err != nil {
			return answer{}, invalid("", "response_format", "Invalid schema for response_format: "+err.Error()+".")
		}
		return answer{text: text, finish: "stop"}, nil
	case req.JSONObject:
		return answer{text: fillObject(req.Messages), finish: "stop"}, nil
	}
	text := speak(req.Messages)
	calls, alone := chooseTools(req)
	switch {
	case len(calls) > 0 && alone:
		return answer{calls: calls, finish: "tool_calls"}, nil
	case len(calls) > 0:
		return answer{text: text, calls: calls, finish: "tool_calls"}, nil
	default:
		return answer{text: text, finish: "stop"}, nil
	}
}

// An outgoing completion is ready for the wire.
type outgoing struct {
	id      string
	model   string
	created int64
	tokens  []string
	calls   []toolCall
	finish  string
	usage   usage
	report  bool // send the usage at the end of a stream
	first   time.Duration
	gap     time.Duration
	trouble troubles
}

func (s *server) outgoing(req *chatRequest, a answer, t troubles) *outgoing {
	out := &outgoing{
		id: "chatcmpl-" + rand.Text(), model: req.Model, created: s.now().Unix(), calls: a.calls, finish: a.finish,
		report: req.IncludeUsage, first: s.cfg.FirstTokenDelay + t.slow, gap: s.cfg.TokenDelay, trouble: t,
	}
	for _, stop := range req.Stop {
		if stop != "" {
			a.text, _, _ = strings.Cut(a.text, stop)
		}
	}
	out.tokens = tokensOf(a.text)
	limit := req.MaxTokens
	if t.length > 0 && (limit == 0 || t.length < limit) {
		limit = t.length
	}
	if limit > 0 && len(out.tokens) > limit {
		out.tokens, out.calls, out.finish = out.tokens[:limit], nil, "length"
	}
	if t.empty {
		out.tokens, out.calls, out.finish = nil, nil, "stop"
	}
	for _, m := range req.Messages {
		out.usage.PromptTokens += 4 + len(tokensOf(m.Content)) // four for what surrounds a message
	}
	out.usage.CompletionTokens = len(out.tokens)
	for _, c := range out.calls {
		out.usage.CompletionTokens += 4 + len(tokensOf(c.Function.Arguments))
	}
	out.usage.TotalTokens = out.usage.PromptTokens + out.usage.CompletionTokens
	return out
}

// tokenRunes is the longest token, in runes: longer words come in two or more
// pieces, as they do from a real model.
const tokenRunes = 8

// tokensOf cuts text into pieces that join to text again: a word with the
// space before it, or a part of a long word.
func tokensOf(text string) []string {
	var out []string
	start, runes := 0, 0
	inWord := false
	for i, r := range text {
		space := r == ' ' || r == '\n' || r == '\t'
		if (space && inWord) || runes >= tokenRunes {
			out = append(out, text[start:i])
			start, runes = i, 0
		}
		inWord = !space
		runes++
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// A completion is the body of a plain answer.
type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"`
	Model             string   `json:"model"`
	Choices           []choice `json:"choices"`
	Usage             usage    `json:"usage"`
	ServiceTier       string   `json:"service_tier"`
	SystemFingerprint string   `json:"system_fingerprint"`
}

type choice struct {
	Index        int           `json:"index"`
	Message      choiceMessage `json:"message"`
	Logprobs     *struct{}     `json:"logprobs"`
	FinishReason string        `json:"finish_reason"`
}

type choiceMessage struct {
	Role        string     `json:"role"`
	Content     *string    `json:"content"`
	ToolCalls   []toolCall `json:"tool_calls,omitempty"`
	Refusal     *string    `json:"refusal"`
	Annotations []struct{} `json:"annotations"`
}

// plain writes the whole completion at once, after the time that its tokens
// would have taken.
func (s *server) plain(ctx context.Context, w http.ResponseWriter, out *outgoing) error {
	if err := wait(ctx, out.first+time.Duration(len(out.tokens))*out.gap); err != nil {
		return err
	}
	text := strings.Join(out.tokens, "")
	msg := choiceMessage{Role: "assistant", ToolCalls: out.calls, Annotations: []struct{}{}}
	if text != "" || len(out.calls) == 0 {
		msg.Content = &text
	}
	body := &completion{
		ID: out.id, Object: "chat.completion", Created: out.created, Model: out.model, Usage: out.usage,
		Choices:     []choice{{Message: msg, FinishReason: out.finish}},
		ServiceTier: "default", SystemFingerprint: fingerprint,
	}
	if out.trouble.halfAfter >= 0 {
		writeHalf(w, body)
	}
	if out.trouble.hangAfter > 0 {
		_ = wait(ctx, maxHang)
		panic(http.ErrAbortHandler)
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// validUTF8 is asked of every token before it is quoted by hand.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
