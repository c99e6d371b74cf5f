package vectors_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

// found are the ids that a search brings.
func found(t *testing.T, st vectors.Store, scope vectors.Scope) []uuid.UUID {
	t.Helper()
	hits, err := st.Search(t.Context(), vectors.Query{Vector: []float32{1, 0}, Scope: scope, Model: "m@1", Limit: 100})
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	ids := make([]uuid.UUID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	return ids
}

func write(t *testing.T, st vectors.Store, scope vectors.Scope, n int) []uuid.UUID {
	t.Helper()
	ids, points := make([]uuid.UUID, n), make([]vectors.Point, n)
	for i := range points {
		ids[i] = uuid.New()
		points[i] = vectors.Point{ID: ids[i], Vector: []float32{1, float32(i)}, Scope: scope, Kind: "window", Model: "m@1", At: time.Now()}
	}
	if err := st.Upsert(t.Context(), points); err != nil {
		t.Fatalf("upsert: %v", err)
	}
	return ids
}

func small(t *testing.T, st *store.Store, cacheBytes int64) *vectors.Postgres {
	t.Helper()
	p := vectors.NewPostgres(st, vectors.PostgresConfig{CacheBytes: cacheBytes})
	if err := p.Ensure(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPersonGoesWithVectors deletes a person's row and nothing else: the vectors
// go, no copy of them is searched again, and nothing names the person.
func TestPersonGoesWithVectors(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := small(t, st, 0)
	project := uuid.New()
	scope := vectors.Scope{Person: newPerson(t, st), Project: project}
	write(t, p, scope, 3)
	stays := write(t, p, vectors.Scope{Project: project}, 1)
	for _, s := range []vectors.Scope{{Person: scope.Person}, {Project: project}} {
		found(t, p, s) // so that there are copies
	}
	if _, err := st.Pool().Exec(t.Context(), "delete from people where id = $1", scope.Person); err != nil {
		t.Fatal(err)
	}
	if got := found(t, p, vectors.Scope{Person: scope.Person}); len(got) > 0 {
		t.Errorf("%d vectors of a person who is gone are found", len(got))
	}
	if got := found(t, p, vectors.Scope{Project: project}); len(got) != 1 || got[0] != stays[0] {
		t.Errorf("the project's search finds %v, want %v", got, stays)
	}
	var left int
	err := st.Pool().QueryRow(t.Context(), `select (select count(*) from memory_vectors where person_id = $1)
		+ (select count(*) from memory_vector_shelves where owner = $1)`, scope.Person).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d rows still name the person, %v", left, err)
	}
}

// TestCacheReadsOnlyWhatChanged counts what the searches cost.
func TestCacheReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p, scope := small(t, st, 0), vectors.Scope{Person: newPerson(t, st)}
	ids := write(t, p, scope, 5)
	step := func(what string, want vectors.CacheStats) {
		t.Helper()
		found(t, p, scope)
		got := p.CacheStats()
		got.Bytes, got.Limit, got.Compared = 0, 0, 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	step("first", vectors.CacheStats{Shelves: 1, Loads: 1})
	step("again", vectors.CacheStats{Shelves: 1, Loads: 1, Hits: 1})
	write(t, p, scope, 1)
	step("one more", vectors.CacheStats{Shelves: 1, Loads: 1, Hits: 1, Refreshes: 1})
	write(t, p, vectors.Scope{Person: newPerson(t, st)}, 1)
	step("another's", vectors.CacheStats{Shelves: 1, Loads: 1, Hits: 2, Refreshes: 1})
	if err := p.Delete(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	step("one less", vectors.CacheStats{Shelves: 1, Loads: 2, Hits: 2, Refreshes: 1})
	if err := p.DeleteScope(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	step("none", vectors.CacheStats{Loads: 2, Hits: 2, Refreshes: 1})

	write(t, p, scope, 2)
	if err := p.Warm(t.Context(), scope, "m@1"); err != nil {
		t.Fatal(err)
	}
	step("warmed", vectors.CacheStats{Shelves: 1, Loads: 3, Hits: 3, Refreshes: 1})
	if err := p.Warm(t.Context(), vectors.Scope{}, "m@1"); !errors.Is(err, vectors.ErrEmptyScope) {
		t.Errorf("warm nobody: %v", err)
	}
}

// TestOneReadServesAll has many searches want the same copy at once.
func TestOneReadServesAll(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p, scope := small(t, st, 0), vectors.Scope{Person: newPerson(t, st)}
	write(t, p, scope, 400)
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			hits, err := p.Search(t.Context(), vectors.Query{Vector: []float32{1, 0}, Scope: scope, Model: "m@1", Limit: 500})
			if err != nil || len(hits) != 400 {
				t.Errorf("found %d, %v", len(hits), err)
			}
		})
	}
	all.Wait()
	if got := p.CacheStats(); got.Loads+got.Refreshes != 1 {
		t.Errorf("the database was read %d times, want once: %+v", got.Loads+got.Refreshes, got)
	}
}

// TestCacheIsBounded searches more people than fit.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	st := storetest.New(t)
	p := small(t, st, limit)
	for range 12 {
		scope := vectors.Scope{Person: newPerson(t, st)}
		write(t, p, scope, 100) // 3,600 bytes, and what belongs to it
		if n := len(found(t, p, scope)); n != 100 {
			t.Fatalf("found %d of 100", n)
		}
		if got := p.CacheStats(); got.Bytes > limit || got.Shelves == 0 {
			t.Fatalf("the cache holds %d bytes in %d shelves, limit %d", got.Bytes, got.Shelves, limit)
		}
	}
	if got := p.CacheStats(); got.Evictions == 0 || got.Loads != 12 {
		t.Errorf("%+v", got)
	}
	large := vectors.Scope{Project: uuid.New()}
	write(t, p, large, 3000) // 24,000 bytes of codes alone
	if n := len(found(t, p, large)); n != 100 {
		t.Errorf("found %d of the closest 100", n)
	}
	if got := p.CacheStats(); got.Scans != 1 || got.Bytes > limit {
		t.Errorf("%+v", got)
	}
	if err := p.Close(); err != nil || p.CacheStats().Bytes != 0 {
		t.Errorf("closed, %v, and still holds %d bytes", err, p.CacheStats().Bytes)
	}
}

