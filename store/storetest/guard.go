package storetest

import (
	"bytes"
	"context"
	"runtime"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// guard finds goroutines that take a connection from a pool while they hold one.
type guard struct {
	fail func(format string, args ...any)

	mu      sync.Mutex // guards holders
	holders map[*pgx.Conn]string
}

var (
	_ pgxpool.AcquireTracer = (*guard)(nil)
	_ pgxpool.ReleaseTracer = (*guard)(nil)
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

// TraceAcquireEnd notes who holds the connection.
func (g *guard) TraceAcquireEnd(_ context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	me, stack := goroutine()
	if data.Err != nil || bytes.Contains(stack, []byte("riverpgxv5.(*Listener).Connect")) { // which takes it out of the pool
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holders[data.Conn] = me
}

// TraceRelease notes that nobody holds the connection.
func (g *guard) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.holders, data.Conn)
}

// TraceQueryStart is there because pgx knows tracers of queries alone.
func (g *guard) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (g *guard) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// goroutine names the running goroutine, whose stack begins "goroutine 17 [".
func goroutine() (name string, stack []byte) {
	stack = make([]byte, 16<<10)
	stack = stack[:runtime.Stack(stack, false)]
	head, _, _ := bytes.Cut(stack, []byte(" ["))
	return string(head), stack
}
