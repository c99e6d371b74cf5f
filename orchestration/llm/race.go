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

// retryPause is the wait before the list of models is gone through again: long
// enough for a restarting server, short enough for someone on the phone.
const retryPause = 250 * time.Millisecond

var errLost = errors.New("another model was faster")

// race finds the model that says the first useful word. The first in the list
// starts; one that fails is replaced at once, one that is slow gets a rival
// alongside it. It belongs to one goroutine, which must call end.
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
	again    []string      // models worth another try
	pause    time.Duration // the longest wait one of those asked for
}

func (c *Client) race(p *payload, models []string, limits timing, keep bool) *race {
	rounds := 1 + max(0, c.cfg.Retries)
	return &race{
		client: c, payload: p, limits: limits, keep: keep,
		queue:   models,
		running: make(map[*attempt]struct{}, 2),
		results: make(chan *attempt, rounds*len(models)), // none blocks, whoever listens
	}
}

// run returns the winner, ready to go on, or an error: an
// *AllModelsFailedError, or why ctx ended.
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

// start starts the next model, if there is one.
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

// lost records an attempt that came to nothing.
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

// rest waits before another round, if one makes sense in the time that is
// left, and fills the queue for it.
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

// abandon ends what still runs because it is too late, and records it so.
func (r *race) abandon(ctx context.Context, late error) {
	for a := range r.running {
		a.cancel(late)
		elapsed := time.Since(a.began)
		r.failures = append(r.failures, ModelFailure{Model: a.model, Elapsed: elapsed, Err: late})
		r.client.log.WarnContext(ctx, "model attempt failed",
			slog.String("model", a.model), slog.Int64("elapsed_ms", elapsed.Milliseconds()), slog.String("reason", late.Error()))
	}
}

// stop ends what still runs. Where a reason was given before, that one stands.
func (r *race) stop() {
	for a := range r.running {
		a.cancel(errLost)
	}
}

// failed is the error of a race that nobody won.
func (r *race) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &AllModelsFailedError{Failures: r.failures}
}

// end stops the losers and waits until they are gone. The winner is not
// touched.
func (r *race) end() {
	r.stop()
	r.wg.Wait()
	close(r.results)
	for a := range r.results {
		a.close()
	}
}
