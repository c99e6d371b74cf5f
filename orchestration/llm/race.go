package llm

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/naiber/naiber/store/survive"
)

// retryPause is the wait before the list of models is tried again: long enough for a restarting
// server, short enough for a person on the phone.
const retryPause = 250 * time.Millisecond

var errLost = errors.New("another model was faster")

// race finds the model that says the first useful word. The first one in the list starts; one that
// fails is replaced at once, and one that is slow is hedged by the next. It must be used by one
// goroutine, which must call end.
type race struct {
	client  *Client
	payload *payload
	limits  timing
	keep    bool // see attempt.keep

	queue    []string
	started  int
	running  map[*attempt]struct{}
	results  chan *attempt
	wg       sync.WaitGroup
	failures []ModelFailure
	again    []string      // models worth a retry
	pause    time.Duration // the longest Retry-After of those
}

func (c *Client) race(p *payload, models []string, limits timing, keep bool) *race {
	rounds := 1 + max(0, c.cfg.Retries)
	return &race{
		client: c, payload: p, limits: limits, keep: keep,
		queue:   models,
		running: make(map[*attempt]struct{}, 2),
		results: make(chan *attempt, rounds*len(models)), // buffered, so that no attempt blocks
	}
}

// run returns the winner, ready to be read further, or an error: an *AllModelsFailedError, or the
// cause of ctx.
func (r *race) run(ctx context.Context) (*attempt, error) {
	first := time.NewTimer(r.limits.first)
	defer first.Stop()
	hedge := time.NewTimer(r.limits.failover)
	defer hedge.Stop()
	began := time.Now()
	rounds := max(0, r.client.cfg.Retries)

	r.start(ctx)
	for {
		select {
		case a := <-r.results:
			delete(r.running, a)
			if a.err == nil {
				r.stop()
				return a, nil
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			r.lost(ctx, a)
			if len(r.queue) == 0 && len(r.running) == 0 {
				left := r.limits.first - time.Since(began)
				if rounds == 0 || !r.rest(ctx, left) {
					return nil, r.failed(ctx)
				}
				rounds--
			}
			if r.start(ctx) {
				hedge.Reset(r.limits.failover)
			}
		case <-hedge.C:
			if r.start(ctx) {
				hedge.Reset(r.limits.failover)
			}
		case <-first.C:
			r.abandon(ctx, &TimeoutError{What: "first token", After: r.limits.first})
			return nil, r.failed(ctx)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// start starts the next model, and reports whether there was one.
func (r *race) start(ctx context.Context) bool {
	if len(r.queue) == 0 {
		return false
	}
	model := r.queue[0]
	r.queue = r.queue[1:]
	r.started++
	ctx, cancel := context.WithCancelCause(ctx)
	a := &attempt{
		client: r.client, model: model, keep: r.keep, began: time.Now(), cancel: cancel,
		cause: func() error { return context.Cause(ctx) },
	}
	r.running[a] = struct{}{}
	r.wg.Go(func() {
		if err := survive.Try(r.client.log, "model_attempt", func() error { a.open(ctx, r.payload); return nil }); err != nil {
			a.err = err
			a.close()
		}
		r.results <- a
	})
	return true
}

// lost records a failed attempt.
func (r *race) lost(ctx context.Context, a *attempt) {
	elapsed := time.Since(a.began)
	r.failures = append(r.failures, ModelFailure{Model: a.model, Elapsed: elapsed, Err: a.err})
	if passing(a.err) {
		r.again = append(r.again, a.model)
		if e, ok := errors.AsType[*StatusError](a.err); ok {
			r.pause = max(r.pause, e.RetryAfter)
		}
	}
	r.client.log.WarnContext(ctx, "model attempt failed",
		slog.String("model", a.model), slog.Int64("elapsed_ms", elapsed.Milliseconds()), slog.String("reason", a.err.Error()))
}

// rest waits before another round and fills the queue for it. It returns false if no model is worth
// a retry or too little time is left.
func (r *race) rest(ctx context.Context, left time.Duration) bool {
	wait := max(r.pause, retryPause+rand.N(retryPause/2)) //nolint:gosec // spreads retries; nothing is secret
	if len(r.again) == 0 || wait >= left {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	r.queue, r.again, r.pause = r.again, nil, 0
	return true
}

// abandon cancels the attempts that still run because they are late, and records that.
func (r *race) abandon(ctx context.Context, late error) {
	for a := range r.running {
		a.cancel(late)
		elapsed := time.Since(a.began)
		r.failures = append(r.failures, ModelFailure{Model: a.model, Elapsed: elapsed, Err: late})
		r.client.log.WarnContext(ctx, "model attempt failed",
			slog.String("model", a.model), slog.Int64("elapsed_ms", elapsed.Milliseconds()), slog.String("reason", late.Error()))
	}
}

// stop cancels the attempts that still run. A reason given before is kept.
func (r *race) stop() {
	for a := range r.running {
		a.cancel(errLost)
	}
}

// failed returns the error of a race without a winner.
func (r *race) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &AllModelsFailedError{Failures: r.failures}
}

// end cancels the losers and waits until they have ended. It leaves the winner alone.
func (r *race) end() {
	r.stop()
	r.wg.Wait()
	close(r.results)
	for a := range r.results {
		a.close()
	}
}
