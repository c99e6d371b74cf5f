package llm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
)

func TestStreamWire(t *testing.T) {
	t.Parallel()
	greeting := []string{"Guten", " Morgen, ", "Ada — ☕ wie", " geht's?"}
	want := strings.Join(greeting, "")
	plain := script("stop", greeting...)
	tests := []struct {
		name   string
		answer answer
		want   string
	}{
		{"as usual", says(greeting...), want},
		{"one byte a read", bytewise(plain, 1), want},
		{"seven bytes a read", bytewise(plain, 7), want},
		{"CRLF", bytewise(strings.ReplaceAll(plain, "\n", "\r\n"), 11), want},
		{"CR alone", pieces(strings.ReplaceAll(plain, "\n", "\r")), want},
		{"comments and other fields", pieces(": ping\n\nevent: x\nid: 4\nretry: 9\n" + strings.ReplaceAll(plain, "data:", ": keep\ndata:")), want},
		{"no blank after the colon", pieces(strings.ReplaceAll(plain, "data: ", "data:")), want},
		{"byte order mark", pieces("\ufeff" + plain), want},
		{"[DONE] missing", pieces(strings.TrimSuffix(plain, end)), want},
		{"last empty line missing", pieces(strings.TrimSuffix(strings.TrimSuffix(plain, usage+end), "\n\n")), want},
		{"finish reason missing", pieces(token(want) + end), want},
		{"unlabelled", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, plain)
		}, want},
		{"one broken chunk", pieces(token("Good "), "data: {\"choices\":[{\"del\n\n", token("morning."), event("{}", "stop"), end), "Good morning."},
		{"leading blanks", says("\n", " ", "\n Good morning."), "Good morning."},
		{"thought first", pieces(event(`{"reasoning_content":"hm"}`, ""), event(`{"content":null,"reasoning":"hm"}`, ""), token("Yes."), event("{}", "stop"), end), "Yes."},
		{"thought among parts", pieces(event(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, ""),
			event(`{"content":[{"type":"text","text":"Yes."}]}`, "stop"), end), "Yes."},
		{"whole, not streamed", page("application/json", `{"choices":[{"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`), "Yes."},
		{"a zero byte", says("Ye\x00s."), "Yes."},
		{"no usage, body left open after the end", hangs(token("Yes."), event("{}", "stop")), "Yes."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"m": tt.answer})
			var got []string
			res, err := s.client(t, nil, "m").Stream(t.Context(), ask(), collect(&got))
			if err != nil {
				t.Fatal(err)
			}
			if res.Text != tt.want || strings.Join(got, "") != tt.want {
				t.Errorf("said %q, result %q, want %q", got, res.Text, tt.want)
			}
			for _, d := range got {
				if !utf8.ValidString(d) || d == "" {
					t.Errorf("bad delta %q", d)
				}
			}
			if res.FinishReason != llm.FinishStop || res.Model != "m" || res.Attempts != 1 || res.TTFT <= 0 || res.Cause != nil {
				t.Errorf("got %+v", res)
			}
		})
	}
}

func TestStreamUsageAndRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": says("Hello.")})
	temperature := 0.5
	req := ask()
	req.MaxTokens = 40
	req.Temperature = &temperature
	req.Messages[1].Content = "line\none \"two\" \\ \x01 é \xff"
	res, err := s.client(t, nil, "m").Stream(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{Prompt: 12, Completion: 4, Total: 16}); res.Usage != want {
		t.Errorf("usage: got %+v, want %+v", res.Usage, want)
	}
	got := s.requests("m")[0]
	if want := "line\none \"two\" \\ \x01 é \uFFFD"; got.last() != want {
		t.Errorf("message: got %q, want %q", got.last(), want)
	}
	fields := make(map[string]string)
	for _, name := range []string{"max_tokens", "temperature", "stream_options"} {
		fields[name] = string(got.raw[name])
	}
	want := map[string]string{"max_tokens": "40", "temperature": "0.5", "stream_options": `{"include_usage":true}`}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
}

