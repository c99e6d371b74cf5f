package twilio

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

const (
	testAccount = AccountSID("AC00")
	testSecret  = Secret("s3cret-token")
	testTo      = "+15550100123"
	testFrom    = "+15550100999"
)

// seen is one request that the stand-in got.
type seen struct {
	method, path string
	query, form  url.Values
}

// standIn is a Twilio that answers with its handlers in turn, the last one for
// ever, and checks what every request must have.
type standIn struct {
	t        *testing.T
	handlers []http.HandlerFunc

	mu  sync.Mutex // guards got
	got []seen
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != string(testAccount) || password != string(testSecret) {
		s.t.Errorf("%s %s: wrong credentials", r.Method, r.URL.Path)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read body: %v", err)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		s.t.Errorf("body %q is not a form: %v", body, err)
	}
	if got := r.Header.Get("Content-Type"); r.Method == http.MethodPost && got != "application/x-www-form-urlencoded" {
		s.t.Errorf("Content-Type = %q", got)
	}
	s.mu.Lock()
	handler := s.handlers[min(len(s.got), len(s.handlers)-1)]
	s.got = append(s.got, seen{r.Method, r.URL.EscapedPath(), r.URL.Query(), form})
	s.mu.Unlock()
	handler(w, r)
}

func (s *standIn) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

// serve starts a stand-in and a client for it.
func serve(t *testing.T, handlers ...http.HandlerFunc) (*Client, *standIn) {
	t.Helper()
	s := &standIn{t: t, handlers: handlers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(Config{
		AccountSID: testAccount, AuthSecret: testSecret, BaseURL: server.URL, HTTPClient: server.Client(),
		Timeout: 5 * time.Second, RetryWait: time.Millisecond, LookWait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func answerJSON(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // the client may be gone
	}
}

func answerError(status, code int) http.HandlerFunc {
	return answerJSON(status, map[string]any{
		"code": code, "message": "no, not " + testTo, "status": status,
		"more_info": "https://www.twilio.com/docs/errors",
	})
}

// hangUpOnClient reads the request and cuts the connection.
func hangUpOnClient(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func wireCallAt(sid, from string, created time.Time) map[string]any {
	return map[string]any{
		"sid": sid, "status": "queued", "direction": "outbound-api", "to": testTo, "from": from,
		"date_created": created.UTC().Format(time.RFC1123Z), "start_time": nil, "end_time": nil,
		"duration": nil, "answered_by": nil, "queue_time": "0",
	}
}
