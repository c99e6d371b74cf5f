package elevenlabs

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// FuzzAnswer: whatever the REST API answers, or a proxy in its place, each
// request ends with something usable or an error that keeps what is secret.
func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"signed_url":"wss://api.elevenlabs.io/v1/convai/conversation?conversation_signature=s"}`)
	f.Add(200, `{"agent_id":"a","name":7,"conversation_config":{}}`)
	f.Add(200, `{"secrets":[{}],"webhooks":[{"webhook_id":1}],"agents":null}`)
	f.Add(200, `{"signed_url":"ws://evil.example.org/"}`)
	f.Add(422, `{"detail":[{"loc":["body",0],"msg":"x"}]}`)
	f.Add(502, `<html>`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 100 || status > 599 {
			return
		}
		c, err := New(Config{APIKey: "the-secret", BaseURL: "http://localhost", RetryWait: 1, HTTPClient: &http.Client{
			Transport: says{status, body}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		for name, ask := range map[string]func() error{
			"signed url": func() error {
				address, err := c.SignedURL(ctx, "agent_1")
				if err != nil {
					return err
				}
				if u, err := url.Parse(string(address)); err != nil || u.Scheme != "wss" && !rest.IsLoopback(u.Hostname()) {
					t.Errorf("%q would be dialled", address)
				}
				return nil
			},
			"agent":       func() error { _, err := c.GetAgent(ctx, "agent_1"); return err },
			"create":      func() error { _, err := c.CreateAgent(ctx, Document{}); return err },
			"secrets":     func() error { _, err := c.Secrets(ctx); return err },
			"webhooks":    func() error { _, err := c.Webhooks(ctx); return err },
			"new webhook": func() error { _, _, err := c.CreateWebhook(ctx, "n", "https://h"); return err },
			"agents":      func() error { _, err := c.FindAgents(ctx, "n"); return err },
			"plan":        func() error { _, err := c.Subscription(ctx); return err },
		} {
			err := ask()
			if err == nil && (status < 200 || status > 299) {
				t.Errorf("%s: status %d passed for success", name, status)
			}
			if err != nil && !strings.Contains(body, "the-secret") && strings.Contains(err.Error(), "the-secret") {
				t.Errorf("%s: the error says too much: %s", name, err)
			}
		}
	})
}

// says is a server that has one answer.
type says struct {
	status int
	body   string
}

// RoundTrip implements [http.RoundTripper].
func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body)), Request: r}, nil
}
