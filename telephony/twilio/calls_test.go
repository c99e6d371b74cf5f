package twilio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var testRequest = CallRequest{To: testTo, From: testFrom, TwiML: "<Response/>"}

func TestCreateCallSendsEverything(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	c, s := serve(t, answerJSON(http.StatusCreated, wireCallAt("CA1", testFrom, created)))
	call, err := c.CreateCall(t.Context(), CallRequest{
		To: testTo, From: testFrom, TwiML: "<Response/>", StatusCallback: "https://h/status#rc=3",
		RingTimeout: 25*time.Second + time.Millisecond, TimeLimit: 20 * time.Minute, MachineCallback: "https://h/amd",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Call{
		SID: "CA1", Status: "queued", Direction: "outbound-api", To: testTo, From: testFrom, Created: created,
	}
	if diff := cmp.Diff(want, call); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
	wantSeen := []seen{{
		method: http.MethodPost, path: "/2010-04-01/Accounts/AC00/Calls.json", query: url.Values{},
		form: url.Values{
			"To": {testTo}, "From": {testFrom}, "Twiml": {"<Response/>"},
			"StatusCallback": {"https://h/status#rc=3"}, "StatusCallbackMethod": {"POST"},
			"StatusCallbackEvent": {"initiated", "ringing", "answered", "completed"},
			"Timeout":             {"26"}, "TimeLimit": {"1200"},
			"MachineDetection": {"DetectMessageEnd"}, "AsyncAmd": {"true"},
			"AsyncAmdStatusCallback": {"https://h/amd"}, "AsyncAmdStatusCallbackMethod": {"POST"},
		},
	}}
	if diff := cmp.Diff(wantSeen, s.requests(), cmp.AllowUnexported(seen{})); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestClasses is the specification of what a failure means.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		status, code int
		want         Class
	}{
		{"bad credentials", 401, 20003, ClassConfiguration},
		{"401 without a code", 401, 0, ClassConfiguration},
		{"forbidden", 403, 0, ClassConfiguration},
		{"not found", 404, 20404, ClassNotFound},
		{"404 without a code", 404, 0, ClassNotFound},
		{"too many requests", 429, 20429, ClassRetryable},
		{"429 without a code", 429, 0, ClassRetryable},
		{"their failure", 500, 0, ClassOutcomeUnknown},
		{"bad gateway", 502, 0, ClassOutcomeUnknown},
		{"request timeout", 408, 0, ClassOutcomeUnknown},
		{"invalid To", 400, 21211, ClassNumber},
		{"To unreachable", 400, 21214, ClassNumber},
		{"To not valid", 400, 21217, ClassNumber},
		{"From not owned", 400, 21210, ClassConfiguration},
		{"geo permission", 400, 21215, ClassConfiguration},
		{"geo permission, newer", 403, 32205, ClassConfiguration},
		{"geo permission, dial", 400, 13227, ClassConfiguration},
		{"trial account", 400, 21219, ClassConfiguration},
		{"not in progress", 400, 21220, ClassNotInProgress},
		{"queue over 24 h", 400, 22005, ClassConfiguration},
		{"unknown refusal", 400, 99999, ClassOther},
		{"redirect", 302, 0, ClassOther},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, answerError(tt.status, tt.code))
			_, err := c.CreateCall(t.Context(), testRequest)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("err = %v", err)
			}
			code := ""
			if tt.code != 0 {
				code = fmt.Sprintf("code %d", tt.code)
			}
			if e.Class != tt.want || e.HTTPStatus != tt.status || e.Status != code {
				t.Errorf("got class %v, status %d, %s; want class %v", e.Class, e.HTTPStatus, e.Status, tt.want)
			}
			if text := err.Error(); strings.Contains(text, "5550100") || strings.Contains(text, string(testSecret)) {
				t.Errorf("error tells too much: %s", text)
			}
		})
	}
}

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"json", `{"code":20404,"message":"gone","status":404}`, "op: HTTP 404: code 20404: gone"},
		{"newer json", `{"code":20404,"message":"gone","httpStatusCode":404,"userError":true}`, "op: HTTP 404: code 20404: gone"},
		{"code as text", `{"code":"20404","message":"gone"}`, "op: HTTP 404: gone"},
		{"html", `<html>not here</html>`, "op: HTTP 404: Not Found"},
		{"empty", ``, "op: HTTP 404: Not Found"},
		{"a number", `{"message":"no route to +1 555 010 0123"}`, "op: HTTP 404: no route to [number]"},
		{"sids stay", `{"message":"Calls/CA0f00000000000000000000000000000a"}`, "op: HTTP 404: Calls/CA0f00000000000000000000000000000a"},
	} {
		e := &Error{Op: "op", HTTPStatus: 404}
		if refused(e, []byte(tt.body)); e.Error() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, e, tt.want)
		}
	}
}

