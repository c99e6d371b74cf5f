// Package redistest runs a real Redis for tests, which they may stop, kill and restart.
// Without redis-server, it skips those tests with a message; if CI=true, it fails them.
package redistest

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// startTimeout limits a start, which takes a second on a busy machine.
const startTimeout = 20 * time.Second

// Server is a separate Redis on a free loopback port.
type Server struct {
	// Durable makes it keep its data across [Server.Stop] and [Server.Kill]; otherwise it
	// starts empty every time. It must be set before them.
	Durable bool

	port int
	dir  string

	mu  sync.Mutex // guards cmd
	cmd *exec.Cmd  // nil if it is not running
}

// New starts a Redis, and stops it when the test ends.
func New(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, false)
}

// NewDurable starts a Redis that writes every change to disk before it answers.
func NewDurable(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, true)
}

func start(tb testing.TB, durable bool) *Server {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if ci, _ := strconv.ParseBool(os.Getenv("CI")); ci { //nolint:forbidigo // what CI must have is said by CI
			tb.Fatal("redis-server is missing, and CI must have it: apt-get install redis-server")
		}
		tb.Skip("redis-server is not installed: apt-get install redis-server")
	}
	port, err := freePort(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{Durable: durable, port: port, dir: tb.TempDir()}
	s.Start(tb)
	tb.Cleanup(func() { s.end(syscall.SIGKILL) })
	return s
}

// Addr returns host and port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// URL returns the address in the form of REDIS_URL.
func (s *Server) URL() string { return "redis://" + s.Addr() + "/0" }

// Start restarts it on the same port and returns when it answers.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return
	}
	logName := filepath.Join(s.dir, "redis.log")
	args := []string{"--bind", "127.0.0.1", "--port", strconv.Itoa(s.port), "--save", "", "--dir", s.dir, "--logfile", logName, "--daemonize", "no"}
	if s.Durable {
		args = append(args, "--appendonly", "yes", "--appendfsync", "always")
	}
	cmd := exec.Command("redis-server", args...) //nolint:noctx // it outlives this call and is ended by end
	if err := cmd.Start(); err != nil {
		tb.Fatalf("start redis-server: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := awaitPong(ctx, s.Addr()); err != nil {
		_ = cmd.Process.Kill() // it is of no use
		_ = cmd.Wait()
		text, _ := os.ReadFile(logName)
		tb.Fatalf("redis-server on %s: %v\n%s", s.Addr(), err, text)
	}
	s.cmd = cmd
}

// Stop stops it with SIGTERM, as an operator would, and waits for its end.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

// Kill kills it, like a power cut.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Freeze keeps it from answering while its connections stay open, until [Server.Thaw], like
// a network that drops packets.
func (s *Server) Freeze(tb testing.TB) {
	tb.Helper()
	s.signal(tb, syscall.SIGSTOP)
}

// Thaw ends [Server.Freeze].
func (s *Server) Thaw(tb testing.TB) {
	tb.Helper()
	s.signal(tb, syscall.SIGCONT)
}

func (s *Server) signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		tb.Fatal("redis-server does not run")
	}
	if err := s.cmd.Process.Signal(sig); err != nil {
		tb.Fatalf("signal redis-server: %v", err)
	}
}

func (s *Server) end(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(sig) // fails only for a process that is gone
	_ = s.cmd.Wait()              // the exit code only repeats the signal
	s.cmd = nil
}

// Do sends one command over a new connection and returns the answer.
func (s *Server) Do(tb testing.TB, args ...string) rueidis.RedisMessage {
	tb.Helper()
	c := s.client(tb)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	m, err := c.Do(ctx, c.B().Arbitrary(args...).Build()).ToMessage()
	if err != nil && !rueidis.IsRedisNil(err) {
		tb.Fatalf("redis %v: %v", args, err)
	}
	return m
}

// Commands returns how often Redis has run each command since it started or since CONFIG
// RESETSTAT, including commands in scripts.
func (s *Server) Commands(tb testing.TB) map[string]int {
	tb.Helper()
	c := s.client(tb)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	text, err := c.Do(ctx, c.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		tb.Fatalf("redis commandstats: %v", err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, ",")
		n, err := strconv.Atoi(digits)
		if err != nil {
			tb.Fatalf("commandstats line %q: %v", line, err)
		}
		counts[name] = n
	}
	return counts
}

func (s *Server) client(tb testing.TB) rueidis.Client {
	tb.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.Addr()}, ForceSingleClient: true, DisableCache: true})
	if err != nil {
		tb.Fatalf("reach redis: %v", err)
	}
	return c
}

func awaitPong(ctx context.Context, addr string) error {
	for {
		err := ping(ctx, addr)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ping expects +PONG, which a Redis that is still loading does not send.
func ping(ctx context.Context, addr string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing is lost
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return err
	}
	b := make([]byte, 7)
	if _, err := io.ReadFull(conn, b); err != nil {
		return err
	}
	if string(b) != "+PONG\r\n" {
		return errors.New("no pong")
	}
	return nil
}

func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("no TCP address")
	}
	return addr.Port, l.Close()
}
