package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/telephony/twilio"
)

const (
	testToken  = "twilio-token-hunter2"
	testBearer = "llm-secret-hunter2"
)

// house is a stand-in for a running server and the proxy before it.
type house struct {
	url      string                      // how it is known to itself
	instance string                      // what /healthz tells
	other    map[string]http.HandlerFunc // in place of the real thing
	open     bool                        // lets everybody stream
}

func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if other := h.other[r.URL.Path]; other != nil {
		other(w, r)
		return
	}
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, h.instance)
	case "/v1/chat/completions", "/v1/models":
		if r.Header.Get("Authorization") != "Bearer "+testBearer {
			http.Error(w, `{"error":{}}`, http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"naiber"}]}`)
	case streamPath:
		v, err := twilio.NewVerifier(twilio.VerifierConfig{PublicURL: h.url, Tokens: []twilio.Secret{testToken}})
		if err != nil || !h.open && v.Upgrade(r) != nil {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		_, _, _ = conn.Read(r.Context()) // until it is closed
		_ = conn.CloseNow()
	default:
		http.NotFound(w, r)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func TestPublic(t *testing.T) {
	t.Parallel()
	shut := []want{{Skip, "not right"}, {Skip, "not right"}}
	fine := []want{{OK, "leads here"}, {OK, "signature"}, {OK, "shut"}}
	with := func(i int, w want) []want {
		all := append([]want(nil), fine...)
		all[i] = w
		return all
	}
	answer := func(path string, code int) func(*house, *Public) {
		return func(h *house, _ *Public) { h.other = map[string]http.HandlerFunc{path: status(code)} }
	}
	tests := []struct {
		name   string
		change func(*house, *Public)
		want   []want // address, stream, endpoint
	}{
		{"as it should be", func(*house, *Public) {}, fine},
		{"taken to run", func(_ *house, p *Public) { p.LocalURL = "" }, fine},
		{"no address", func(_ *house, p *Public) { p.URL = "" }, append([]want{{Fail, "PUBLIC_URL"}}, shut...)},
		{"plain http", func(_ *house, p *Public) { p.URL = "http://naiber.example.org" }, append([]want{{Fail, "plain http"}}, shut...)},
		{"another scheme", func(_ *house, p *Public) { p.URL = "ftp://naiber.example.org" }, append([]want{{Fail, "neither"}}, shut...)},
		{"with a password", func(_ *house, p *Public) { p.URL = "https://u:hunter2@h" }, append([]want{{Fail, "more than"}}, shut...)},
		{"not an address", func(_ *house, p *Public) { p.URL = "https://u:hunter2@%" }, append([]want{{Fail, "not an address"}}, shut...)},
		{"loopback, for the real Twilio", func(_ *house, p *Public) { p.Outside = true }, append([]want{{Fail, "loopback|tunnel"}}, shut...)},
		{"not running", func(_ *house, p *Public) { p.LocalURL = closed() }, []want{{Warn, "does not run"}, {Skip, "does not run"}, {Skip, "does not run"}}},
		{
			"nobody at the address", func(_ *house, p *Public) { p.URL = closed() },
			[]want{{Fail, "cannot be reached"}, {Fail, "refused"}, {Fail, "refused"}},
		},
		{"the proxy has nobody", answer("/healthz", 502), []want{{Warn, "does not run"}, {Skip, "does not run"}, {Skip, "does not run"}}},
		{"stream is not there", answer(streamPath, 404), with(1, want{Fail, "404|WebSockets"})},
		{"the proxy takes no upgrade", answer(streamPath, 400), with(1, want{Fail, "400|WebSockets"})},
		{"about to stop", answer(streamPath, 503), with(1, want{Warn, "about to stop"})},
		{"refuses every signature", answer(streamPath, 403), with(1, want{Fail, "good signature|TWILIO_AUTH_TOKEN"})},
		{"knows itself by another address", func(h *house, _ *Public) { h.url = "https://other.example.org" }, with(1, want{Fail, "good signature|PUBLIC_URL"})},
		{"lets everybody stream", func(h *house, _ *Public) { h.open = true }, with(1, want{Fail, "wrong signature was let in"})},
		{"nothing to sign with", func(_ *house, p *Public) { p.TwilioToken = "" }, with(1, want{Skip, "TWILIO_AUTH_TOKEN"})},
		{"endpoint is not there", answer("/v1/chat/completions", 404), with(2, want{Fail, "404"})},
		{"endpoint is open", answer("/v1/chat/completions", 200), with(2, want{Fail, "a stranger"})},
		{"endpoint is broken", answer("/v1/chat/completions", 502), with(2, want{Fail, "502"})},
		{"models are not there", answer("/v1/models", 404), with(2, want{Fail, "404"})},
		{"another secret", func(_ *house, p *Public) { p.LLMSecret = "some-other-hunter2" }, with(2, want{Fail, "bearer is refused|NAIBER_LLM_SECRET"})},
		{"no secret", func(_ *house, p *Public) { p.LLMSecret = "" }, with(2, want{Fail, "NAIBER_LLM_SECRET"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &house{instance: "ok one"}
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			h.url = s.URL
			p := Public{URL: s.URL + "/", LocalURL: s.URL, LLMSecret: testBearer, TwilioToken: testToken}
			tt.change(h, &p)
			for i, c := range p.Checks() {
				tt.want[i].check(t, find(t, c), "hunter2")
			}
		})
	}
}

func TestPublicLeadsElsewhere(t *testing.T) {
	t.Parallel()
	local := httptest.NewServer(&house{instance: "ok one"})
	t.Cleanup(local.Close)
	tests := []struct {
		name   string
		health http.HandlerFunc
		want   want
	}{
		{"another of us", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok two") }, want{Warn, "another process"}},
		{"somebody else", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, want{Fail, "other than nAIber"}},
		{"a redirect", http.RedirectHandler("/elsewhere", http.StatusFound).ServeHTTP, want{Fail, "redirects"}},
		{"a bad gateway", status(502), want{Fail, "502"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(tt.health)
			t.Cleanup(s.Close)
			p := Public{URL: s.URL, LocalURL: local.URL, HTTPClient: s.Client()}
			tt.want.check(t, find(t, p.Checks()[0]))
		})
	}
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewTLSServer(&house{instance: "ok one"})
		t.Cleanup(s.Close)
		want{Fail, "certificate"}.check(t, find(t, Public{URL: s.URL, LocalURL: local.URL}.Checks()[0]))
	})
}
