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
	// guessesEach and guessesAll are how many wrong passwords go undelayed, from one address and
	// from all together; the allowance refills within guessWindow.
	guessesEach = 5
	guessesAll  = 50
	guessWindow = time.Minute
)

// guessPause is the delay of the answer to a wrong password after too many before it.
const guessPause = time.Second

// guesses limits repeated wrong passwords and bearers. Only wrong ones count, and only they are
// delayed: the right one is accepted at once, whatever was tried before.
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

// wrong counts a wrong guess from an address. If there were too many, wait is how long it takes
// until another is allowed.
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

// forget drops the addresses whose share is full again. guessesAll bounds how many are left.
func (g *guesses) forget(now time.Time) {
	for address, l := range g.from {
		if l.TokensAt(now) >= guessesEach {
			delete(g.from, address)
		}
	}
}

// missing returns how long it takes until a guess is allowed.
func missing(l *rate.Limiter, now time.Time) time.Duration {
	short := 1 - l.TokensAt(now)
	if short <= 0 {
		return 0
	}
	return time.Duration(short / float64(l.Limit()) * float64(time.Second))
}

// addressOf returns the address from which a request came. If a proxy on this machine sent it,
// that is the last one in its list of addresses, which the proxy added itself. An IPv6 client
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
		return "unknown" // all such clients count as one
	case ip.Unmap().Is4():
		return ip.Unmap().String()
	default:
		network, _ := ip.WithZone("").Prefix(64) // cannot fail: an IPv6 address has 64 bits
		return network.String()
	}
}
