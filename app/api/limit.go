package api

import (
	"crypto/sha256"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxClients bounds the clients that are counted at once.
const maxClients = 1000

// A limiter limits the requests of each client. For the API it runs after the guard, so that
// strangers with made-up bearers add no clients.
type limiter struct {
	every rate.Limit
	burst int

	mu      sync.Mutex // guards clients
	clients map[[sha256.Size]byte]*rate.Limiter
}

func newLimiter(perMinute, burst int) *limiter {
	return &limiter{every: rate.Limit(float64(perMinute) / 60), burst: burst, clients: make(map[[sha256.Size]byte]*rate.Limiter)}
}

// limit answers 429 with Retry-After to clients that ask too often.
func (l *limiter) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait := l.wait(client(r), time.Now()); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			Problem(w, http.StatusTooManyRequests, "Too many requests; Retry-After says when to come back.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// client returns a hash of the client's address and bearer.
func client(r *http.Request) [sha256.Size]byte {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	_, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return sha256.Sum256([]byte(host + "\n" + strings.TrimSpace(bearer)))
}

// wait takes one request from the client's share and returns 0, or returns how long until there
// is one.
func (l *limiter) wait(who [sha256.Size]byte, now time.Time) time.Duration {
	l.mu.Lock()
	c, known := l.clients[who]
	if !known {
		if len(l.clients) >= maxClients {
			l.sweep(now)
		}
		c = rate.NewLimiter(l.every, l.burst)
		l.clients[who] = c
	}
	l.mu.Unlock()
	r := c.ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return wait
	}
	return 0
}

// sweep drops the clients whose share is full again and then others until at most half of
// maxClients are left, to put off the next sweep. The caller holds mu.
func (l *limiter) sweep(now time.Time) {
	for who, c := range l.clients {
		if c.TokensAt(now) >= float64(l.burst) {
			delete(l.clients, who)
		}
	}
	for who := range l.clients {
		if len(l.clients) <= maxClients/2 {
			return
		}
		delete(l.clients, who)
	}
}