// Each token must leave before the next one comes.
func TestStreamPassesTokensOnAtOnce(t *testing.T) {
	t.Parallel()
	heard := make(chan string)
	s := serve(t, map[string]answer{"m": func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, tok := range []string{"One", " two", " three"} {
			_, _ = io.WriteString(w, token(tok))
			flush(w)
			select {
			case got := <-heard:
				if got != tok {
					t.Errorf("heard %q, want %q", got, tok)
				}
			case <-time.After(10 * time.Second):
				t.Errorf("%q was held back", tok)
			}
		}
		_, _ = io.WriteString(w, event("{}", "stop")+end)
	}})
	_, err := s.client(t, nil, "m").Stream(t.Context(), ask(), func(d llm.Delta) error {
		heard <- d.Text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStreamFailsOver(t *testing.T) {
	t.Parallel()
	html := "<!doctype html><html><body>502 from your friendly proxy</body></html>"
	tests := []struct {
		name  string
		first answer
		want  error // what the first model's failure matches
	}{
		{"500", status(500, `{"error":{"message":"boom"}}`), nil},
		{"500 as HTML", status(500, html), nil},
		{"429 with Retry-After", status(429, apiError("rate_limit_exceeded", ""), "Retry-After", "60"), nil},
		{"401", status(401, apiError("invalid_api_key", "")), nil},
		{"404", status(404, apiError("model_not_found", "")), nil},
		{"redirect", status(302, "", "Location", "/elsewhere"), nil},
		{"HTML", page("text/html; charset=utf-8", html), llm.ErrNotStream},
		{"HTML that calls itself a stream", page("text/event-stream", html), llm.ErrNotStream},
		{"other JSON", page("application/json", `{"hello":"world"}`), llm.ErrNoContent},
		{"half of a JSON", page("application/json", `{"choices":[{"message":{"cont`), llm.ErrBrokenChunk},
		{"JSON that calls itself a stream", page("text/event-stream", `{"hello":"world"}`), llm.ErrNotStream},
		{"empty 200", page("text/event-stream", ""), llm.ErrNoContent},
		{"204", status(204, ""), llm.ErrNoContent},
		{"only [DONE]", pieces(end), llm.ErrNoContent},
		{"only a role", pieces(role, event("{}", "stop"), end), llm.ErrNoContent},
		{"only blanks", says(" ", "\n", "\u200b"), llm.ErrNoContent},
		{"only thought", pieces(event(`{"reasoning_content":"hm"}`, ""), event("{}", "stop"), end), llm.ErrNoContent},
		{"only a refusal by the filter", pieces(event("{}", "content_filter"), end), llm.ErrNoContent},
		{"broken JSON", pieces("data: {\"choices\":[}\n\n", token("too late"), end), llm.ErrBrokenChunk},
		{"half a chunk", pieces(`data: {"choices":[{"delta":{"content":"Hel`), llm.ErrBrokenChunk},
		{"role, then gone", pieces(role), io.ErrUnexpectedEOF},
		{"torn down", cuts(role), nil},
		{"error in the stream", pieces(`data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n"), nil},
		{"endless line", func(w http.ResponseWriter, _ *http.Request, _ int) {
			_, _ = io.WriteString(w, "data: ")
			for range 40 {
				_, _ = io.WriteString(w, strings.Repeat("x", 64<<10))
			}
		}, llm.ErrTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"first": tt.first, "second": says("Good morning.")})
			var log bytes.Buffer
			var got []string
			c := s.client(t, func(cfg *llm.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) }, "first", "second")
			began := time.Now()
			res, err := c.Stream(t.Context(), ask(), collect(&got))
			if err != nil {
				t.Fatal(err)
			}
			if res.Text != "Good morning." || res.Model != "second" || res.Attempts != 2 {
				t.Errorf("got %+v", res)
			}
			if elapsed := time.Since(began); elapsed > 4*time.Second {
				t.Errorf("took %s: waited for the hedge", elapsed)
			}
			if got := log.String(); strings.Count(got, "model attempt failed") != 1 || !strings.Contains(got, "model=first") ||
				tt.want != nil && !strings.Contains(got, tt.want.Error()) {
				t.Errorf("want %v, logged:\n%s", tt.want, got)
			}
		})
	}
}

func TestStreamAllModelsFail(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{
		"first": status(401, apiError("invalid_api_key", "")), "second": page("text/html", "<html>"), "third": says(),
	})
	_, err := s.client(t, nil, "first", "second", "third").Stream(t.Context(), ask(), nil)
	if !errors.Is(err, llm.ErrAllModelsFailed) || !errors.Is(err, llm.ErrNotStream) || !errors.Is(err, llm.ErrNoContent) {
		t.Errorf("got %v", err)
	}
	all, ok := errors.AsType[*llm.AllModelsFailedError](err)
	if !ok || len(all.Failures) != 3 {
		t.Fatalf("got %#v", err)
	}
	if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Status != 401 || e.Code != "invalid_api_key" {
		t.Errorf("status: got %v", e)
	}
	for _, secret := range []string{testKey, s.URL, "127.0.0.1", "morning"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in %q", secret, err)
		}
	}
}

func TestStreamNobodyListens(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	s.Close()
	_, err := s.client(t, nil, "m").Stream(t.Context(), ask(), nil)
	if !errors.Is(err, llm.ErrAllModelsFailed) {
		t.Fatalf("got %v", err)
	}
}

func TestStreamRetriesWhatPasses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		first    answer
		requests int
	}{
		{"503 once", status(503, ""), 2},
		{"429 with a short wait", status(429, "", "Retry-After", "0.01"), 2},
		{"429 with a wait beyond the limit", status(429, "", "Retry-After", "3600"), 1},
		{"a refused key", status(401, ""), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"m": inTurn(tt.first, says("Hello."))})
			res, err := s.client(t, func(cfg *llm.Config) { cfg.Retries = 1 }, "m").Stream(t.Context(), ask(), nil)
			if n := len(s.requests("m")); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			if ok := tt.requests == 2; ok != (err == nil) || ok != (res.Text == "Hello.") {
				t.Errorf("got %q, %v", res.Text, err)
			}
		})
	}
}

func TestStreamHedgesTheSlow(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]answer{
		"no headers": hangs(), "a role": hangs(role), "thinking": hangs(role, event(`{"reasoning":"hm"}`, "")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := make(chan struct{})
			s := serve(t, map[string]answer{
				"slow": func(w http.ResponseWriter, r *http.Request, n int) { slow(w, r, n); close(left) },
				"fast": says("Good morning."),
			})
			c := s.client(t, func(cfg *llm.Config) { cfg.FailoverAfter = 200 * time.Millisecond }, "slow", "fast")
			res, err := c.Stream(t.Context(), ask(), nil)
			if err != nil || res.Text != "Good morning." || res.Model != "fast" || res.Attempts != 2 {
				t.Fatalf("got %+v, %v", res, err)
			}
			<-left // the loser was told to stop
		})
	}
}

func TestStreamDeadlines(t *testing.T) {
	t.Parallel()
	t.Run("first token", func(t *testing.T) {
		t.Parallel()
		s := serve(t, map[string]answer{"a": hangs(), "b": hangs(role)})
		_, err := s.client(t, func(cfg *llm.Config) {
			cfg.FailoverAfter, cfg.FirstTokenDeadline = 10*time.Millisecond, 60*time.Millisecond
		}, "a", "b").Stream(t.Context(), ask(), nil)
		late, ok := errors.AsType[*llm.TimeoutError](err)
		if !ok || late.What != "first token" || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, llm.ErrAllModelsFailed) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("whole reply, nothing said", func(t *testing.T) {
		t.Parallel()
		s := serve(t, map[string]answer{"a": hangs()})
		_, err := s.client(t, func(cfg *llm.Config) { cfg.Deadline = 50 * time.Millisecond }, "a").Stream(t.Context(), ask(), nil)
		if late, ok := errors.AsType[*llm.TimeoutError](err); !ok || late.What != "whole reply" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("whole reply, something said", func(t *testing.T) {
		t.Parallel()
		s := serve(t, map[string]answer{"a": hangs(token("Good"))})
		res, err := s.client(t, func(cfg *llm.Config) { cfg.Deadline = 2 * time.Second }, "a").Stream(t.Context(), ask(), nil)
		if err != nil || res.Text != "Good" || res.FinishReason != llm.FinishBroken || !errors.Is(res.Cause, context.DeadlineExceeded) {
			t.Errorf("got %+v, %v", res, err)
		}
	})
}

func TestStreamCallerLeaves(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	s := serve(t, map[string]answer{"m": func(w http.ResponseWriter, r *http.Request, n int) {
		hangs(token("Good"))(w, r, n)
		close(left)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := s.client(t, nil, "m").Stream(ctx, ask(), func(llm.Delta) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) || res.Text != "Good" || res.FinishReason != llm.FinishBroken {
		t.Errorf("got %+v, %v", res, err)
	}
	<-left
}

func TestStreamCallerLeavesBeforeTheFirstWord(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := serve(t, map[string]answer{"m": func(w http.ResponseWriter, r *http.Request, n int) {
		close(asked)
		hangs()(w, r, n)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	res, err := s.client(t, nil, "m").Stream(ctx, ask(), nil)
	if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrAllModelsFailed) || res.Text != "" {
		t.Errorf("got %+v, %v", res, err)
	}
}

// Many conversations share one client, and its buffers; none hears another's
// words.
func TestStreamsDoNotCross(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request, n int) {
		who := r.Header.Get("X-Who")
		if n%5 == 0 {
			cuts(token(who+" 1"), token(" 2"))(w, r, n)
			return
		}
		says(who+" 1", " 2", " 3", " 4")(w, r, n)
	}
	s := serve(t, map[string]answer{"m": echo})
	c := s.client(t, func(cfg *llm.Config) {
		cfg.MaxContinuations = -1
		cfg.HTTPClient = &http.Client{Transport: named{}}
	}, "m")
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			who := "caller" + strconv.Itoa(i)
			ctx := context.WithValue(t.Context(), named{}, who)
			for range 10 {
				res, err := c.Stream(ctx, ask(), nil)
				whole := who + " 1 2 3 4"
				if err != nil || (res.Text != whole && (res.FinishReason != llm.FinishBroken || !strings.HasPrefix(whole, res.Text))) {
					t.Errorf("%s got %q, %v", who, res.Text, err)
				}
			}
		})
	}
	wg.Wait()
	http.DefaultClient.CloseIdleConnections() // named sends by its transport
}

// named sends who is speaking, from the context, as a header.
type named struct{}

func (named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	who, _ := r.Context().Value(named{}).(string)
	r.Header.Set("X-Who", who)
	return http.DefaultTransport.RoundTrip(r)
}

func TestStreamListenerFails(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": says("One", " two", " three")})
	gone := errors.New("gone")
	var heard int
	res, err := s.client(t, nil, "m").Stream(t.Context(), ask(), func(llm.Delta) error {
		if heard++; heard == 2 {
			return gone
		}
		return nil
	})
	// What comes together is handed on together, so "three" may be in the second piece.
	if !errors.Is(err, gone) || !strings.HasPrefix(res.Text, "One two") || heard != 2 {
		t.Errorf("got %+v, %v after %d", res, err, heard)
	}
}

func TestStreamToolCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": pieces(
		event(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"end_call","arguments":""}}]}`, ""),
		event(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"reason\""}}]}`, ""),
		event(`{"tool_calls":[{"index":1,"id":"t2","function":{"name":"note","arguments":"{}"}}]}`, ""),
		event(`{"tool_calls":[{"index":0,"function":{"arguments":":\"done\"}"}}]}`, ""),
		event("{}", "tool_calls"), end,
	)})
	res, err := s.client(t, nil, "m").Stream(t.Context(), ask(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.ToolCall{{ID: "t1", Name: "end_call", Arguments: `{"reason":"done"}`}, {ID: "t2", Name: "note", Arguments: "{}"}}
	if diff := cmp.Diff(want, res.ToolCalls); diff != "" || res.FinishReason != llm.FinishToolCalls {
		t.Errorf("finish %q, diff %s", res.FinishReason, diff)
	}
}

// A parameter that the server does not know is left out, renamed or told in
// words, and that is remembered.
func TestStreamLearnsParameters(t *testing.T) {
	t.Parallel()
	picky := func(w http.ResponseWriter, r *http.Request, n int) {
		switch n {
		case 1:
			status(400, apiError("unsupported_parameter", "max_tokens"))(w, r, n)
		case 2:
			status(422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}`)(w, r, n)
		default:
			says("Hello.")(w, r, n)
		}
	}
	s := serve(t, map[string]answer{"m": picky})
	c := s.client(t, func(cfg *llm.Config) { cfg.MaxTokens = 99 }, "m")
	for range 2 {
		if res, err := c.Stream(t.Context(), ask(), nil); err != nil || res.Text != "Hello." {
			t.Fatalf("got %+v, %v", res, err)
		}
	}
	got := s.requests("m")
	if len(got) != 4 {
		t.Fatalf("%d requests, want 4", len(got))
	}
	last := got[3].raw
	if string(last["max_completion_tokens"]) != "99" || last["max_tokens"] != nil || last["stream_options"] != nil {
		t.Errorf("last request: %v", last)
	}
}

func TestStreamNeedsMessages(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	if _, err := s.client(t, nil, "m").Stream(t.Context(), llm.Request{}, nil); !errors.Is(err, llm.ErrNoMessages) {
		t.Errorf("got %v", err)
	}
}

func TestCompleteBroken(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": cuts(token("Half"))})
	res, err := s.client(t, func(cfg *llm.Config) { cfg.MaxContinuations = -1 }, "m").Complete(t.Context(), ask())
	if err == nil || res.Text != "Half" || res.FinishReason != llm.FinishBroken {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestNewNamesAllMistakes(t *testing.T) {
	t.Parallel()
	_, err := llm.New(llm.Config{BaseURL: "ftp://user:" + "pw@host", Deadline: -1, Models: []string{""}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"base URL", "deadline is negative", "model 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not mention %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "pw") {
		t.Errorf("%q holds a password", err)
	}
}
