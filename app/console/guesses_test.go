package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func guess(from string) visit { return visit{from: from + ":1", user: "admin", password: "guess"} }

func right(from string) visit { return visit{from: from + ":1", user: "admin", password: password} }

func TestGuessingIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := NewDoor(password, false)
		c := session(t, right("203.0.113.7").through(t, d.Page))
		for i := range guessesEach {
			if got := guess("203.0.113.7").through(t, d.Page).status; got != http.StatusUnauthorized {
				t.Fatalf("guess %d = %d", i+1, got)
			}
		}
		for name, v := range map[string]visit{"one more": guess("203.0.113.7"), "the right one, too late": right("203.0.113.7")} {
			for which, door := range map[string]func(http.Handler) http.Handler{"page": d.Page, "admin": d.Admin} {
				got := v.through(t, door)
				if wait := got.header.Get("Retry-After"); got.status != http.StatusTooManyRequests || wait != "12" || got.header.Get("WWW-Authenticate") != "" || len(got.cookies) > 0 {
					t.Errorf("%s, %s = %d, wait %q", name, which, got.status, wait)
				}
			}
		}
		for name, v := range map[string]visit{"another address": right("203.0.113.8"), "a session": {from: "203.0.113.7:1", session: c}} {
			if got := v.through(t, d.Page).status; got != in {
				t.Errorf("%s = %d", name, got)
			}
		}
		if got := (visit{from: "203.0.113.7:1"}).through(t, d.Page).status; got != http.StatusUnauthorized {
			t.Errorf("without a password = %d", got)
		}
		after(guessWindow / guessesEach)
		if got := right("203.0.113.7").through(t, d.Page).status; got != in {
			t.Errorf("after the wait = %d", got)
		}
	})
}

func TestGuessingFromEverywhereIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := NewDoor(password, false)
		for i := range guessesAll {
			if got := guess(fmt.Sprintf("203.0.113.%d", i)).through(t, d.Admin).status; got != http.StatusUnauthorized {
				t.Fatalf("guess %d = %d", i+1, got)
			}
		}
		got := guess("198.51.100.1").through(t, d.Page)
		if wait, err := strconv.Atoi(got.header.Get("Retry-After")); got.status != http.StatusTooManyRequests || err != nil || wait != 2 {
			t.Errorf("one more = %d, wait %q", got.status, got.header.Get("Retry-After"))
		}
		after(2 * guessWindow)
		guess("198.51.100.1").through(t, d.Page)
		if n := len(d.guesses.from); n != 1 {
			t.Errorf("%d addresses are kept, want 1", n)
		}
	})
}

// Guesses that come at once are no more than those that come in turn.
func TestGuessesAtOnce(t *testing.T) {
	t.Parallel()
	d := NewDoor(password, false)
	h := d.Page(http.NotFoundHandler())
	var looked atomic.Int32
	var wg sync.WaitGroup
	for range 40 {
		r := guess("203.0.113.7").request(t)
		wg.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code == http.StatusUnauthorized {
				looked.Add(1)
			}
		})
	}
	wg.Wait()
	if n := looked.Load(); n != guessesEach {
		t.Errorf("%d guesses were looked at, want %d", n, guessesEach)
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, remote, forwarded, want string }{
		{"plain", "203.0.113.7:1", "", "203.0.113.7"},
		{"mapped", "[::ffff:203.0.113.7]:1", "", "203.0.113.7"},
		{"IPv6 counts by network", "[2001:db8:1:2:3::4]:1", "", "2001:db8:1:2::/64"},
		{"with a zone", "[fe80::1%eth0]:1", "", "fe80::/64"},
		{"behind our proxy", "127.0.0.1:1", "10.9.9.9, 203.0.113.7", "203.0.113.7"},
		{"a stranger's list does not count", "203.0.113.7:1", "10.9.9.9", "203.0.113.7"},
		{"made-up names are one", "127.0.0.1:1", "guess-17", "unknown"},
		{"an empty list", "127.0.0.1:1", "", "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = tt.remote
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			if got := addressOf(r); got != tt.want {
				t.Errorf("address = %q, want %q", got, tt.want)
			}
		})
	}
}

func after(d time.Duration) { <-time.After(d) }
