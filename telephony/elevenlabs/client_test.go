package elevenlabs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testKey = Secret("xi-hunter2")

// standIn is an ElevenLabs that answers with its handlers in turn, the last
// one for ever, and checks what every request must have.
type standIn struct {
	t        *testing.T
	handlers []http.HandlerFunc

	mu  sync.Mutex // guards got
	got []string   // method, target and body
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Xi-Api-Key") != string(testKey) {
		s.t.Errorf("%s %s: wrong key", r.Method, r.URL.Path)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read body: %v", err)
	}
	if len(body) > 0 && (!json.Valid(body) || r.Header.Get("Content-Type") != "application/json") {
		s.t.Errorf("body is not JSON: %s", body)
	}
	s.mu.Lock()
	handler := s.handlers[min(len(s.got), len(s.handlers)-1)]
	s.got = append(s.got, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
	s.mu.Unlock()
	handler(w, r)
}

func (s *standIn) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

func serve(t *testing.T, handlers ...http.HandlerFunc) (*Client, *standIn) {
	t.Helper()
	s := &standIn{t: t, handlers: handlers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(Config{
		APIKey: testKey, BaseURL: server.URL + "/", HTTPClient: server.Client(),
		Timeout: 5 * time.Second, RetryWait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may be gone
	}
}

// TestRequests runs each method against a good answer and checks what it sent.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, want string
		run                func(context.Context, *Client) (any, error)
		result             any
	}{
		{
			"signed URL", `{"signed_url":"wss://api.elevenlabs.io/c?agent_id=a&conversation_signature=s"}`,
			"GET /v1/convai/conversation/get-signed-url?agent_id=agent+1",
			func(ctx context.Context, c *Client) (any, error) { return c.SignedURL(ctx, "agent 1") },
			Secret("wss://api.elevenlabs.io/c?agent_id=a&conversation_signature=s"),
		},
		{
			"create agent", `{"agent_id":"agent_1"}`, `POST /v1/convai/agents/create {"name":"n"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.CreateAgent(ctx, Document{"name": "n"}) }, AgentID("agent_1"),
		},
		{
			"get agent", `{"agent_id":"agent_1","name":"n"}`, "GET /v1/convai/agents/agent_1",
			func(ctx context.Context, c *Client) (any, error) { return c.GetAgent(ctx, "agent_1") },
			Agent{ID: "agent_1", Name: "n", Config: Document{"agent_id": "agent_1", "name": "n"}},
		},
		{
			"update agent", `{"name":"m"}`, `PATCH /v1/convai/agents/agent_1 {"name":"m"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.UpdateAgent(ctx, "agent_1", Document{"name": "m"})
			},
			Agent{ID: "agent_1", Name: "m", Config: Document{"name": "m"}},
		},
		{
			"find agents", `{"agents":[{"agent_id":"agent_1","name":"n","x":1}]}`, "GET /v1/convai/agents?page_size=30&search=n",
			func(ctx context.Context, c *Client) (any, error) { return c.FindAgents(ctx, "n") },
			[]AgentSummary{{"agent_1", "n"}},
		},
		{
			"list secrets", `{"secrets":[{"secret_id":"sec_1","name":"n"}]}`, "GET /v1/convai/secrets",
			func(ctx context.Context, c *Client) (any, error) { return c.Secrets(ctx) },
			[]SecretInfo{{"sec_1", "n"}},
		},
		{
			"create secret", `{"secret_id":"sec_1"}`, `POST /v1/convai/secrets {"name":"n","type":"new","value":"v"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.CreateSecret(ctx, "n", "v") }, SecretID("sec_1"),
		},
		{
			"update secret", `{}`, `PATCH /v1/convai/secrets/sec_1 {"name":"n","type":"update","value":"v"}`,
			func(ctx context.Context, c *Client) (any, error) { return nil, c.UpdateSecret(ctx, "sec_1", "n", "v") }, nil,
		},
		{
			"list webhooks", `{"webhooks":[{"webhook_id":"wh_1","name":"n","webhook_url":"https://h","is_auto_disabled":true,"most_recent_failure_error_code":null}]}`,
			"GET /v1/workspace/webhooks",
			func(ctx context.Context, c *Client) (any, error) { return c.Webhooks(ctx) },
			[]Webhook{{ID: "wh_1", Name: "n", URL: "https://h", AutoDisabled: true}},
		},
		{
			"create webhook", `{"webhook_id":"wh_1","webhook_secret":"wsec"}`,
			`POST /v1/workspace/webhooks {"settings":{"auth_type":"hmac","name":"n","webhook_url":"https://h"}}`,
			func(ctx context.Context, c *Client) (any, error) {
				id, secret, err := c.CreateWebhook(ctx, "n", "https://h")
				return string(id) + " " + string(secret), err
			}, "wh_1 wsec",
		},
		{
			"update webhook", `{}`, `PATCH /v1/workspace/webhooks/wh_1 {"is_disabled":false,"name":"n","retry_enabled":true}`,
			func(ctx context.Context, c *Client) (any, error) {
				return nil, c.UpdateWebhook(ctx, "wh_1", "n", false, true)
			}, nil,
		},
		{
			"subscription", `{"tier":"creator","status":"active","character_count":5,"character_limit":5}`, "GET /v1/user/subscription",
			func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Subscription(ctx)
				return s.Tier + " " + strconv.FormatBool(s.Exhausted()), err
			}, "creator true",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answer(http.StatusOK, tt.answer))
			got, err := tt.run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.result, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.want}, s.requests()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			c, _ = serve(t, answer(http.StatusUnauthorized, `{"detail":{"status":"invalid_api_key","message":"bad"}}`))
			if _, err := tt.run(t.Context(), c); ClassOf(err) != ClassConfiguration {
				t.Errorf("bad key: err = %v", err)
			}
			c, _ = serve(t, answer(http.StatusOK, `<html>`))
			_, err = tt.run(t.Context(), c)
			if readsAnswer := tt.result != nil; (ClassOf(err) == ClassUnavailable) != readsAnswer {
				t.Errorf("html: err = %v", err)
			}
		})
	}
}

func TestAnswersThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*Client) error{
		"signed URL": func(c *Client) error { _, err := c.SignedURL(t.Context(), "a"); return err },
		"agent":      func(c *Client) error { _, err := c.CreateAgent(t.Context(), Document{}); return err },
		"secret":     func(c *Client) error { _, err := c.CreateSecret(t.Context(), "n", "v"); return err },
		"webhook":    func(c *Client) error { _, _, err := c.CreateWebhook(t.Context(), "n", "u"); return err },
	} {
		c, _ := serve(t, answer(http.StatusOK, `{"signed_url":"ws://example.org/x","webhook_id":"w"}`))
		if err := run(c); ClassOf(err) != ClassUnavailable || strings.Contains(err.Error(), "example.org") {
			t.Errorf("%s: err = %v", name, err)
		}
	}
	c, s := serve(t, answer(http.StatusOK, `{}`))
	for _, id := range []string{"", ".."} {
		_, err1 := c.GetAgent(t.Context(), AgentID(id))
		for _, err := range []error{
			err1, c.UpdateSecret(t.Context(), SecretID(id), "n", "v"), c.UpdateWebhook(t.Context(), WebhookID(id), "n", false, true),
		} {
			if ClassOf(err) != ClassInvalid {
				t.Errorf("id %q: err = %v", id, err)
			}
		}
	}
	if len(s.requests()) != 0 {
		t.Errorf("sent %v", s.requests())
	}
}

func refusal(status int, body string) *Error {
	e := &Error{Op: "op", HTTPStatus: status}
	refused(e, []byte(body))
	return e
}

// TestErrors is the specification of what a refusal means.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status     int
		body, text string
		class      Class
	}{
		{401, `{"detail":{"status":"invalid_api_key","message":"bad key"}}`, "op: HTTP 401: invalid_api_key: bad key", ClassConfiguration},
		{401, `{"detail":{"status":"quota_exceeded","message":"empty"}}`, "op: HTTP 401: quota_exceeded: empty", ClassBilling},
		{400, `{"detail":{"status":"voice_not_found","message":"who"}}`, "op: HTTP 400: voice_not_found: who", ClassConfiguration},
		{403, `{"detail":"not allowed"}`, "op: HTTP 403: not allowed", ClassConfiguration},
		{404, `{"detail":"Not Found"}`, "op: HTTP 404: Not Found", ClassNotFound},
		{
			422, `{"detail":[{"loc":["body","conversation_config",0],"msg":"too long","type":"value_error"},7]}`,
			"op: HTTP 422: body.conversation_config.0: too long", ClassInvalid,
		},
		{429, `{"detail":{"status":"system_busy","message":"later"}}`, "op: HTTP 429: system_busy: later", ClassBusy},
		{429, ``, "op: HTTP 429: Too Many Requests", ClassBusy},
		{400, `{"detail":{"code":"concurrent_limit_exceeded"}}`, "op: HTTP 400: concurrent_limit_exceeded", ClassBusy},
		{402, `{"detail":null}`, "op: HTTP 402: Payment Required", ClassBilling},
		{400, `{"detail":5}`, "op: HTTP 400: Bad Request", ClassInvalid},
		{502, `<html>`, "op: HTTP 502: Bad Gateway", ClassUnavailable},
		{302, ``, "op: HTTP 302: Found", ClassOther},
	} {
		err := refusal(tt.status, tt.body)
		if err.Error() != tt.text || err.Class != tt.class {
			t.Errorf("%d %s: got %q, %v; want %q, %v", tt.status, tt.body, err, err.Class, tt.text, tt.class)
		}
	}
	if long := refusal(400, `{"detail":"`+strings.Repeat("é", 1000)+`"}`).Error(); len(long) > 400 {
		t.Errorf("%d bytes of message", len(long))
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	good := answer(http.StatusOK, `{"agent_id":"a","secret_id":"s"}`)
	busy, broken := answer(http.StatusTooManyRequests, ``), answer(http.StatusBadGateway, ``)
	cut := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	read := func(c *Client) error { _, err := c.GetAgent(t.Context(), "a"); return err }
	write := func(c *Client) error { _, err := c.CreateSecret(t.Context(), "n", "v"); return err }
	for _, tt := range []struct {
		name     string
		handlers []http.HandlerFunc
		run      func(*Client) error
		class    Class
		tries    int
	}{
		{"busy, then well", []http.HandlerFunc{busy, busy, good}, write, ClassOther, 3},
		{"busy for ever", []http.HandlerFunc{busy}, write, ClassBusy, 3},
		{"a read outlasts their failure", []http.HandlerFunc{broken, cut, good}, read, ClassOther, 3},
		{"a write does not", []http.HandlerFunc{broken, good}, write, ClassUnavailable, 1},
		{"nor a lost answer", []http.HandlerFunc{cut, good}, write, ClassUnavailable, 1},
		{"asked to wait too long", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "60")
			busy(w, r)
		}}, read, ClassBusy, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, tt.handlers...)
			if err := tt.run(c); ClassOf(err) != tt.class || (err == nil) != (tt.class == ClassOther) {
				t.Errorf("err = %v", err)
			}
			if n := len(s.requests()); n != tt.tries {
				t.Errorf("%d requests, want %d", n, tt.tries)
			}
		})
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	c, _ := serve(t, hang)
	c.rest.Timeout = 20 * time.Millisecond
	_, err := c.SignedURL(t.Context(), "a")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Errorf("err = %v", err)
	}
	c, _ = serve(t, answer(http.StatusTooManyRequests, ``))
	c.rest.RetryWait = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel) // long after the answer
	if _, err := c.SignedURL(ctx, "a"); !errors.Is(err, context.Canceled) || ClassOf(err) != ClassBusy {
		t.Errorf("err = %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := New(Config{BaseURL: "http://api.elevenlabs.io"})
	for _, want := range []string{"API key", "loopback"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to mention %q", err, want)
		}
	}
	for _, base := range []string{"ftp://h", "https://", "https://u:p@h", "https://h?a=b", ":"} {
		if _, err := New(Config{APIKey: "k", BaseURL: base}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: err = %v", base, err)
		}
	}
	if _, err := New(Config{APIKey: "k"}); err != nil {
		t.Error(err)
	}
}

func TestSecretDoesNotPrint(t *testing.T) {
	t.Parallel()
	cfg := Config{APIKey: "hunter2"}
	js, err := json.Marshal(struct{ S Secret }{cfg.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", slog.Any("secret", cfg.APIKey))
	all := fmt.Sprintf("%v %+v %#v %s %q %x", cfg, cfg, cfg, cfg.APIKey, cfg.APIKey, cfg.APIKey) + string(js) + log.String()
	if strings.Contains(all, "hunter2") || strings.Contains(all, "68756e") {
		t.Errorf("secret printed: %s", all)
	}
}

// FuzzDecodeError: no answer makes a refusal unreadable.
func FuzzDecodeError(f *testing.F) {
	f.Add(422, []byte(`{"detail":[{"loc":["a",1,null],"msg":"m"}]}`))
	f.Add(500, []byte(`{"detail":{"status":1}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if e := refusal(status, string(body)); !strings.HasPrefix(e.Error(), "op") || len(e.Message) > 2*maxFields*(300+4) {
			t.Errorf("got %q", e)
		}
	})
}
