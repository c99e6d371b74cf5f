package store

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
)

// busyWait is how long somebody who found a queue taken should stay away.
const busyWait = time.Second

// Limit is how often jobs of a queue may begin, across all processes.
type Limit struct {
	Starts int
	Per    time.Duration
}

// Admit asks to run one job of a queue of which one at a time may run across
// all processes, and no more than limit allows. It returns either a release
// function, to be called when the job has ended, or how long to wait before asking again.
//
// The permission hangs on a database session: where the process dies, it is free again.
func (s *Store) Admit(ctx context.Context, queue string, limit Limit, now time.Time) (release func(), wait time.Duration, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, 0, said(err, "admit to %s", queue)
	}
	got, err := s.q.JobLock(ctx, conn, queue)
	if err != nil || !got {
		conn.Release()
		return nil, busyWait, said(err, "lock queue %s", queue)
	}
	release = func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		if err := s.q.JobUnlock(end, conn, queue); err != nil {
			_ = conn.Conn().Close(end) // the lock goes with the session
		}
		conn.Release()
	}
	wait, err = s.startUnder(ctx, conn, queue, limit, now)
	if err != nil || wait > 0 {
		release()
		return nil, wait, said(err, "count starts of %s", queue)
	}
	return release, 0, nil
}

// startUnder records a start, or says how long until one is allowed.
func (s *Store) startUnder(ctx context.Context, h db.DBTX, queue string, limit Limit, now time.Time) (time.Duration, error) {
	since := now.Add(-limit.Per)
	starts, err := s.q.JobStartsSince(ctx, h, db.JobStartsSinceParams{Queue: queue, Since: since})
	if err != nil {
		return 0, err
	}
	if len(starts) >= limit.Starts {
		return max(starts[len(starts)-limit.Starts].Add(limit.Per).Sub(now), time.Millisecond), nil
	}
	if err := s.q.JobStartsPrune(ctx, h, db.JobStartsPruneParams{Queue: queue, Before: since}); err != nil {
		return 0, err
	}
	return 0, s.q.JobStartInsert(ctx, h, db.JobStartInsertParams{Queue: queue, At: now})
}
