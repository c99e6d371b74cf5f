package console

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func newGuard(password string, open bool) *Guard {
	return NewGuard(password, open, nil, slog.New(slog.DiscardHandler), nil)
}

func guess(from string) visit { return visit{from: from + ":1", user: "admin", password: "guess"} }

func right(from string) visit { return visit{from: from + ":1", user: "admin", password: password} }

// Wrong passwords wait, also for each other from everywhere; the right one never does.
func TestGuessingIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newGuard(password, false)
		for i := range guessesEach {
			if got := guess("203.0.113.7").through(t, d.Page).status; got != http.StatusUnauthorized {
				t.Fatalf("guess %d = %d", i+1, got)
			}
		}
		for which, door := range map[string]func(http.Handler) http.Handler{"page": d.Page, "admin": d.Admin} {
			began := time.Now()
			got := guess("203.0.113.7").through(t, door)
			if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || len(got.cookies) > 0 || time.Since(began) != guessPause {
				t.Errorf("%s: one more = %d after %s", which, got.status, time.Since(began))
			}
		}
		for i := range 2 * guessesAll {
			guess(fmt.Sprintf("203.0.113.%d", i)).through(t, d.Admin)
		}
		for _, from := range []string{"203.0.113.7", "203.0.113.8", "198.51.100.1"} {
			began := time.Now()
			if got := right(from).through(t, d.Page).status; got != in || time.Since(began) != 0 {
				t.Errorf("the right one from %s = %d after %s", from, got, time.Since(began))
			}
		}
		if got := (visit{from: "203.0.113.7:1"}).through(t, d.Page).status; got != http.StatusUnauthorized {
			t.Errorf("without a password = %d", got)
		}
		time.Sleep(guessWindow) //nolint:forbidigo // the bubble's own time
		if got := guess("203.0.113.7").through(t, d.Page).status; got != http.StatusUnauthorized {
			t.Errorf("after the wait = %d", got)
		}
		if n := len(d.guesses.from); n != 1 {
			t.Errorf("%d addresses are remembered, want the latest", n)
		}
	})
}

func TestWrongKeysAreLoggedAndCounted(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	reg := prometheus.NewRegistry()
	d := NewGuard(password, false, nil, slog.New(slog.NewTextHandler(&log, nil)), reg)
	guess("203.0.113.7").through(t, d.Page)
	right("203.0.113.7").through(t, d.Page)
	visit{}.through(t, d.Page)
	if said := log.String(); strings.Count(said, "wrong key") != 1 || !strings.Contains(said, "address=203.0.113.7") || strings.Contains(said, "password") || strings.Contains(said, "=guess") {
		t.Errorf("logged: %s", said)
	}
	counted, err := reg.Gather()
	if err != nil || len(counted) != 1 || counted[0].GetMetric()[0].GetCounter().GetValue() != 1 {
		t.Errorf("counted %v, %v", counted, err)
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ remote, forwarded, want string }{
		{"203.0.113.7:1", "", "203.0.113.7"},
		{"203.0.113.7:1", "198.51.100.9", "203.0.113.7"}, // says who likes
		{"127.0.0.1:1", "198.51.100.9, 203.0.113.7", "203.0.113.7"},
		{"[2001:db8::1]:1", "", "2001:db8::/64"},
		{"nonsense", "", "unknown"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = tt.remote
		if tt.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := addressOf(r); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
