package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// busyWait is the wait before a retry if the queue's turn is taken.
const busyWait = time.Second

// Limit is how often jobs of a queue may start, across all processes.
type Limit struct {
	Starts int
	Per    time.Duration
}

// renewEvery is how often a running job renews its turn. The turn lapses after four times
// as long (see job_starts.sql), so a dead process does not block the queue for long.
const renewEvery = 5 * time.Second

// Admit asks to run one job of a queue that runs one job at a time across all processes,
// and starts no more than limit allows. It returns either a release function, which must be
// called when the job has ended, or how long to wait before asking again. It holds no
// connection while the job runs.
func (s *Store) Admit(ctx context.Context, queue string, limit Limit, now time.Time) (release func(), wait time.Duration, err error) {
	holder := pg.NewID()
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		n, err := s.db.Q.JobTurnTake(ctx, tx, db.JobTurnTakeParams{Queue: queue, Holder: holder})
		if err != nil {
			return err
		}
		if n == 0 {
			wait = busyWait
			return nil
		}
		if wait, err = s.startUnder(ctx, tx, queue, limit, now); err != nil || wait == 0 {
			return err
		}
		return s.db.Q.JobTurnEnd(ctx, tx, holder)
	})
	if err != nil || wait > 0 {
		return nil, wait, pg.WrapErr(err, "admit to %s", queue)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.renewTurn(renewing, queue, holder)
	}()
	return func() {
		stop()
		<-stopped
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), pg.ConnectTimeout)
		defer cancel()
		if err := s.db.Q.JobTurnEnd(end, s.db.Conn, holder); err != nil {
			s.db.Log.WarnContext(ctx, "turn of a queue is left to end by itself", "queue", queue, "err", err)
		}
	}, 0, nil
}

// renewTurn renews a turn until ctx is done.
func (s *Store) renewTurn(ctx context.Context, queue string, holder uuid.UUID) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.db.Q.JobTurnRenew(ctx, s.db.Conn, holder); err != nil && ctx.Err() == nil {
				s.db.Log.WarnContext(ctx, "turn of a queue is not renewed", "queue", queue, "err", err)
			}
		}
	}
}

// startUnder records a start, or returns how long until one is allowed.
func (s *Store) startUnder(ctx context.Context, tx pg.Tx, queue string, limit Limit, now time.Time) (time.Duration, error) {
	since := now.Add(-limit.Per)
	starts, err := s.db.Q.JobStartsSince(ctx, tx, db.JobStartsSinceParams{Queue: queue, Since: since})
	if err != nil {
		return 0, err
	}
	if len(starts) >= limit.Starts {
		return max(starts[len(starts)-limit.Starts].Add(limit.Per).Sub(now), time.Millisecond), nil
	}
	if err := s.db.Q.JobStartsPrune(ctx, tx, db.JobStartsPruneParams{Queue: queue, Before: since}); err != nil {
		return 0, err
	}
	return 0, s.db.Q.JobStartInsert(ctx, tx, db.JobStartInsertParams{Queue: queue, At: now})
}
