package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzOrigin: whatever a request says of itself, a foreign name is not taken for
// this machine, nor another origin for our own.
func FuzzOrigin(f *testing.F) {
	for _, host := range []string{"localhost:3000", "[::1]:3000", "127.0.0.1", "evil.example.org", "localhost.", "a.localhost", "::1]", "127.1", "0x7f.1"} {
		for _, origin := range []string{"http://localhost:3000", "http://[::1", "null", "http://localhost:3000@evil.example.org", "//localhost:3000"} {
			f.Add(host, origin)
		}
	}
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.Host, r.RemoteAddr = host, "127.0.0.1:50000"
		r.Header.Set("Origin", origin)
		if local(r) {
			name := strings.ToLower(strings.Trim(host, "[]"))
			if !strings.Contains(name, "localhost") && !strings.Contains(name, "127.") && !strings.Contains(name, ":") {
				t.Errorf("%q is taken for this machine", host)
			}
		}
		if sameSite(r) && origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != host {
				t.Errorf("%q is taken for %q", origin, host)
			}
		}
	})
}
