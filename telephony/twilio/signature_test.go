package twilio

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const vectorToken = Secret("12345")

// TestSignVectors: values computed independently, for auth token 12345.
func TestSignVectors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		address string
		form    url.Values
		want    string
	}{
		{"https://naiber.example.org/twilio/status", url.Values{"CallStatus": {"completed"}, "CallSid": {"CA123"}}, "wA6+/bgAgsoI9kXyZ352cutoWKY="},
		{"wss://naiber.example.org/media", nil, "H4/P7LucoVPnUQ7Kg1Fd4cxT0GE="},
		{"wss://naiber.example.org/media/", nil, "ZtrHuRHG/cICg0nBnxyp3pZuRr8="},
		{"wss://naiber.example.org:443/media", nil, "oDLtmahb1o2au4V4swqZ81+kZrM="},
		{"https://naiber.example.org/twilio/json?bodySHA256=015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862", nil, "E4cd4F/gEwLAVZGOBje1z+tox3g="},
	} {
		if got := Sign(vectorToken, tt.address, tt.form); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.address, got, tt.want)
		}
	}
}

func verifier(t *testing.T, publicURL string, tokens ...Secret) *Verifier {
	t.Helper()
	v, err := NewVerifier(VerifierConfig{PublicURL: publicURL, Tokens: tokens, Fragments: []string{"#rc=3&rp=all"}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func post(ctx context.Context, target, body, signature string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	r.Header.Set(SignatureHeader, signature)
	r.Host = "evil.example.com"
	r.Header.Set("X-Forwarded-Host", "evil.example.com")
	return r
}

func TestForm(t *testing.T) {
	t.Parallel()
	const base, target, body = "https://naiber.example.org", "/twilio/status?c=a%2Fb", "CallSid=CA1&Empty=&Text=+a%20b+"
	form, err := url.ParseQuery(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, public, signed string
		token                Secret
		ok                   bool
	}{
		{"as configured", base, base + target, "primary", true},
		{"second token", base, base + target, "secondary", true},
		{"other token", base, base + target, "other", false},
		{"with the default port", base, "https://naiber.example.org:443" + target, "primary", true},
		{"without the configured port", base + ":443", base + target, "primary", true},
		{"other port", base, "https://naiber.example.org:8443" + target, "primary", false},
		{"with the fragment", base, base + target + "#rc=3&rp=all", "primary", true},
		{"with another fragment", base, base + target + "#rc=4", "primary", false},
		{"plain http", base, "http://naiber.example.org" + target, "primary", false},
		{"inner host", base, "https://evil.example.com" + target, "primary", false},
		{"path before ours", base + "/naiber/", base + "/naiber" + target, "primary", true},
		{"decoded path", base, base + "/twilio/status?c=a/b", "primary", false},
		{"loopback", "http://127.0.0.1:3000", "http://127.0.0.1:3000" + target, "primary", true},
		{"loopback IPv6", "http://[::1]", "http://[::1]:80" + target, "primary", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := verifier(t, tt.public, "primary", "secondary")
			got, err := v.Form(post(t.Context(), target, body, Sign(tt.token, tt.signed, form)))
			if tt.ok && (err != nil || got.Get("Text") != " a b " || !got.Has("Empty")) {
				t.Errorf("form %v, err %v", got, err)
			}
			if !tt.ok && (!errors.Is(err, ErrSignature) || got != nil) {
				t.Errorf("form %v, err %v", got, err)
			}
		})
	}
}

func TestFormRefuses(t *testing.T) {
	t.Parallel()
	const base = "https://naiber.example.org"
	v := verifier(t, base, vectorToken)
	sign := func(body string) string {
		form, _ := url.ParseQuery(body) // half a form will do
		return Sign(vectorToken, base+"/s", form)
	}
	wrongType := post(t.Context(), "/s", "a=b", sign("a=b"))
	wrongType.Header.Set("Content-Type", "application/json")
	big := "a=" + strings.Repeat("x", 64<<10)
	for _, tt := range []struct {
		name string
		r    *http.Request
		want error
	}{
		{"no signature", post(t.Context(), "/s", "a=b", ""), ErrSignature},
		{"changed body", post(t.Context(), "/s", "a=c", sign("a=b")), ErrSignature},
		{"more in the body", post(t.Context(), "/s", "a=b&c=d", sign("a=b")), ErrSignature},
		{"other path", post(t.Context(), "/t", "a=b", sign("a=b")), ErrSignature},
		{"bad escape", post(t.Context(), "/s", "a=%zz", sign("")), ErrMalformed},
		{"not a form", wrongType, ErrMalformed},
		{"too large", post(t.Context(), "/s", big, sign(big)), ErrTooLarge},
	} {
		if _, err := v.Form(tt.r); !errors.Is(err, tt.want) {
			t.Errorf("%s: err = %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := v.Form(post(t.Context(), "/s", "b=2&a=2&a=1&a=2", Sign(vectorToken, base+"/sa1a2b2", nil))); err != nil {
		t.Errorf("repeated keys: %v", err)
	}
}

func TestFormBehindStripPrefix(t *testing.T) {
	t.Parallel()
	v := verifier(t, "https://naiber.example.org", vectorToken)
	r := post(t.Context(), "/twilio/status", "a=b", Sign(vectorToken, "https://naiber.example.org/twilio/statusab", nil))
	http.StripPrefix("/twilio", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := v.Form(r); err != nil {
			t.Error(err)
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	const base = "https://naiber.example.org"
	for _, tt := range []struct {
		public, signed string
		ok             bool
	}{
		{base, "wss://naiber.example.org/media", true},
		{base, "wss://naiber.example.org/media/", true},
		{base, "wss://naiber.example.org:443/media", true},
		{base, "wss://naiber.example.org:443/media/", true},
		{base, "https://naiber.example.org/media", false},
		{base, "ws://naiber.example.org/media", false},
		{base, "wss://naiber.example.org:80/media", false},
		{base, "wss://naiber.example.org/media//", false},
		{base, "wss://naiber.example.org/other", false},
		{"http://localhost:3000", "ws://localhost:3000/media", true},
		{"http://localhost:3000", "ws://localhost:3000/media/", true},
		{"http://localhost:3000", "wss://localhost:3000/media", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/media", nil)
		r.Header.Set(SignatureHeader, Sign(vectorToken, tt.signed, nil))
		err := verifier(t, tt.public, "other", vectorToken).Upgrade(r)
		if (err == nil) != tt.ok || (err != nil && !errors.Is(err, ErrSignature)) {
			t.Errorf("%s signed as %s: err = %v", tt.public, tt.signed, err)
		}
	}
}

func TestStreamURL(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"https://h.example.org":     "wss://h.example.org/s",
		"https://h.example.org/n/":  "wss://h.example.org/n/s",
		"http://127.0.0.1:3000":     "ws://127.0.0.1:3000/s",
		"http://h.example.org":      "",
		"naiber.example.org":        "",
		"https://h.example.org?a=b": "",
	} {
		got, err := StreamURL(public, "/s")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", public, got, err, want)
		}
	}
}

func TestNewVerifierRefuses(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]VerifierConfig{
		"no token":    {PublicURL: "https://h"},
		"empty token": {PublicURL: "https://h", Tokens: []Secret{""}},
		"plain http":  {PublicURL: "http://h", Tokens: []Secret{"x"}},
	} {
		if _, err := NewVerifier(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzForm: whatever comes in, only what is signed comes out.
func FuzzForm(f *testing.F) {
	f.Add("CallSid=CA1&CallStatus=ringing", "")
	f.Add("a=%zz;b", "x")
	f.Fuzz(func(t *testing.T, body, signature string) {
		v, err := NewVerifier(VerifierConfig{PublicURL: "https://h", Tokens: []Secret{"k"}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/s", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header[SignatureHeader] = []string{signature}
		if form, err := v.Form(r); err == nil && Sign("k", "https://h/s", form) != signature {
			t.Errorf("accepted %q with signature %q", body, signature)
		}
		form, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		if event, err := ParseCallEvent(form); err == nil && event.CallSID == "" {
			t.Errorf("event %+v", event)
		}
	})
}
