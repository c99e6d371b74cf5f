package model_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/model"
)

// with is a hook that has one fault on.
func with(name, value string) func(string) (string, bool) {
	return func(asked string) (string, bool) { return value, asked == name }
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, fault, value string
		status             int
		stream             []string // in a streamed answer
		not                []string // not in it
		broken             bool
	}{
		{"error", faults.ModelError, "", 500, []string{`"type":"server_error"`}, nil, false},
		{"rate limit", faults.ModelError, "429", 429, []string{`"rate_limit_exceeded"`}, nil, false},
		{"nonsense status", faults.ModelError, "7", 500, []string{`"error"`}, nil, false},
		{"web page", faults.ModelHTML, "", 200, []string{"<!DOCTYPE html>"}, []string{"choices"}, false},
		{"gateway's web page", faults.ModelHTML, "502", 502, []string{"<html>"}, nil, false},
		{"empty", faults.ModelEmpty, "", 200, []string{`"finish_reason":"stop"`, "[DONE]"}, []string{`"delta":{"content"`}, false},
		{"cut by length", faults.ModelLength, "2", 200, []string{`"finish_reason":"length"`, "[DONE]"}, nil, false},
		{"half a chunk", faults.ModelHalfChunk, "2", 200, []string{`" and th`}, []string{"[DONE]"}, true},
		{"half a chunk after the end", faults.ModelHalfChunk, "900", 200, []string{`" and th`}, []string{"[DONE]"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, model.Config{Faults: with(tt.fault, tt.value)})
			resp, err := send(t.Context(), srv, "/v1/chat/completions", hello+`,"stream":true}`)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if (err != nil) != tt.broken {
				t.Errorf("reading ended with %v, want broken %v", err, tt.broken)
			}
			if resp.StatusCode != tt.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
			}
			for _, want := range tt.stream {
				if !strings.Contains(string(body), want) {
					t.Errorf("no %q in %s", want, body)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(string(body), not) {
					t.Errorf("%q in %s", not, body)
				}
			}
		})
	}
}

func TestHalfAPlainAnswerIsABrokenBody(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{Faults: with(faults.ModelHalfChunk, "")})
	resp, err := send(t.Context(), srv, "/v1/chat/completions", hello+`}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading ended with %v", err)
	}
}

func TestHangEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"before the headers": "", "in the stream": "2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, model.Config{Faults: with(faults.ModelHang, value)})
			ctx, cancel := context.WithTimeout(t.Context(), 80*time.Millisecond)
			defer cancel()
			resp, err := send(ctx, srv, "/v1/chat/completions", hello+`,"stream":true}`)
			if value == "" {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got %v, %v", resp, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if !errors.Is(err, context.DeadlineExceeded) || strings.Count(string(body), `"delta":{"content"`) != 2 {
				t.Errorf("ended with %v after %s", err, body)
			}
		})
	}
}

func TestSlowModelIsSlow(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{Faults: with(faults.SlowModel, "60")})
	for path, body := range map[string]string{"/v1/chat/completions": hello + `}`, "/v1/embeddings": `{"model":"m","input":"a"}`} {
		began := time.Now()
		if resp := post(t, srv, path, body); resp.status != http.StatusOK || time.Since(began) < 60*time.Millisecond {
			t.Errorf("%s: after %v: %+v", path, time.Since(began), resp)
		}
	}
}
