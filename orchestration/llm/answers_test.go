package llm_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

// FuzzAnswers: whatever a model server answers, or a proxy in its place, each
// way to ask ends, with words or with an error.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":63,\"function\":{\"name\":\"n\",\"arguments\":\"{\"}}]}}]}\r\n\r\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"mood\\\":\\\"well\\\"}\"},\"finish_reason\":\"length\"}]}\n\n",
		`{"choices":[{"message":{"content":"{\"mood\":\"well\"}"},"finish_reason":"stop"}]}`,
		`{"data":[{"index":0,"embedding":[0.5,1e40]}]}`, `{"data":[{"id":"gpt"},{"id":7}]}`,
		`{"error":{"code":"model_not_found","type":7,"param":"model"}}`, "<html>busy</html>", "data: {\"cho", "",
	} {
		for _, kind := range []string{"text/event-stream", "application/json", "text/html; charset=x"} {
			f.Add(kind, body)
		}
	}
	type mood struct {
		Mood string `json:"mood"`
	}
	schema := llm.SchemaOf[mood]("mood")
	f.Fuzz(func(t *testing.T, kind, body string) {
		c, err := llm.New(llm.Config{
			BaseURL: "http://localhost/v1", APIKey: testKey, Models: []string{"a"}, EmbeddingModel: "e", Log: slog.New(slog.DiscardHandler),
			FirstTokenDeadline: 5 * time.Second, Deadline: 10 * time.Second, Retries: -1,
			HTTPClient: &http.Client{Transport: sameAnswer{kind, body}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		hello := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}}
		res, err := c.Complete(ctx, hello)
		if err == nil && strings.TrimSpace(res.Text) == "" && len(res.ToolCalls) == 0 {
			t.Errorf("%q: a reply without a word", body)
		}
		if _, err := c.Passthrough(ctx, []byte(incoming), func(payload []byte) error {
			if !json.Valid(payload) {
				t.Errorf("%q: %q was passed on", body, payload)
			}
			return nil
		}); err == nil && body == "" {
			t.Error("nothing was passed on for an answer")
		}
		var m mood
		if err := c.Structured(ctx, hello, schema, &m); err != nil && m != (mood{}) {
			t.Errorf("%q: a bad answer was decoded: %+v", body, m)
		}
		if vectors, err := c.Embed(ctx, []string{"one"}); err == nil && (len(vectors) != 1 || len(vectors[0]) == 0) {
			t.Errorf("%q: vectors %v", body, vectors)
		}
		_, _ = c.Models(ctx) // any list of names will do
	})
}

// sameAnswer is a server that has one answer.
type sameAnswer struct{ kind, body string }

// RoundTrip implements [http.RoundTripper].
func (s sameAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {s.kind}},
		Body: io.NopCloser(strings.NewReader(s.body)), Request: r,
	}, nil
}
