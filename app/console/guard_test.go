package console

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const password = "correct horse battery staple"

// visit is a request as a test needs it: from this machine, to this machine's
// own name, by a person who typed the address.
type visit struct {
	from, host      string
	user, password  string
	session         *http.Cookie
	headers         map[string]string
	method, address string
}

func (v visit) request(t *testing.T) *http.Request {
	t.Helper()
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	r := httptest.NewRequestWithContext(t.Context(), or(v.method, http.MethodGet), or(v.address, "/"), nil)
	r.Host = or(v.host, "localhost:3000")
	r.RemoteAddr = or(v.from, "127.0.0.1:50000")
	if v.user != "" {
		r.SetBasicAuth(v.user, v.password)
	}
	if v.session != nil {
		r.AddCookie(v.session)
	}
	for name, value := range v.headers {
		r.Header.Set(name, value)
	}
	return r
}

// entry is how a visit went.
type entry struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
}

func (v visit) through(t *testing.T, door func(http.Handler) http.Handler) entry {
	t.Helper()
	w := httptest.NewRecorder()
	door(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })).ServeHTTP(w, v.request(t))
	res := w.Result()
	_ = res.Body.Close()
	return entry{res.StatusCode, res.Header, res.Cookies()}
}

func session(t *testing.T, e entry) *http.Cookie {
	t.Helper()
	for _, c := range e.cookies {
		if c.Name == cookieName {
			return c
		}
	}
	t.Fatalf("no session in an answer of %d", e.status)
	return nil
}

const in = http.StatusTeapot // the request came through

func TestPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		password string
		open     bool
		visit    visit
		want     int
	}{
		{"locked", "", false, visit{}, 403},
		{"locked, with an empty password", "", false, visit{user: "admin"}, 403},
		{"no password", password, false, visit{}, 401},
		{"wrong password", password, false, visit{user: "admin", password: "guess"}, 401},
		{"wrong user", password, false, visit{user: "root", password: password}, 401},
		{"password", password, false, visit{user: "admin", password: password}, in},
		{"password, from afar", password, false, visit{user: "admin", password: password, from: "203.0.113.7:1", host: "naiber.example.org"}, in},
		{"made-up session", password, false, visit{session: &http.Cookie{Name: cookieName, Value: "made up"}}, 401},

		{"sandbox", "", true, visit{}, in},
		{"sandbox by number", "", true, visit{host: "127.0.0.1:3000"}, in},
		{"sandbox by IPv6", "", true, visit{host: "[::1]:3000", from: "[::1]:50000"}, in},
		{"sandbox without a port", "", true, visit{host: "localhost"}, in},
		{"sandbox by rebinding", "", true, visit{host: "evil.example.org"}, 403},
		{"sandbox by a name that looks local", "", true, visit{host: "localhost.example.org:3000"}, 403},
		{"sandbox from afar", "", true, visit{from: "203.0.113.7:50000"}, 403},
		{"sandbox from the same network", "", true, visit{from: "192.168.1.7:50000"}, 403},
		{"sandbox behind a proxy", "", true, visit{headers: map[string]string{"X-Forwarded-For": "203.0.113.7"}}, 403},
		{"sandbox from afar, with a password set", password, true, visit{from: "203.0.113.7:50000"}, 401},
		{"sandbox from afar, with the password", password, true, visit{from: "203.0.113.7:50000", user: "admin", password: password}, in},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := tt.visit.through(t, newGuard(tt.password, tt.open).Page)
			if res.status != tt.want {
				t.Errorf("status = %d, want %d", res.status, tt.want)
			}
			if (res.status == in) != (len(res.cookies) == 1) {
				t.Errorf("status %d with cookies %v", res.status, res.cookies)
			}
			if asks := res.header.Get("WWW-Authenticate") != ""; asks != (tt.want == 401) {
				t.Errorf("status %d, asks for a password: %v", res.status, asks)
			}
		})
	}
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	d := newGuard(password, false)
	enter := visit{user: "admin", password: password}
	c := session(t, enter.through(t, d.Page))
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.MaxAge != int(sessionTTL.Seconds()) || len(c.Value) < 26 {
		t.Errorf("cookie = %+v", c)
	}
	enter.headers = map[string]string{"X-Forwarded-Proto": "https"}
	if over := session(t, enter.through(t, d.Page)); !over.Secure || over.Value == c.Value {
		t.Errorf("cookie over https = %+v", over)
	}
	res := visit{session: c}.through(t, d.Page)
	if res.status != in || len(res.cookies) != 0 {
		t.Errorf("second visit = %d, %v", res.status, res.cookies)
	}
}