func TestRateLimitIsRetried(t *testing.T) {
	t.Parallel()
	limit := answerError(http.StatusTooManyRequests, 20429)
	done := answerJSON(http.StatusCreated, wireCallAt("CA1", testFrom, time.Now()))

	c, s := serve(t, limit, limit, done)
	if call, err := c.CreateCall(t.Context(), testRequest); err != nil || call.SID != "CA1" {
		t.Errorf("call %v, err %v", call.SID, err)
	}
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}

	c, s = serve(t, limit)
	if _, err := c.CreateCall(t.Context(), testRequest); ClassOf(err) != ClassRetryable {
		t.Errorf("err = %v", err)
	}
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}

	c, s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "60")
		limit(w, r)
	})
	if _, err := c.CreateCall(t.Context(), testRequest); ClassOf(err) != ClassRetryable {
		t.Errorf("err = %v", err)
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("asked to wait a minute: %d requests, want 1", n)
	}
}

func TestCancelWhileWaitingToRetry(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answerError(http.StatusTooManyRequests, 20429)(w, r)
	})
	c.rest.RetryWait = time.Minute
	time.AfterFunc(time.Second, cancel) // long after the answer
	_, err := c.CreateCall(ctx, testRequest)
	if !errors.Is(err, context.Canceled) || ClassOf(err) != ClassRetryable {
		t.Errorf("err = %v, class %v", err, ClassOf(err))
	}
}

func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"connection cut": hangUpOnClient,
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		},
		"answer cut short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"sid":`)) // cut on purpose
		},
		"html instead of a call": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`<html>`)) // the client checks
		},
		"no call in the answer": answerJSON(http.StatusCreated, map[string]any{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, handler)
			c.rest.Timeout = 2 * time.Second
			_, err := c.CreateCall(t.Context(), testRequest)
			if ClassOf(err) != ClassOutcomeUnknown {
				t.Errorf("err = %v, class %v", err, ClassOf(err))
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestNotSentIsRetryable(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	if err := l.Close(); err != nil { // nobody listens there now
		t.Fatal(err)
	}
	c, err := New(Config{AccountSID: testAccount, AuthSecret: testSecret, BaseURL: address, RetryWait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateCall(t.Context(), testRequest); ClassOf(err) != ClassRetryable {
		t.Errorf("err = %v, class %v", err, ClassOf(err))
	}
	if _, _, err := c.Number(t.Context(), testTo); err == nil || strings.Contains(err.Error(), "5550100") {
		t.Errorf("err = %v", err)
	}
}

func TestHangUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		ok      bool
		tries   int
	}{
		{"done", answerJSON(http.StatusOK, wireCallAt("CA1", testFrom, time.Now())), true, 1},
		{"gone already", answerError(http.StatusNotFound, 20404), true, 1},
		{"404 of any kind", answerJSON(http.StatusNotFound, nil), true, 1},
		{"not in progress", answerError(http.StatusBadRequest, 21220), true, 1},
		{"refused", answerError(http.StatusUnauthorized, 20003), false, 1},
		{"their failure is worth another try", answerError(http.StatusBadGateway, 0), false, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, tt.handler)
			if err := c.HangUp(t.Context(), "CA1"); (err == nil) != tt.ok {
				t.Errorf("err = %v", err)
			}
			got := s.requests()
			if len(got) != tt.tries {
				t.Fatalf("%d requests, want %d", len(got), tt.tries)
			}
			if got[0].path != "/2010-04-01/Accounts/AC00/Calls/CA1.json" || got[0].form.Get("Status") != "completed" {
				t.Errorf("request %+v", got[0])
			}
		})
	}
}

