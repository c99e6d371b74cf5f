package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
)

// checkpoints is where state graphs keep their threads.
type checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
	Sweep(ctx context.Context, before time.Time) (int, error)
	Close() error
}

var (
	_ checkpoints = (*checkpoint.Postgres)(nil)
	_ checkpoints = (*checkpoint.Failover)(nil)
)

// makeCheckpoints keeps threads in PostgreSQL, behind Redis where there is one.
// A Redis that cannot be reached now is no error: PostgreSQL serves until it can.
func (a *App) makeCheckpoints(context.Context) error {
	kept := a.cfg.Checkpoints
	a.postgres = checkpoint.NewPostgres(a.store, kept.Keep)
	a.checkpoints = a.postgres
	a.store.OnDelete(a.forgetThreads)
	if a.cfg.Redis.URL.Empty() {
		return nil
	}
	var err error
	a.redis, err = checkpoint.NewRedis(checkpoint.RedisConfig{URL: a.cfg.Redis.URL.Reveal(), Keep: kept.Keep, TTL: kept.TTL})
	if err != nil {
		return err
	}
	lost := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_checkpoints_degraded_total", Help: "Times that a store of checkpoints was lost, by which.",
	}, []string{"reason"})
	a.metrics.MustRegister(lost)
	a.failover = checkpoint.NewFailover(a.redis, a.postgres, checkpoint.FailoverConfig{
		Log: a.log,
		OnDegraded: func(part string, gone bool) { // the Failover logs it
			if gone {
				lost.WithLabelValues(part + "_lost").Inc()
			}
		},
	})
	a.checkpoints = a.failover
	return nil
}

const (
	// redisWait is how long the ending of a health check waits for a Redis that does
	// not answer: the last answers may be there alone, where the process died before
	// PostgreSQL had them. After that PostgreSQL's copy is the newest there is.
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
func (f afterRedis) Finish(ctx context.Context, c store.Call) error {
	if c.EndedAt != nil && time.Since(*c.EndedAt) < redisWait {
		ping, cancel := context.WithTimeout(ctx, redisPing)
		defer cancel()
		if err := f.redis.Ping(ping); err != nil {
			return jobs.LaterError{After: redisAgain, Reason: "redis"}
		}
	}
	return f.next.Finish(ctx, c)
}

// lostParts names the stores of checkpoints that are lost right now.
func (a *App) lostParts() []string {
	if a.failover == nil {
		return nil
	}
	var out []string
	for _, part := range a.failover.Degraded() {
		out = append(out, "checkpoints: "+part+" is lost")
	}
	return out
}

// sweepEvery is how often PostgreSQL is cleared of old threads; Redis forgets them
// by itself.
const sweepEvery = 6 * time.Hour

// sweepCheckpoints deletes what nobody has touched for as long as it is kept.
func (a *App) sweepCheckpoints(ctx context.Context) error {
	n, err := a.checkpoints.Sweep(ctx, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if n > 0 {
		a.log.InfoContext(ctx, "old checkpoints deleted", "count", n)
	}
	return err
}

// forgetThreads deletes a person's threads together with the person. PostgreSQL
// does so in the same transaction, and remembers that they are dead, so that no
// copy in Redis brings them back; that copy goes when it is committed.
func (a *App) forgetThreads(ctx context.Context, tx store.Tx, id store.PersonID) (done func(context.Context), err error) {
	// In Redis no thread can be searched for: a check's first conversation names it.
	recent, err := a.store.HealthConversations(ctx, tx, id, time.Now().Add(-a.cfg.Checkpoints.TTL))
	if err != nil {
		return nil, err
	}
	for i, conversation := range recent {
		recent[i] = health.ThreadName(id, conversation)
	}
	dead, err := a.postgres.Forget(ctx, tx, health.ThreadName(id, ""), recent)
	if err != nil || a.failover == nil {
		return nil, err
	}
	return func(ctx context.Context) {
		var errs []error
		for _, thread := range dead {
			errs = append(errs, a.failover.Delete(ctx, thread))
		}
		if err := errors.Join(errs...); err != nil { // they expire
			a.log.WarnContext(ctx, "checkpoints in redis are still to expire", slog.String("person_id", id.String()), slog.Any("err", err))
		}
	}, nil
}
