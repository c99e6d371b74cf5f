package llm_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
)

func TestSamplingIsPassedOn(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": says("Hello.")})
	req := ask()
	topP, penalty := 0.9, 1.1
	req.TopP, req.TopK, req.RepeatPenalty = &topP, 40, &penalty
	if _, err := s.client(t, nil, "m").Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	raw := s.requests("m")[0].raw
	for name, want := range map[string]string{"top_p": "0.9", "top_k": "40", "repeat_penalty": "1.1"} {
		if got := string(raw[name]); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}

// OpenAI's own server refuses what it does not know, one request at a time.
func TestSamplingThatIsRefusedIsLeftOut(t *testing.T) {
	t.Parallel()
	refusal := func(names string) answer {
		return status(http.StatusBadRequest,
			`{"error":{"message":"Unrecognized request arguments supplied: `+names+`","type":"invalid_request_error","param":null,"code":null}}`)
	}
	s := serve(t, map[string]answer{"m": inTurn(refusal("top_k, repeat_penalty"), refusal("repeat_penalty"), says("Hello."))})
	c := s.client(t, nil, "m")
	req := ask()
	topP, penalty := 0.9, 1.1
	req.TopP, req.TopK, req.RepeatPenalty = &topP, 40, &penalty
	for range 2 {
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	got := s.requests("m")
	if len(got) != 4 {
		t.Fatalf("%d requests, want two refused and two served", len(got))
	}
	for _, r := range got[2:] {
		if r.raw["top_k"] != nil || r.raw["repeat_penalty"] != nil || string(r.raw["top_p"]) != "0.9" {
			t.Errorf("sent %v after the refusals", r.raw)
		}
	}
}

func TestCutIsNotContinued(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": pieces(script("length", "A walk in"))})
	req := ask()
	req.MaxTokens, req.Cut = 3, true
	res, err := s.client(t, nil, "m").Complete(t.Context(), req)
	if err != nil || res.FinishReason != llm.FinishLength || res.Text != "A walk in" || len(s.requests("m")) != 1 {
		t.Errorf("got %+v, %v after %d requests", res, err, len(s.requests("m")))
	}
}

func TestProps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		status     int
		want       llm.Props
		err        error
	}{
		{"as it is today", `{"default_generation_settings":{"n_ctx":8192},"model_alias":"kind-7b","model_path":"/m/kind.gguf"}`, 200, llm.Props{ContextWindow: 8192, ModelAlias: "kind-7b"}, nil},
		{"a model without an alias", `{"default_generation_settings":{"n_ctx":4096},"model_path":"/m/kind.gguf"}`, 200, llm.Props{ContextWindow: 4096, ModelAlias: "kind.gguf"}, nil},
		{"an object of something else", `{"ok":true}`, 200, llm.Props{}, llm.ErrNoProps},
		{"a page", `<html>`, 200, llm.Props{}, llm.ErrBrokenChunk},
		{"no such address", `{}`, 404, llm.Props{}, new(llm.StatusError)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/props" || r.Header.Get("Authorization") != "Bearer "+testKey {
					t.Errorf("asked %s with %q", r.URL.Path, r.Header.Get("Authorization"))
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(srv.Close)
			c, err := llm.New(llm.Config{BaseURL: srv.URL + "/v1", APIKey: testKey, Models: []string{"m"}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			got, err := c.Props(t.Context())
			if got != tt.want {
				t.Errorf("props = %+v, want %+v", got, tt.want)
			}
			if _, ok := errors.AsType[*llm.StatusError](err); !errors.Is(err, tt.err) && !ok {
				t.Errorf("error = %v, want %v", err, tt.err)
			}
		})
	}
}
