package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/app/console"
)

// The guard of the API opens for its bearer and for nothing else.
func TestAPIGuard(t *testing.T) {
	t.Parallel()
	const token = "the-token-of-the-api"
	for _, tt := range []struct {
		name, token, credentials string
		want                     int
	}{
		{"the bearer", token, "Bearer " + token, http.StatusTeapot},
		{"the bearer, spelt otherwise", token, "bearer  " + token, http.StatusTeapot},
		{"none", token, "", 401},
		{"another", token, "Bearer another", 401},
		{"the start of it", token, "Bearer the-token", 401},
		{"more than it", token, "Bearer " + token + "x", 401},
		{"another scheme", token, "Basic " + token, 401},
		{"no scheme", token, token, 401},
		{"nothing is configured", "", "Bearer ", 401},
		{"nothing is configured, nothing sent", "", "", 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			passed := false
			guard := apiGuard(tt.token, console.NewGuard("", false, nil, slog.New(slog.DiscardHandler), nil))(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				passed = true
				w.WriteHeader(http.StatusTeapot)
			}))
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/call", nil)
			if tt.credentials != "" {
				r.Header.Set("Authorization", tt.credentials)
			}
			r.AddCookie(&http.Cookie{Name: "naiber_session", Value: "made-up"})
			w := httptest.NewRecorder()
			guard.ServeHTTP(w, r)
			if w.Code != tt.want || passed != (tt.want == http.StatusTeapot) {
				t.Errorf("answered %d, passed %t", w.Code, passed)
			}
			if w.Code == 401 && (w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("WWW-Authenticate") == "" || strings.Contains(w.Body.String(), token)) {
				t.Errorf("answer %v %s", w.Header(), w.Body)
			}
		})
	}
}

// A request that panics ends by itself, and says nothing of the inside.
func TestPanicEndsOneRequest(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := recovered(slog.New(slog.NewTextHandler(&log, nil)))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("inside") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/x?phone=15550100123", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "inside") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "inside") || strings.Contains(log.String(), "15550100123") {
		t.Errorf("log is %s", &log)
	}
}

// wire is a server of ours on a connection in memory, in a bubble's own time.
type wire struct {
	net.Conn

	answer *bufio.Reader
}

// connect serves h until the test ends, and sends the first part of a request.
func connect(t *testing.T, h http.HandlerFunc, request string) wire {
	t.Helper()
	ours, theirs := net.Pipe()
	l := &oneConn{conn: make(chan net.Conn, 1), done: make(chan struct{})}
	l.conn <- theirs
	srv := newServer(h, slog.New(slog.DiscardHandler))
	var served sync.WaitGroup
	served.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() {
		_ = ours.Close()
		_ = srv.Close()
		served.Wait()
	})
	if _, err := io.WriteString(ours, request); err != nil {
		t.Fatal(err)
	}
	return wire{ours, bufio.NewReader(ours)}
}

// oneConn is a listener for one connection.
type oneConn struct {
	conn chan net.Conn
	once sync.Once
	done chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func pass(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // the bubble's own time

// Whoever sends a request drop by drop is not waited for.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, request string
		read          bool // the handler reads the body
		after         time.Duration
	}{
		{"headers that never end", "POST /call HTTP/1.1\r\nHost: a\r\nX", true, headerTimeout},
		{"a body that never comes", "POST /call HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", true, requestTimeout},
		{"a body that nobody wants", "POST /call HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", false, requestTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var failed error
				c := connect(t, func(w http.ResponseWriter, r *http.Request) {
					if tt.read {
						_, failed = io.ReadAll(r.Body)
					}
					w.WriteHeader(http.StatusUnauthorized)
				}, tt.request)
				if _, err := io.Copy(io.Discard, c.answer); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < tt.after || took > tt.after+time.Second {
					t.Errorf("the connection was kept for %s, want %s", took, tt.after)
				}
				if tt.read && tt.after == requestTimeout && !errors.Is(failed, os.ErrDeadlineExceeded) {
					t.Errorf("the body ended with %v", failed)
				}
			})
		})
	}
}

// What is bounded are requests, not the streams that answer them: not by their
// length, and a request that has come whole stays alive as long as its answer.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	const events = 30
	for name, request := range map[string]string{
		"without a body": "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"with a body":    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.ReadAll(r.Body)
					rc := http.NewResponseController(w)
					for i := range events {
						pass(answerTimeout / 10)
						_ = rc.SetWriteDeadline(time.Now().Add(10 * time.Second)) // as every stream of ours does
						_, _ = fmt.Fprintf(w, "event %d\n", i)
						if err := errors.Join(r.Context().Err(), rc.Flush()); err != nil {
							t.Errorf("event %d: %v", i, err)
							return
						}
					}
				}, request)
				resp, err := http.ReadResponse(c.answer, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				got, err := io.ReadAll(resp.Body)
				if n := strings.Count(string(got), "event"); n != events || err != nil {
					t.Errorf("%d events came, %v", n, err)
				}
			})
		})
	}
}

// A client that takes no answer is not waited for.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, done := time.Now(), make(chan error, 1)
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			done <- err
		}, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		_ = c
		err := <-done
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != answerTimeout {
			t.Errorf("the answer ended after %s with %v", took, err)
		}
	})
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = newServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	srv.Start()
	defer srv.Close()
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Long", strings.Repeat("a", 1<<20))
	resp, err := srv.Client().Do(r)
	if err != nil {
		return // cut off before the answer was read
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answered %d", resp.StatusCode)
	}
}

// No secret can be given on the command line, which everybody on the machine can read.
func TestSecretsAreNoFlags(t *testing.T) {
	t.Parallel()
	offered := map[string]bool{}
	for _, o := range new(program).Options() {
		offered[o.Name] = true
	}
	for _, o := range options {
		if offered[o.key] == o.secret() {
			t.Errorf("%s: a flag: %t, a secret: %t", o.key, offered[o.key], o.secret())
		}
	}
}
