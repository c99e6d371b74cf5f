package storetest

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// guard detects goroutines that take a second connection from a pool, and counts round
// trips.
type guard struct {
	fail  func(format string, args ...any)
	trips Trips

	mu      sync.Mutex // guards holders
	holders map[*pgx.Conn]string
}

var (
	_ pgxpool.AcquireTracer = (*guard)(nil)
	_ pgxpool.ReleaseTracer = (*guard)(nil)
	_ pgx.BatchTracer       = (*guard)(nil)
)

// TraceAcquireStart fails the test if this goroutine holds a connection.
func (g *guard) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	me, stack := goroutine()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, holder := range g.holders {
		if holder == me {
			g.fail("a second connection is taken from the pool by who holds one:\n%s", stack)
			break
		}
	}
	return ctx
}

// TraceAcquireEnd records which goroutine holds the connection.
func (g *guard) TraceAcquireEnd(_ context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	me, stack := goroutine()
	if data.Err != nil || bytes.Contains(stack, []byte("riverpgxv5.(*Listener).Connect")) { // which hijacks the connection
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holders[data.Conn] = me
}

// TraceRelease records that no goroutine holds the connection any more.
func (g *guard) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.holders, data.Conn)
}

// TraceQueryStart counts a round trip with one statement.
func (g *guard) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	g.trips.trips.Add(1)
	g.trips.statements.Add(1)
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer]. It does nothing.
func (g *guard) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart counts a round trip with the statements of a batch.
func (g *guard) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	g.trips.trips.Add(1)
	g.trips.statements.Add(int64(data.Batch.Len()))
	return ctx
}

// TraceBatchQuery implements [pgx.BatchTracer]. It does nothing.
func (g *guard) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements [pgx.BatchTracer]. It does nothing.
func (g *guard) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Trips counts the round trips of a store to PostgreSQL, and the statements in them. It
// does not count the first preparation of a statement.
type Trips struct{ trips, statements atomic.Int64 }

// Of returns how many round trips work takes, and how many statements.
func (t *Trips) Of(work func()) (trips, statements int) {
	n, m := t.trips.Load(), t.statements.Load()
	work()
	return int(t.trips.Load() - n), int(t.statements.Load() - m)
}

// goroutine returns the name of the running goroutine, whose stack begins "goroutine 17 [".
func goroutine() (name string, stack []byte) {
	stack = make([]byte, 16<<10)
	stack = stack[:runtime.Stack(stack, false)]
	head, _, _ := bytes.Cut(stack, []byte(" ["))
	return string(head), stack
}