// TestSizesStandBesideEachOther changes to a model with larger vectors while the
// old ones are still there.
func TestSizesStandBesideEachOther(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	before, after, scope := small(t, st, 0), small(t, st, 0), vectors.Scope{Person: newPerson(t, st)}
	old := write(t, before, scope, 2)
	if err := after.Ensure(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	p := vectors.Point{ID: uuid.New(), Vector: []float32{1, 2, 3}, Scope: scope, Kind: "window", Model: "m@1", At: time.Now()}
	moved := p
	moved.ID = old[0]
	if err := after.Upsert(t.Context(), []vectors.Point{p, moved}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, before, scope); len(got) != 1 || got[0] != old[1] {
		t.Errorf("the old size finds %v, want %v", got, old[1:])
	}
	hits, err := after.Search(t.Context(), vectors.Query{Vector: []float32{1, 2, 3}, Scope: scope, Model: "m@1", Limit: 9})
	if err != nil || len(hits) != 2 {
		t.Errorf("the new size finds %v, %v, want two", hits, err)
	}
}

// TestDatabaseOutOfReach cuts the line to the database: it is an error that may
// pass, and when the line is back all is well.
func TestDatabaseOutOfReach(t *testing.T) {
	t.Parallel()
	direct := storetest.URL(t)
	line := newLine(t, direct)
	st := storetest.Open(t, line.url)
	p := small(t, st, 0)
	scope := vectors.Scope{Person: newPerson(t, st)}
	want := write(t, p, scope, 1)
	found(t, p, scope)
	line.cut()
	q := vectors.Query{Vector: []float32{1, 0}, Scope: scope, Model: "m@1", Limit: 1}
	if _, err := p.Search(t.Context(), q); !errors.Is(err, vectors.ErrUnreachable) {
		t.Errorf("search without a database: %v", err)
	}
	if err := p.Ping(t.Context()); !errors.Is(err, vectors.ErrUnreachable) || strings.Contains(err.Error(), "postgres://") {
		t.Errorf("ping without a database: %v", err)
	}
	line.mend()
	if got := found(t, p, scope); len(got) != 1 || got[0] != want[0] {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestRefusedIsNotUnreachable writes for a person who does not exist: to try
// again is of no use.
func TestRefusedIsNotUnreachable(t *testing.T) {
	t.Parallel()
	p := small(t, storetest.New(t), 0)
	err := p.Upsert(t.Context(), []vectors.Point{{
		ID: uuid.New(), Vector: []float32{1, 0}, Scope: vectors.Scope{Person: uuid.New()}, Kind: "window", Model: "m@1", At: time.Now(),
	}})
	if !errors.Is(err, store.ErrConflict) || errors.Is(err, vectors.ErrUnreachable) {
		t.Errorf("got %v, want a conflict", err)
	}
}

// line is a connection to the database that a test may cut.
type line struct {
	url, to string
	mu      sync.Mutex // guards what follows
	down    bool
	open    []net.Conn
	done    sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := &line{to: u.Host}
	u.Host = l.Addr().String()
	ln.url = u.String()
	ln.done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			ln.carry(c)
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		ln.cut()
		ln.done.Wait()
	})
	return ln
}

func (l *line) carry(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var d net.Dialer
	up, err := d.DialContext(context.Background(), "tcp", l.to)
	if l.down || err != nil {
		_ = c.Close()
		if up != nil {
			_ = up.Close()
		}
		return
	}
	l.open = append(l.open, c, up)
	for _, pair := range [][2]net.Conn{{c, up}, {up, c}} {
		l.done.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].Close()
			_ = pair[1].Close()
		})
	}
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for _, c := range l.open {
		_ = c.Close()
	}
	l.open = nil
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}
