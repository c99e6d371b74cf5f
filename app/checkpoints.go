package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
)

// makeCheckpoints keeps threads in PostgreSQL, and in Redis where there is one. A
// Redis that cannot be reached now is no error.
func (a *App) makeCheckpoints(context.Context) error {
	missed := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_checkpoints_degraded_total", Help: "Loads, saves and deletions that went on without a store of checkpoints, by which.",
	}, []string{"reason"})
	a.metrics.MustRegister(missed)
	var err error
	a.checkpoints, err = checkpoint.New(a.store, checkpoint.Config{
		RedisURL: a.cfg.Redis.URL.Reveal(), Keep: a.cfg.Checkpoints.Keep, TTL: a.cfg.Checkpoints.TTL, Log: a.log,
		OnMissed: func(part string) { missed.WithLabelValues(part + "_lost").Inc() },
	})
	a.store.OnDelete(a.forgetThreads)
	return err
}

const (
	// redisWait is how long the ending of a health check waits for a Redis that does
	// not answer: the last answers may be there alone, where PostgreSQL was away when
	// they were saved. After that PostgreSQL's copy is the newest there is.
	redisWait  = 15 * time.Minute
	redisAgain = 10 * time.Second
	redisPing  = 2 * time.Second
)

// afterRedis runs what follows a call once Redis answers.
type afterRedis struct {
	redis interface {
		Ping(ctx context.Context) error
	}
	next jobs.Finisher
}

// Finish returns a [jobs.LaterError] where Redis does not answer.
func (f afterRedis) Finish(ctx context.Context, c calls.Call) error {
	if c.EndedAt != nil && time.Since(*c.EndedAt) < redisWait {
		ping, cancel := context.WithTimeout(ctx, redisPing)
		defer cancel()
		if err := f.redis.Ping(ping); err != nil {
			return jobs.LaterError{After: redisAgain, Reason: "redis"}
		}
	}
	return f.next.Finish(ctx, c)
}

// sweepEvery is how often PostgreSQL is cleared of old threads, which Redis forgets
// by itself, and Redis of those that were deleted while it was away.
const sweepEvery = time.Hour

// sweepCheckpoints deletes what nobody has touched for as long as it is kept.
func (a *App) sweepCheckpoints(ctx context.Context) error {
	n, err := a.checkpoints.Sweep(ctx, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if n > 0 {
		a.log.InfoContext(ctx, "old checkpoints deleted", "count", n)
	}
	return err
}

// forgetThreads deletes a person's threads together with the person: in PostgreSQL
// in the same transaction, and in Redis when it is committed.
func (a *App) forgetThreads(ctx context.Context, tx store.Tx, id store.PersonID) (done func(context.Context), err error) {
	// In Redis no thread can be searched for: a check's first conversation names it.
	recent, err := a.store.HealthConversations(ctx, tx, id, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if err != nil {
		return nil, err
	}
	for i, conversation := range recent {
		recent[i] = health.ThreadName(id, conversation)
	}
	return a.checkpoints.Forget(ctx, tx, health.ThreadName(id, ""), recent)
}