func TestRedirectAndGet(t *testing.T) {
	t.Parallel()
	c, s := serve(t, answerError(http.StatusBadRequest, 21220), answerJSON(http.StatusOK, map[string]any{
		"sid": "CA1", "status": "completed", "duration": "61", "answered_by": "human",
		"start_time": "Tue, 03 Mar 2026 09:00:00 +0000", "end_time": "Tue, 03 Mar 2026 09:01:01 +0000",
	}))
	if err := c.Redirect(t.Context(), "CA1", "<Response/>"); ClassOf(err) != ClassNotInProgress {
		t.Errorf("redirect: %v", err)
	}
	if got := s.requests()[0].form; got.Get("Twiml") != "<Response/>" {
		t.Errorf("form %v", got)
	}
	call, err := c.GetCall(t.Context(), "CA1")
	if err != nil || call.Status != StatusCompleted || call.Started != time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC) {
		t.Errorf("call %+v, err %v", call, err)
	}
	for _, sid := range []CallSID{"", "..", "."} {
		if err := c.HangUp(t.Context(), sid); err == nil {
			t.Errorf("hang up %q: no error", sid)
		}
	}
	if _, err := c.GetCall(t.Context(), "../Messages"); err != nil {
		t.Fatal(err)
	}
	if got := s.requests()[2].path; got != "/2010-04-01/Accounts/AC00/Calls/..%2FMessages.json" {
		t.Errorf("path %s", got)
	}
}

func TestAccountAndNumber(t *testing.T) {
	t.Parallel()
	c, s := serve(t,
		answerJSON(http.StatusOK, map[string]any{"sid": "AC00", "friendly_name": "n", "status": "active", "type": "Trial"}),
		answerJSON(http.StatusOK, map[string]any{"incoming_phone_numbers": []any{
			map[string]any{"sid": "PN0", "phone_number": testFrom + "0"},
			map[string]any{
				"sid": "PN1", "phone_number": testFrom, "voice_url": "https://h/voice", "voice_method": "POST",
				"capabilities": map[string]any{"voice": true, "sms": false},
			},
		}}),
		answerJSON(http.StatusOK, map[string]any{"incoming_phone_numbers": []any{}}),
	)
	if a, err := c.Account(t.Context()); err != nil || !a.Active() || !a.Trial() {
		t.Errorf("account %+v, err %v", a, err)
	}
	if n, found, err := c.Number(t.Context(), testFrom); err != nil || !found || !n.Capabilities.Voice || n.VoiceURL != "https://h/voice" {
		t.Errorf("number %+v, found %v, err %v", n, found, err)
	}
	if _, found, err := c.Number(t.Context(), testFrom); err != nil || found {
		t.Errorf("found %v, err %v", found, err)
	}
	got := s.requests()
	if got[0].path != "/2010-04-01/Accounts/AC00.json" || got[1].query.Get("PhoneNumber") != testFrom {
		t.Errorf("requests %+v", got)
	}
}

func TestNewReportsAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := New(Config{BaseURL: "http://api.twilio.com"})
	for _, want := range []string{"account SID", "auth secret", "loopback"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to mention %q", err, want)
		}
	}
	for _, base := range []string{"ftp://h", "https://", "https://u:p@h", "https://h?a=b", ":", "https://h#x"} {
		if _, err := New(Config{AccountSID: "AC", AuthSecret: "x", BaseURL: base}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: err = %v", base, err)
		}
	}
}

func TestSecretDoesNotPrint(t *testing.T) {
	t.Parallel()
	cfg := Config{AuthSecret: "hunter2"}
	js, err := json.Marshal(struct{ S Secret }{cfg.AuthSecret})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", slog.Any("secret", cfg.AuthSecret))
	all := fmt.Sprintf("%v %+v %#v %s %q %x", cfg, cfg, cfg, cfg.AuthSecret, cfg.AuthSecret, cfg.AuthSecret) + string(js) + log.String()
	if strings.Contains(all, "hunter2") || strings.Contains(all, "68756e") {
		t.Errorf("secret printed: %s", all)
	}
}
