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

// guessPause is how long a wrong password waits for its answer where there were
// too many before.
const guessPause = time.Second

// guesses slows down repeated wrong passwords and bearers. Only wrong ones count,
// and only they wait: the right one is known at once, whatever was tried before.
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

// wrong counts a wrong guess from an address. Where there were too many, wait is
// how long it takes until there is room for another.
func (g *guesses) wrong(address string, now time.Time) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one, ok := g.from[address]
	if !ok {
		one = guessLimit(guessesEach)
	}
	if wait := max(missing(one, now), missing(g.all, now)); wait > 0 {
		return wait
	}
	one.AllowN(now, 1)
	g.all.AllowN(now, 1)
	g.forget(now)
	g.from[address] = one
	return 0
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
