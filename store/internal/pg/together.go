package pg

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/survive"
)

const (
	// togetherMost is the maximum size of a batch.
	togetherMost = 64
	// togetherPatience is how long a batch blocks the next one: a batch that waits for a
	// lock must not hold up everything else.
	togetherPatience = 50 * time.Millisecond
	// togetherDeadline limits the time of a batch, which has no caller of its own.
	togetherDeadline = 5 * time.Second
)

// A Batcher processes items in batches: items that arrive while a batch is running wait for
// it and are then processed together. It may be used concurrently.
type Batcher[T any] struct {
	// Do processes a batch and returns one error per item, or nil if there are none. ctx
	// has a deadline, independent of the callers' contexts.
	Do  func(ctx context.Context, batch []T) []error
	Log *slog.Logger

	mu      sync.Mutex // guards the fields below
	waiting []*joint[T]
	busy    bool
}

// joint is an item of a batch. done is closed once err is set.
type joint[T any] struct {
	what T
	err  error
	done chan struct{}
}

// Add processes one item, and returns its error. A caller whose ctx is done does not know
// whether it was processed.
func (b *Batcher[T]) Add(ctx context.Context, what T) error {
	j := &joint[T]{what: what, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, j)
	if !b.busy {
		b.busy = true
		go b.carryOut(context.WithoutCancel(ctx))
	}
	b.mu.Unlock()
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// carryOut processes waiting items until there are none, or another goroutine has taken
// over.
func (b *Batcher[T]) carryOut(ctx context.Context) {
	for {
		b.mu.Lock()
		batch := b.waiting[:min(len(b.waiting), togetherMost)]
		b.waiting = b.waiting[len(batch):]
		b.busy = len(batch) > 0
		b.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		late := time.AfterFunc(togetherPatience, func() { b.carryOut(ctx) })
		b.do(ctx, batch)
		if !late.Stop() {
			return
		}
	}
}

func (b *Batcher[T]) do(ctx context.Context, batch []*joint[T]) {
	ctx, cancel := context.WithTimeout(ctx, togetherDeadline)
	defer cancel()
	all := make([]T, len(batch))
	for i, j := range batch {
		all[i] = j.what
	}
	var errs []error
	err := survive.Try(b.Log, "together", func() error { errs = b.Do(ctx, all); return nil })
	for i, j := range batch {
		if j.err = err; err == nil && errs != nil {
			j.err = errs[i]
		}
		close(j.done)
	}
}

// Together runs one statement. Statements that arrive while one is running wait for it and
// are then run in one round trip and one transaction, so many at a time cost little more
// than one. Each has its own error: if the server refuses one of a batch, all are run
// again, each separately. A caller whose ctx is done does not know whether its statement
// was run.
func (s *DB) Together(ctx context.Context, ask Question) error { return s.together.Add(ctx, ask) }

// askAll runs a batch and returns the error of each statement.
func (s *DB) askAll(ctx context.Context, batch []Question) []error {
	errs := make([]error, len(batch))
	var err error
	alone := len(batch) == 1
	if !alone {
		err = s.askAtOnce(ctx, batch, errs)
		_, alone = errors.AsType[*pgconn.PgError](err)
	}
	for i, ask := range batch {
		if alone {
			errs[i] = ask(s.Conn)
		} else if err != nil {
			errs[i] = err
		}
	}
	return errs
}

// askAtOnce runs a batch in one transaction, all or nothing.
func (s *DB) askAtOnce(ctx context.Context, batch []Question, errs []error) error {
	var b pgx.Batch
	for _, ask := range batch {
		if err := ask(queue{&b}); !errors.Is(err, errQueued) {
			panic("a question has to ask one statement, and return its error")
		}
	}
	sent := s.Pool.SendBatch(ctx, &b)
	for i, ask := range batch {
		if errs[i] = ask(answers{sent}); errs[i] != nil && !errors.Is(errs[i], pgx.ErrNoRows) {
			_ = sent.Close() // it repeats the error
			return errs[i]
		}
	}
	return sent.Close()
}
