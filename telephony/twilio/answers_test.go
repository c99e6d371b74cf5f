package twilio

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer: whatever the REST API answers, or a proxy in its place, each
// request ends with something usable or an error that keeps what is secret.
func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"sid":"CA1","status":"queued","to":"+15550100123","date_created":"Fri, 20 Nov 2026 12:00:00 +0000"}`)
	f.Add(200, `{"calls":[{"sid":"CA1","status":7,"to":[]}],"incoming_phone_numbers":[{"sid":"PN1","phone_number":null}]}`)
	f.Add(400, `{"code":21211,"message":"The 'To' number +1 555 010 0123 is not valid","status":400}`)
	f.Add(429, `<html>slow down</html>`)
	f.Add(404, `{"code":"20404","message":["x"]}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 100 || status > 599 {
			return
		}
		c, err := New(Config{
			AccountSID: "AC00", AuthSecret: "the-secret", BaseURL: "http://localhost", RetryWait: 1, LookWait: 1, Timeout: time.Minute,
			HTTPClient: &http.Client{Transport: says{status, body}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		for name, ask := range map[string]func() error{
			"account": func() error { _, err := c.Account(ctx); return err },
			"number":  func() error { _, _, err := c.Number(ctx, "+15550100999"); return err },
			"get":     func() error { _, err := c.GetCall(ctx, "CA1"); return err },
			"find":    func() error { _, err := c.FindCalls(ctx, "+15550100123", time.Unix(0, 0)); return err },
			"hang up": func() error { return c.HangUp(ctx, "CA1") },
			"place": func() error {
				call, err := c.PlaceCall(ctx, CallRequest{To: "+15550100123", From: "+15550100999", TwiML: "<Response/>"})
				if err == nil && call.SID == "" {
					t.Errorf("status %d, %q: a call without a name", status, body)
				}
				return err
			},
		} {
			err := ask()
			if err == nil {
				if (status < 200 || status > 299) && name != "hang up" { // a call that is gone is hung up
					t.Errorf("%s: status %d passed for success", name, status)
				}
				continue
			}
			for _, secret := range []string{"the-secret", "5550100123"} {
				if !strings.Contains(body, secret) && strings.Contains(err.Error(), secret) {
					t.Errorf("%s: the error says too much: %s", name, err)
				}
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
