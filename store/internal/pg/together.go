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
	// togetherMost bounds a batch.
	togetherMost = 64
	// togetherPatience is how long a batch keeps others waiting: one that waits for a
	// lock must not hold up everybody.
	togetherPatience = 50 * time.Millisecond
	// togetherDeadline bounds a batch, which has no caller of its own.
	togetherDeadline = 5 * time.Second
)

// A Batcher does things in batches: those that come while one is under way wait for it
// and then go together. It may be used concurrently.
type Batcher[T any] struct {
	// Do does a batch and returns an error for each of its things, or nil for none. ctx
	// ends after a while, whether or not those who wait have gone.
	Do  func(ctx context.Context, batch []T) []error
	Log *slog.Logger

	mu      sync.Mutex // guards what follows
	waiting []*joint[T]
	busy    bool
}

// joint is a thing that is done together with others. done is closed once err is set.
type joint[T any] struct {
	what T
	err  error
	done chan struct{}
}

// Add does one thing, and returns its error. A caller whose ctx ends does not know
// whether it was done.
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

// carryOut does what waits, until nothing does or another has taken over.
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

// Together asks one statement. Those that come while one is under way wait for it
// and are then asked in one round trip and one transaction, so that many at a time
// cost little more than one. Each has its own error: where the server refuses one of
// a batch, all of them are asked again, each by itself. A caller whose ctx ends does
// not know whether its statement was carried out.
func (s *DB) Together(ctx context.Context, ask Question) error { return s.together.Add(ctx, ask) }

// askAll asks a batch and returns what came of each statement.
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

// askAtOnce asks a batch in one transaction: all of it is carried out, or none.
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
