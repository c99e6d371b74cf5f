package pg

import (
	"context"
	"errors"
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

// together collects statements while others are under way.
type together struct {
	mu      sync.Mutex // guards what follows
	waiting []*joint
	busy    bool
}

// joint is a statement that is asked together with others. done is closed once err is set.
type joint struct {
	ctx  context.Context //nolint:containedctx // its caller waits for it
	ask  Question
	err  error
	done chan struct{}
}

// Together asks one statement. Those that come while one is under way wait for it
// and are then asked in one round trip and one transaction, so that many at a time
// cost little more than one. Each has its own error: where the server refuses one of
// a batch, all of them are asked again, each by itself. A caller whose ctx ends does
// not know whether its statement was carried out.
func (s *DB) Together(ctx context.Context, ask Question) error {
	j := &joint{ctx: ctx, ask: ask, done: make(chan struct{})}
	t := &s.together
	t.mu.Lock()
	t.waiting = append(t.waiting, j)
	if !t.busy {
		t.busy = true
		go s.carryOut() //nolint:contextcheck // it asks for others, too
	}
	t.mu.Unlock()
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// carryOut asks what waits, until nothing does or another has taken over.
func (s *DB) carryOut() {
	t := &s.together
	for {
		t.mu.Lock()
		batch := t.waiting[:min(len(t.waiting), togetherMost)]
		t.waiting = t.waiting[len(batch):]
		t.busy = len(batch) > 0
		t.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		late := time.AfterFunc(togetherPatience, s.carryOut)
		err := survive.Try(s.Log, "together", func() error { s.askAll(batch); return nil })
		for _, j := range batch {
			if err != nil {
				j.err = err
			}
			close(j.done)
		}
		if !late.Stop() {
			return
		}
	}
}

// askAll asks a batch and notes what came of each statement.
func (s *DB) askAll(batch []*joint) {
	var err error
	alone := len(batch) == 1
	if !alone {
		err = s.askAtOnce(batch)
		_, alone = errors.AsType[*pgconn.PgError](err)
	}
	for _, j := range batch {
		if alone {
			j.err = j.ask(s.Conn)
		} else if err != nil {
			j.err = err
		}
	}
}

// askAtOnce asks a batch in one transaction: all of it is carried out, or none.
func (s *DB) askAtOnce(batch []*joint) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(batch[0].ctx), togetherDeadline)
	defer cancel()
	var b pgx.Batch
	for _, j := range batch {
		if err := j.ask(queue{&b}); !errors.Is(err, errQueued) {
			panic("a question has to ask one statement, and return its error")
		}
	}
	sent := s.Pool.SendBatch(ctx, &b)
	for _, j := range batch {
		if j.err = j.ask(answers{sent}); j.err != nil && !errors.Is(j.err, pgx.ErrNoRows) {
			_ = sent.Close() // it repeats the error
			return j.err
		}
	}
	return sent.Close()
}
