package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// Of wrong passwords so many are taken at once, from one address and from
	// everybody; each place comes back in its share of guessWindow.
	guessesEach = 5
	guessesAll  = 50
	guessWindow = time.Minute
)

// guesses slows down whoever tries passwords. Only wrong ones count, and while
// there are too many none is looked at, the right one included. A session goes
// on working.
type guesses struct {
	mu   sync.Mutex // guards all and from
	all  *rate.Limiter
	from map[string]*rate.Limiter
}

func newGuesses() *guesses {
	return &guesses{all: guessLimit(guessesAll), from: make(map[string]*rate.Limiter)}
}

func guessLimit(n int) *rate.Limiter {
	return rate.NewLimiter(rate.Every(guessWindow/time.Duration(n)), n)
}

// try looks at a password from an address, and says whether it is the right
// one. Where it must not be looked at, wait is how long from now.
func (g *guesses) try(address string, now time.Time, right func() bool) (known bool, wait time.Duration) {
	g.mu.Lock() // also while it is looked at: else many guesses at once would all be the first
	defer g.mu.Unlock()
	one, ok := g.from[address]
	if !ok {
		one = guessLimit(guessesEach)
	}
	if wait := max(missing(one, now), missing(g.all, now)); wait > 0 {
		return false, wait
	}
	if right() {
		return true, 0
	}
	one.AllowN(now, 1)
	g.all.AllowN(now, 1)
	g.forget(now)
	g.from[address] = one
	return false, 0
}

// forget drops the addresses that have all their guesses again. guessesAll
// bounds how many are left.
func (g *guesses) forget(now time.Time) {
	for address, l := range g.from {
		if l.TokensAt(now) >= guessesEach {
			delete(g.from, address)
		}
	}
}

// missing is how long it takes until there is room for a guess.
func missing(l *rate.Limiter, now time.Time) time.Duration {
	short := 1 - l.TokensAt(now)
	if short <= 0 {
		return 0
	}
	return time.Duration(short / float64(l.Limit()) * float64(time.Second))
}

// addressOf is where a request came from. A proxy on this machine says for whom
// it asks: the last one in its list, since it added that itself. An IPv6 client
// owns a whole network, which counts as one address.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if named := r.Header.Values("X-Forwarded-For"); isLoopback(host) && len(named) > 0 {
		list := strings.Split(named[len(named)-1], ",")
		if last := strings.TrimSpace(list[len(list)-1]); last != "" {
			host = last
		}
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "unknown" // whatever a client calls itself, it is one and the same
	case ip.Unmap().Is4():
		return ip.Unmap().String()
	default:
		network, _ := ip.WithZone("").Prefix(64) // an IPv6 address has 64 bits to keep
		return network.String()
	}
}
