package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A profile is to be had on the inner port where it is asked for, and nowhere else.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		a := made(t, "", func(c *Config) { c.Server.MetricsAddr, c.Server.Profiling = "127.0.0.1:0", on })
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap?debug=1", "/debug/pprof/profile?seconds=1"} {
			for door, h := range map[string]http.Handler{"inner": a.inner.Handler, "outer": a.http.Handler} {
				want := http.StatusNotFound
				if on && door == "inner" {
					want = http.StatusOK
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
				if w.Code != want {
					t.Errorf("%s on the %s port, on %v: status %d, want %d", path, door, on, w.Code, want)
				}
			}
		}
	}
}
