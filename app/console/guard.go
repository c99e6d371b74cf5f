package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/naiber/naiber/store"
)

const (
	account    = "admin"
	cookieName = "naiber_session"
	sessionTTL = 12 * time.Hour
	// maxSessions bounds the sessions that strangers can make us remember.
	maxSessions = 1000
)

// Guard controls access to the console. A visitor sends the admin password once (HTTP Basic, user
// "admin") and then has a session cookie. An open guard, for the sandbox, gives the cookie to
// everybody who comes from this machine to a loopback name of it; the name is checked so that no
// foreign page can get in by DNS rebinding.
type Guard struct {
	password [sha256.Size]byte
	locked   bool // there is no password: nobody gets in by one
	open     bool
	guesses  *guesses
	kept     Sessions // nil: sessions end with the process
	log      *slog.Logger
	refused  *prometheus.CounterVec // label: door

	mu       sync.Mutex // guards sessions
	sessions map[string]time.Time
}

// Sessions stores sessions beyond the life of the process. SessionUntil returns
// [store.ErrNotFound] for a session that is not stored.
type Sessions interface {
	KeepSession(ctx context.Context, hash []byte, until time.Time) error
	SessionUntil(ctx context.Context, hash []byte) (until time.Time, err error)
}

// NewGuard returns a guard for a password; with an empty one nobody can log in. open is for the
// sandbox. Sessions in kept, which may be nil, outlive the process until the password changes.
// Wrong keys are logged and counted with reg; with a nil reg, the count is not exported.
func NewGuard(password string, open bool, kept Sessions, log *slog.Logger, reg prometheus.Registerer) *Guard {
	return &Guard{
		password: sha256.Sum256([]byte(password)), locked: password == "", open: open, kept: kept, guesses: newGuesses(), sessions: make(map[string]time.Time),
		log: log, refused: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Subsystem: "auth", Name: "refused_total", Help: "Wrong passwords and bearers, by door.",
		}, []string{"door"}),
	}
}

// Wrong counts and logs a request with a wrong key. If there were too many from its address, or
// from all together, it does not log, but delays the request and returns how long the client must
// wait.
func (g *Guard) Wrong(r *http.Request, door string) time.Duration {
	g.refused.WithLabelValues(door).Inc()
	address := addressOf(r)
	wait := g.guesses.wrong(address, time.Now())
	if wait == 0 {
		g.log.WarnContext(r.Context(), "wrong key", "door", door, "address", address)
		return 0
	}
	select {
	case <-time.After(guessPause):
	case <-r.Context().Done():
	}
	return wait
}

// Page guards what a browser shows: everybody who may enter gets a session.
func (g *Guard) Page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case g.HasSession(r):
		case g.open && local(r):
			g.admit(w, r)
		default:
			known, wait := g.knows(r)
			if !known {
				g.deny(w, wait)
				return
			}
			g.admit(w, r)
		}
		next.ServeHTTP(w, r)
	})
}

// Admin requires a session or the password, even in the sandbox.
func (g *Guard) Admin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.HasSession(r) {
			if known, wait := g.knows(r); !known {
				g.deny(w, wait)
				return
			}
		}
		if !sameSite(r) { // a browser that knows the password sends it by itself
			http.Error(w, "This came from another site.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HasSession reports whether a request carries a session of ours and was not
// sent by a foreign page.
func (g *Guard) HasSession(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	if err != nil || !sameSite(r) {
		return false
	}
	g.mu.Lock()
	until, ok := g.sessions[c.Value]
	g.mu.Unlock()
	if !ok && g.kept != nil {
		if until, err = g.kept.SessionUntil(r.Context(), g.hash(c.Value)); err == nil {
			g.remember(c.Value, until)
		} else if !errors.Is(err, store.ErrNotFound) {
			g.log.WarnContext(r.Context(), "session of the console is not found", "err", err)
		}
	}
	return time.Now().Before(until)
}

// hash returns the form in which a session is stored: it does not open the console, and does not
// match at a guard with another password.
func (g *Guard) hash(id string) []byte {
	mac := hmac.New(sha256.New, g.password[:])
	mac.Write([]byte(id))
	return mac.Sum(nil)
}

// knows reports whether the request carries the admin password; if not, wait is how long the
// client must wait because too many were wrong.
func (g *Guard) knows(r *http.Request) (known bool, wait time.Duration) {
	user, password, ok := r.BasicAuth()
	if !ok || g.locked {
		return false, 0
	}
	sum := sha256.Sum256([]byte(password))
	if subtle.ConstantTimeCompare(sum[:], g.password[:]) == 1 && user == account {
		return true, 0
	}
	return false, g.Wrong(r, "console")
}

// admit creates a session and sets its cookie. A session that cannot be stored ends with the
// process.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request) {
	id, until := rand.Text(), time.Now().Add(sessionTTL)
	g.remember(id, until)
	if g.kept != nil {
		if err := g.kept.KeepSession(r.Context(), g.hash(id), until); err != nil {
			g.log.WarnContext(r.Context(), "session of the console ends with the process", "err", err)
		}
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure as the visitor came: a cookie of plain http on loopback must come back
		Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", MaxAge: int(sessionTTL.Seconds()),
	})
}

// remember stores a session in memory. If there are too many, it drops others, which are then
// looked up in kept.
func (g *Guard) remember(id string, until time.Time) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.sessions, func(_ string, until time.Time) bool { return now.After(until) })
	for s := range g.sessions {
		if len(g.sessions) < maxSessions {
			break
		}
		delete(g.sessions, s)
	}
	g.sessions[id] = until
}

// deny refuses a request and says how to log in, if that is possible, and when.
func (g *Guard) deny(w http.ResponseWriter, wait time.Duration) {
	switch {
	case wait > 0:
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		http.Error(w, fmt.Sprintf("Too many wrong passwords. Try again in %d s.", seconds), http.StatusTooManyRequests)
	case !g.locked:
		w.Header().Set("WWW-Authenticate", `Basic realm="nAIber", charset="UTF-8"`)
		http.Error(w, "The user is \"admin\"; the password is NAIBER_ADMIN_PASSWORD.", http.StatusUnauthorized)
	case g.open:
		http.Error(w, "The sandbox is for this machine only: open its console at http://localhost first, or set NAIBER_ADMIN_PASSWORD and start again.", http.StatusForbidden)
	default:
		http.Error(w, "The console is locked: set NAIBER_ADMIN_PASSWORD and start again.", http.StatusForbidden)
	}
}

// local reports whether a request came over the loopback to a loopback name, and not through a
// proxy, from which every client's request would look local.
func local(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !isLoopback(host) {
		return false
	}
	name := r.Host
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	return isLoopback(strings.Trim(name, "[]"))
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// sameSite reports whether a request was not sent by a page of another origin. Browsers say where
// a request comes from; other clients do not send a cookie unintentionally.
func sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}
