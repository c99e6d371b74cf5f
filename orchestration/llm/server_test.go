package llm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

// answer is how a model of the stand-in replies to its n-th request, from 1.
type answer func(w http.ResponseWriter, r *http.Request, n int)

// server is a stand-in for a model server. It checks what it receives and
// keeps it.
type server struct {
	*httptest.Server
	mu   sync.Mutex // guards what follows
	got  map[string][]request
	seen []string // models in order of arrival
}

type request struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a string, or parts
	} `json:"messages"`
	raw map[string]json.RawMessage
}

func (r request) last() string {
	text, _ := r.Messages[len(r.Messages)-1].Content.(string)
	return text
}

const testKey = "sk-test-secret"

func serve(t *testing.T, models map[string]answer) *server {
	t.Helper()
	s := &server{got: make(map[string][]request)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		var req request
		if err := json.Unmarshal(body, &req); err != nil {
			t.Errorf("request is not JSON: %v\n%s", err, body)
		}
		_ = json.Unmarshal(body, &req.raw) // just decoded
		if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("authorization: got %q", got)
		}
		if r.URL.Path != "/v1/chat/completions" || !req.Stream {
			t.Errorf("got %s stream=%v, want a streamed chat", r.URL.Path, req.Stream)
		}
		s.mu.Lock()
		s.got[req.Model] = append(s.got[req.Model], req)
		s.seen = append(s.seen, req.Model)
		n := len(s.got[req.Model])
		s.mu.Unlock()
		reply, ok := models[req.Model]
		if !ok {
			t.Errorf("unexpected model %q", req.Model)
			return
		}
		reply(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests(model string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[model]
}

// client returns a client of s. Its limits are short, so that tests are.
func (s *server) client(t *testing.T, change func(*llm.Config), models ...string) *llm.Client {
	t.Helper()
	cfg := llm.Config{
		BaseURL: s.URL + "/v1", APIKey: testKey, Models: models, Retries: -1,
		FailoverAfter: 5 * time.Second, FirstTokenDeadline: 10 * time.Second, Deadline: 20 * time.Second,
	}
	if change != nil {
		change(&cfg)
	}
	c, err := llm.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// ask is a request that any model can answer.
func ask() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: "Be kind."},
		{Role: llm.RoleUser, Content: "Good morning."},
	}}
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// event is one event of the stream with this delta.
func event(delta, finish string) string {
	f := "null"
	if finish != "" {
		f = quote(finish)
	}
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1767225600,"model":"m","choices":[{"index":0,"delta":` +
		delta + `,"logprobs":null,"finish_reason":` + f + "}]}\n\n"
}

func token(text string) string { return event(`{"content":`+quote(text)+`}`, "") }

const (
	role  = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	usage = `data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":4,"total_tokens":16,"prompt_tokens_details":{"cached_tokens":8}}}` + "\n\n"
	end   = "data: [DONE]\n\n"
)

// script is a stream that says tokens, in events of their own, and finishes.
func script(finish string, tokens ...string) string {
	var b strings.Builder
	b.WriteString(role)
	for _, tok := range tokens {
		b.WriteString(token(tok))
	}
	return b.String() + event("{}", finish) + usage + end
}

// pieces sends a stream with a flush after each piece.
func pieces(parts ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range parts {
			_, _ = io.WriteString(w, p) // the client may have left
			flush(w)
		}
	}
}

func says(tokens ...string) answer { return pieces(script("stop", tokens...)) }

// inTurn answers the first request by the first answer, and so on; the last
// one stays.
func inTurn(answers ...answer) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		answers[min(n, len(answers))-1](w, r, n)
	}
}

func status(code int, body string, header ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// page answers 200 with a body of this type.
func page(kind, body string) answer { return status(http.StatusOK, body, "Content-Type", kind) }

// hangs sends what it has and then nothing, until the client leaves.
func hangs(parts ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		if len(parts) > 0 {
			pieces(parts...)(w, r, n)
		}
		<-r.Context().Done()
	}
}

// cuts sends what it has and then tears the connection down.
func cuts(parts ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		pieces(parts...)(w, r, n)
		panic(http.ErrAbortHandler)
	}
}

// bytewise sends body in reads of size bytes, so that characters and lines are
// cut anywhere.
func bytewise(body string, size int) answer {
	var parts []string
	for len(body) > size {
		parts = append(parts, body[:size])
		body = body[size:]
	}
	return pieces(append(parts, body)...)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// apiError is an error in the dialect's own form.
func apiError(code, param string) string {
	return fmt.Sprintf(`{"error":{"message":"Unsupported parameter: %s for key %s","type":"invalid_request_error","param":%s,"code":%s}}`,
		param, testKey, strconv.Quote(param), strconv.Quote(code))
}

// collect gathers deltas.
func collect(into *[]string) func(llm.Delta) error {
	return func(d llm.Delta) error {
		*into = append(*into, d.Text)
		return nil
	}
}
