package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// catchUp makes sure that somebody brings the stores in step: a goroutine that
// lives while there is something to do, and that Close waits for.
func (f *Failover) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
	case f.busy:
		select {
		case f.wake <- struct{}{}:
		default:
		}
	default:
		f.busy = true
		f.working.Go(f.run)
	}
}

// run goes on until both parts are there and in step, or until Close. Everything
// in it has a deadline, so Close need not interrupt it.
func (f *Failover) run() {
	wait := f.cfg.Retry
	probe := time.NewTimer(wait)
	defer probe.Stop()
	for {
		f.flush()
		f.repair()
		if f.rest() {
			return
		}
		select {
		case <-f.wake:
		case <-probe.C:
			if f.probe() {
				wait = f.cfg.Retry
			} else {
				wait = min(2*wait, 8*f.cfg.Retry)
			}
			probe.Reset(wait)
		case <-f.stop:
			return
		}
	}
}

// rest reports whether nothing is left to do, and if so ends the catch-up: what
// comes later starts another.
func (f *Failover) rest() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, th := range f.todo {
		if th.instep() {
			delete(f.todo, name)
		}
	}
	f.busy = len(f.todo) > 0 || f.lost[PartRedis] || f.lost[PartPostgres]
	return !f.busy
}

// work returns the threads that are not in step.
func (f *Failover) work() map[string]*thread {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.todo)
}

// flush lets PostgreSQL hear of what it has missed.
func (f *Failover) flush() {
	for name, th := range f.work() {
		if f.isLost(PartPostgres) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), f.cfg.PostgresTimeout)
		err := f.tell(ctx, name, th)
		if err != nil {
			f.lose(ctx, PartPostgres, err)
		}
		cancel()
	}
}

// flushAll is flush at the end, whether PostgreSQL was lost or not.
func (f *Failover) flushAll(ctx context.Context) error {
	var errs []error
	for name, th := range f.work() {
		if err := f.tell(ctx, name, th); err != nil {
			errs = append(errs, fmt.Errorf("checkpoints that only redis has: %w", err))
		}
	}
	return errors.Join(errs...)
}

// tell lets PostgreSQL hear of what it has missed of one thread. What it can
// never take is given up, and Redis keeps it alone.
func (f *Failover) tell(ctx context.Context, name string, th *thread) error {
	if err := th.hush(ctx); err != nil {
		return err
	}
	defer th.unhush()
	owed := f.pending(th)
	if owed.empty() {
		return nil
	}
	err := f.pg.Merge(ctx, name, owed)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && hopeless(pg.Code) {
		f.log.LogAttrs(ctx, slog.LevelError, "postgres cannot keep checkpoint", slog.String("thread", name), slog.Any("err", err))
		err = nil
	}
	if err == nil {
		f.paid(th, &owed)
	}
	return err
}

// hopeless reports whether an error of PostgreSQL is about what it was told and
// not about its own state: data exceptions, broken constraints, syntax.
func hopeless(code string) bool {
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "23") || strings.HasPrefix(code, "42")
}

// repair lets a Redis that is there hear of what it has missed.
func (f *Failover) repair() {
	for name, th := range f.work() {
		if f.isLost(PartRedis) {
			return
		}
		f.mend(name, th)
	}
}

// probe asks parts that are lost for a sign of life, and reports whether none is
// lost any more. A Redis that answers but takes nothing stays lost.
func (f *Failover) probe() bool {
	if f.isLost(PartPostgres) {
		ctx, cancel := context.WithTimeout(context.Background(), f.cfg.PostgresTimeout)
		defer cancel()
		if f.pg.Ping(ctx) == nil {
			f.regain(ctx, PartPostgres)
		}
	}
	if f.isLost(PartRedis) {
		ctx, cancel := context.WithTimeout(context.Background(), f.cfg.RedisTimeout)
		defer cancel()
		if f.redis.Ping(ctx) == nil && f.takes() {
			f.regain(ctx, PartRedis)
		}
	}
	return !f.isLost(PartPostgres) && !f.isLost(PartRedis)
}

// takes reports whether Redis can be brought in step with one of the threads
// that it lags behind, if there are any.
func (f *Failover) takes() bool {
	for name, th := range f.work() {
		if mended, tried := f.mend(name, th); tried {
			return mended
		}
	}
	return true
}

// mend brings Redis in step with one thread. It reports whether there was
// something to do for Redis, and whether that is done.
func (f *Failover) mend(name string, th *thread) (mended, tried bool) {
	ctx, cancel := context.WithTimeout(context.Background(), f.cfg.PostgresTimeout)
	defer cancel()
	if th.enter(ctx) != nil {
		return false, false // it is in use; there is another time
	}
	defer th.exit()
	f.mu.Lock()
	dead, lags, outage, rev := th.dead, th.lags, f.outage, th.rev
	f.mu.Unlock()
	if dead > 0 {
		tried = true
		if err := f.redis.Bury(ctx, name, dead); err != nil {
			f.fault(ctx, PartRedis, err)
			return false, true
		}
		f.mu.Lock()
		if th.dead == dead {
			th.dead = 0
		}
		f.mu.Unlock()
	}
	if !lags {
		return tried, tried
	}
	pending := f.pending(th) // before the load, as in fromPostgres
	h, err := f.pg.Load(ctx, name)
	if err != nil {
		f.fault(ctx, PartPostgres, err)
		return false, tried // says nothing about Redis
	}
	h, err = bounded(ctx, f.cfg.RedisTimeout, func(ctx context.Context) (History, error) { // a turn may be waiting
		there, err := f.redis.Load(ctx, name)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return h, err
		}
		h := union(union(h, there, f.keep), pending.clone(), f.keep)
		return h, f.redis.Merge(ctx, name, h)
	})
	if err != nil {
		f.lose(ctx, PartRedis, err)
		return false, true
	}
	f.mu.Lock()
	th.lags, th.seen = false, outage
	if th.rev == rev || h.rev() > th.rev {
		th.rev = h.rev()
	}
	f.mu.Unlock()
	return true, true
}
