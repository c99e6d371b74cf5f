package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/personas/cognitive"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
)

// makeCheckpoints makes the store of threads, in PostgreSQL and, if configured, in Redis. A Redis
// that is unreachable now is no error.
func (a *App) makeCheckpoints(context.Context) error {
	missed := promauto.With(a.metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_checkpoints_degraded_total", Help: "Loads, saves and deletions that went on without a store of checkpoints, by which.",
	}, []string{"reason"})
	var err error
	a.checkpoints, err = checkpoint.New(a.store, checkpoint.Config{
		RedisURL: a.cfg.Redis.URL.Reveal(), Keep: a.cfg.Checkpoints.Keep, TTL: a.cfg.Checkpoints.TTL, Log: a.log,
		OnMissed: func(part string) { missed.WithLabelValues(part + "_lost").Inc() },
	})
	if err != nil {
		return err
	}
	a.onStopDo(a.checkpoints.Close)
	a.store.OnDelete(a.forgetThreads)
	return nil
}

const (
	// redisWait is how long the ending of a health check waits for a Redis that does not answer:
	// Redis alone may have the last answers, if PostgreSQL was away when they were saved. After
	// that time PostgreSQL's copy is the newest there is.
	redisWait  = 15 * time.Minute
	redisAgain = 10 * time.Second
	redisPing  = 2 * time.Second
)

// afterRedis returns a finisher that calls next once Redis answers, or redisWait after the call's
// end. Until then it returns a [jobs.LaterError].
func afterRedis(ping func(context.Context) error, next jobs.Finisher) jobs.Finisher {
	return func(ctx context.Context, c calls.Call) error {
		if c.EndedAt != nil && time.Since(*c.EndedAt) < redisWait {
			short, cancel := context.WithTimeout(ctx, redisPing)
			defer cancel()
			if ping(short) != nil {
				return jobs.LaterError{After: redisAgain, Reason: "redis"}
			}
		}
		return next(ctx, c)
	}
}

// sweepEvery is how often PostgreSQL is cleared of old threads, which Redis expires by itself,
// and Redis of threads that were deleted while it was away.
const sweepEvery = time.Hour

// sweepCheckpoints deletes the threads that have not been touched for Checkpoints.TTL.
func (a *App) sweepCheckpoints(ctx context.Context) error {
	n, err := a.checkpoints.Sweep(ctx, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if n > 0 {
		a.log.InfoContext(ctx, "old checkpoints deleted", "count", n)
	}
	return err
}

// forgetThreads deletes a person's threads together with the person: in PostgreSQL in the same
// transaction, and in Redis when done is called after the commit.
func (a *App) forgetThreads(ctx context.Context, tx store.Tx, id store.PersonID) (done func(context.Context), err error) {
	// Redis cannot be searched for threads, so their names are derived from the first
	// conversation of each check.
	recent, err := a.store.HealthConversations(ctx, tx, id, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if err != nil {
		return nil, err
	}
	for i, conversation := range recent {
		recent[i] = health.ThreadName(id, conversation)
	}
	checks, err := a.checkpoints.Forget(ctx, tx, health.ThreadName(id, ""), recent)
	if err != nil {
		return nil, err
	}
	rounds, err := a.checkpoints.Forget(ctx, tx, council.ThreadName(id, ""), nil)
	if err != nil {
		return nil, err
	}
	sessions, err := a.checkpoints.Forget(ctx, tx, appliance.ThreadName(id, ""), nil)
	if err != nil {
		return nil, err
	}
	cognition, err := a.checkpoints.Forget(ctx, tx, cognitive.ThreadName(id, ""), nil)
	return func(ctx context.Context) { checks(ctx); rounds(ctx); sessions(ctx); cognition(ctx) }, err
}