func TestForeignPagesHaveNoSession(t *testing.T) {
	t.Parallel()
	d := newGuard(password, false)
	c := session(t, visit{user: "admin", password: password}.through(t, d.Page))
	for _, tt := range []struct {
		name    string
		headers map[string]string
		want    bool
	}{
		{"typed in", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{"our page", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:3000"}, true},
		{"no browser", nil, true},
		{"foreign page", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"sister domain", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"foreign origin", map[string]string{"Origin": "https://evil.example.org"}, false},
		{"another port of this machine", map[string]string{"Origin": "http://localhost:8000"}, false},
		{"hidden origin", map[string]string{"Origin": "null"}, false},
		{"broken origin", map[string]string{"Origin": "http://[::1"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := visit{session: c, headers: tt.headers, method: http.MethodPost}
			if got := d.HasSession(v.request(t)); got != tt.want {
				t.Errorf("session = %v, want %v", got, tt.want)
			}
			if got := v.through(t, d.Admin).status; (got == in) != tt.want {
				t.Errorf("admin = %d", got)
			}
			v.session, v.user, v.password = nil, "admin", password // as a browser sends it by itself
			if got := v.through(t, d.Admin).status; (got == in) != tt.want {
				t.Errorf("admin by password = %d", got)
			}
		})
	}
}

func TestAdminAsksEvenInTheSandbox(t *testing.T) {
	t.Parallel()
	d := newGuard(password, true)
	if got := (visit{}).through(t, d.Admin); got.status != http.StatusUnauthorized || len(got.cookies) != 0 {
		t.Errorf("stranger = %d, %v", got.status, got.cookies)
	}
	if got := (visit{user: "admin", password: password}).through(t, d.Admin).status; got != in {
		t.Errorf("with the password = %d", got)
	}
	c := session(t, visit{}.through(t, d.Page))
	if got := (visit{session: c}).through(t, d.Admin).status; got != in {
		t.Errorf("with a session of the console = %d", got)
	}
	if got := (visit{}).through(t, newGuard("", true).Admin).status; got != http.StatusForbidden {
		t.Errorf("sandbox without a password = %d", got)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newGuard(password, false)
		c := session(t, visit{user: "admin", password: password}.through(t, d.Page))
		wait := time.NewTimer(sessionTTL - time.Second)
		<-wait.C
		if !d.HasSession(visit{session: c}.request(t)) {
			t.Error("the session ended early")
		}
		wait.Reset(time.Second)
		<-wait.C
		if d.HasSession(visit{session: c}.request(t)) {
			t.Error("the session did not end")
		}
	})
}

func TestSessionsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	door := func(password string) *Guard {
		return NewGuard(password, false, s, slog.New(slog.DiscardHandler), nil)
	}
	c := session(t, visit{user: "admin", password: password}.through(t, door(password).Page))
	for i, again := range []*Guard{door(password), door(password)} {
		if res := (visit{session: c}).through(t, again.Page); res.status != in || len(res.cookies) != 0 {
			t.Errorf("after %d restarts: %d, %v", i+1, res.status, res.cookies)
		}
	}
	if door("another password").HasSession(visit{session: c}.request(t)) {
		t.Error("a session outlives the password that it was given for")
	}
	count := func(where string) (n int) {
		if err := s.Pool().QueryRow(t.Context(), "select count(*) from console_sessions where "+where).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("encode(token_hash, 'escape') like '%" + c.Value + "%'"); n != 0 {
		t.Error("the token itself is kept")
	}
	if _, err := s.Pool().Exec(t.Context(), "update console_sessions set until = now() - interval '1 second'"); err != nil {
		t.Fatal(err)
	}
	if door(password).HasSession(visit{session: c}.request(t)) {
		t.Error("a session does not end")
	}
	visit{user: "admin", password: password}.through(t, door(password).Page)
	if n := count("true"); n != 1 {
		t.Errorf("%d sessions are kept, want the last one alone", n)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	d := newGuard("", true)
	for range maxSessions + 50 {
		visit{}.through(t, d.Page)
	}
	if n := len(d.sessions); n != maxSessions {
		t.Errorf("sessions = %d, want %d", n, maxSessions)
	}
	if last := session(t, visit{}.through(t, d.Page)); !d.HasSession(visit{session: last}.request(t)) {
		t.Error("the newest session is forgotten")
	}
}

func mounted(t *testing.T, cfg Config) http.Handler {
	t.Helper()
	r := chi.NewRouter()
	if err := Mount(r, cfg, newGuard("", true)); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryPageIsBehindTheDoor(t *testing.T) {
	t.Parallel()
	r := mounted(t, Config{})
	for _, address := range []string{"/", "/docs", "/console/main.js"} {
		for from, want := range map[string]int{"127.0.0.1:1": http.StatusOK, "203.0.113.7:1": http.StatusForbidden} {
			w := httptest.NewRecorder()
			r.ServeHTTP(w, visit{address: address, from: from}.request(t))
			if w.Code != want || want != http.StatusOK && strings.Contains(w.Body.String(), "html") {
				t.Errorf("%s from %s = %d %s", address, from, w.Code, w.Body)
			}
		}
	}
}
