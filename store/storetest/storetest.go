// Package storetest provides a real PostgreSQL for tests: one server per test process,
// started on demand, and a separate migrated database for each test.
package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"

	"github.com/naiber/naiber/internal/leaktest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/embedded"
)

// timezone is the time zone of test sessions: half an hour off, with summer time, since
// quiet hours are local.
const timezone = "Canada/Newfoundland"

const startTimeout = 3 * time.Minute // a first run may have to download PostgreSQL

var server struct {
	mu      sync.Mutex // guards the fields below
	cluster *embedded.Cluster
	dir     string // of the cluster, or a link to it
	err     error
	made    bool
	count   atomic.Int64
}

// Main runs the tests, then stops the server, and exits with an error if goroutines are
// left; call it from TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is like [Main], but returns the exit code, for a TestMain with more to do before it
// exits.
func Run(m *testing.M) int {
	code := m.Run()
	stop()
	http.DefaultClient.CloseIdleConnections()
	if err := leaktest.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		code = 1
	}
	return code
}

// stop stops the server and deletes its folder.
func stop() {
	server.mu.Lock()
	defer server.mu.Unlock()
	if server.cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := errors.Join(server.cluster.Stop(ctx), os.RemoveAll(server.cluster.Dir()), os.RemoveAll(server.dir))
		if err != nil {
			fmt.Fprintln(os.Stderr, "stop test database:", err)
		}
		server.cluster, server.made = nil, false
	}
}

// Column returns the first column of a query's rows, which must be text.
func Column(tb testing.TB, st *store.Store, sql string, args ...any) []string {
	tb.Helper()
	rows, err := st.Pool().Query(tb.Context(), sql, args...)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// New returns a store on its own empty, migrated database.
func New(tb testing.TB) *store.Store {
	tb.Helper()
	return Open(tb, URL(tb))
}

// Open opens a store and closes it when the test ends. The test fails if a goroutine that
// holds a connection asks for a second one: if all connections were held by such
// goroutines, none could continue.
func Open(tb testing.TB, url string) *store.Store {
	tb.Helper()
	st, _ := Counted(tb, url)
	return st
}

// Counted is like [Open], but also returns a count of the round trips. In a benchmark
// nothing is counted.
func Counted(tb testing.TB, url string) (*store.Store, *Trips) {
	tb.Helper()
	g := &guard{fail: tb.Errorf, holders: map[*pgx.Conn]string{}}
	st, err := store.Open(tb.Context(), url, slog.New(slog.DiscardHandler), func(cfg *pgxpool.Config) {
		if _, measured := tb.(*testing.B); !measured {
			cfg.ConnConfig.Tracer = g
		}
	})
	if err != nil {
		tb.Fatalf("open test database: %v", err)
	}
	tb.Cleanup(st.Close)
	return st, &g.trips
}

// URL returns the URL of a new empty, migrated database.
func URL(tb testing.TB) string {
	tb.Helper()
	base, err := start()
	if err != nil {
		tb.Fatalf("no PostgreSQL for this test: %v", err)
	}
	name := fmt.Sprintf("test_%d", server.count.Add(1))
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := exec(ctx, base, "create database "+name+" template naiber_template strategy file_copy"); err != nil {
		tb.Fatalf("create test database: %v", err)
	}
	tb.Cleanup(func() {
		end, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		_ = exec(end, base, "drop database if exists "+name+" with (force)") // the server is deleted anyway
	})
	return within(base, name)
}

// start starts the server and creates the template once, and returns the server's URL.
func start() (string, error) {
	server.mu.Lock()
	defer server.mu.Unlock()
	if !server.made {
		server.made = true
		server.cluster, server.err = prepare()
	}
	if server.err != nil {
		return "", server.err
	}
	return server.cluster.URL(), nil
}

func prepare() (*embedded.Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	log := slog.New(slog.DiscardHandler)
	dir, err := os.MkdirTemp(inMemory(), "naiber-postgres-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary cluster: %w", err)
	}
	server.dir = dir
	c, err := embedded.Start(ctx, embedded.Config{Dir: dir, Fast: true, Log: log, Progress: func(s string) { fmt.Fprintln(os.Stderr, s) }})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := exec(ctx, c.URL(), "create database naiber_template"); err != nil {
		return c, err
	}
	st, err := store.Open(ctx, within(c.URL(), "naiber_template"), log)
	if err != nil {
		return c, err
	}
	defer st.Close()
	_, err = st.Migrate(ctx)
	return c, err
}

// shared is a folder that Linux keeps in memory, and enough is how much space must be free
// there: hundreds of tests create a database each, which on a disk takes most of their
// time. Containers may have 64 MB of it, which is not enough.
const (
	shared = "/dev/shm"
	enough = 2 << 30
)

// inMemory returns a folder in memory for clusters, or "" for the default one. It removes
// clusters left there by killed processes after six hours.
func inMemory() string {
	var fs unix.Statfs_t
	if unix.Statfs(shared, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < enough { //nolint:gosec // a size is not negative
		return ""
	}
	left, _ := filepath.Glob(filepath.Join(shared, "naiber-postgres-*")) // the pattern is valid
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 6*time.Hour {
			_ = os.RemoveAll(dir) // fails if it belongs to another user
		}
	}
	return shared
}

// within returns the URL of another database of the same server, with few connections and
// an awkward time zone.
func within(base, name string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Path = "/" + name
	q := u.Query()
	q.Set("timezone", timezone)
	q.Set("pool_max_conns", cmp.Or(os.Getenv("TEST_POOL_MAX_CONNS"), "6")) //nolint:forbidigo // of the tests alone
	u.RawQuery = q.Encode()
	return u.String()
}

func exec(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
