package schedules

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Key returns the idempotency key of the call that the n-th try of an occurrence places.
func Key(occurrence uuid.UUID, n int) string { return fmt.Sprintf("occurrence:%s:%d", occurrence, n) }

// Verdict is the decision on an occurrence. If Status is Due, At is the time of the next
// try.
type Verdict struct {
	Status Status
	At     time.Time
	Why    string
}

// Limits are the limits on the calls that all processes place together.
type Limits struct {
	AtOnce int           // calls in progress
	Every  time.Duration // interval between two starts
	Single bool          // none starts before the carrier was asked for the last one
}

// Proper are the causes with which proper calls end that reached the person.
var Proper = []string{"goodbye", "hung_up", "time_limit", "opted_out", "operator"}

// clocksApart is how far the clock of another process may be ahead. A start later than that
// dates from before the clock was set back.
const clocksApart = time.Minute

// askedWithin exceeds the time in which the carrier answers whether it places a call.
const askedWithin = time.Minute

// ClaimOccurrence starts a try of the next occurrence to call, and calls after in the same
// transaction, which makes the job that places the call exist exactly when the try does. It
// returns false if there is no occurrence, and sets wait if there may be one soon. If the
// occurrence was already made by another call of the person's, or its schedule was stopped,
// it is settled without a try; then claimed is true, and there may be more.
func (s *Store) ClaimOccurrence(ctx context.Context, now time.Time, l Limits, after func(tx pg.Tx, o Occurrence) error) (claimed bool, wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		claimed, wait = false, 0
		mine, err := s.db.Q.DispatchLock(ctx, tx)
		if err != nil || !mine {
			return err
		}
		load, err := s.db.Q.DispatchLoad(ctx, tx, now.Add(-askedWithin))
		if err != nil || load.Calling >= l.AtOnce || l.Single && load.Unasked > 0 {
			return err
		}
		if since := now.Sub(load.LastStart); since < l.Every && since > -clocksApart {
			wait = min(l.Every-since, l.Every)
			return nil
		}
		row, found, err := pg.IfAny(s.db.Q.OccurrenceNext(ctx, tx, now))
		if err != nil || !found {
			return err
		}
		claimed = true
		o := occurrence(row.Occurrence)
		if row.Stopped {
			return s.settle(ctx, tx, o, Verdict{Status: Skipped, Why: "the schedule was paused or removed"}, now)
		}
		if made, err := s.made(ctx, tx, o, now); made || err != nil {
			return err
		}
		o.Attempts++
		o.Status = Calling
		if err := s.db.Q.AttemptInsert(ctx, tx, db.AttemptInsertParams{OccurrenceID: o.ID, N: o.Attempts, StartedAt: now}); err != nil {
			return err
		}
		if err := s.db.Q.OccurrenceBegin(ctx, tx, db.OccurrenceBeginParams{ID: o.ID, N: o.Attempts}); err != nil {
			return err
		}
		return after(tx, o)
	})
	return claimed && err == nil, wait, pg.WrapErr(err, "claim an occurrence")
}

// made settles an occurrence that another call of the person's has already made, because
// they phoned or were called back. It reports whether it did.
func (s *Store) made(ctx context.Context, tx pg.Tx, o Occurrence, now time.Time) (bool, error) {
	id, found, err := pg.IfAny(s.db.Q.OccurrenceMade(ctx, tx, db.OccurrenceMadeParams{
		PersonID: o.PersonID.UUID, CallType: string(o.CallType), Causes: Proper, Since: o.WindowStart,
	}))
	if err != nil || !found {
		return false, err
	}
	o.Attempts++
	if err := s.db.Q.AttemptInsert(ctx, tx, db.AttemptInsertParams{
		OccurrenceID: o.ID, N: o.Attempts, CallID: pg.CallID{UUID: id}, StartedAt: now, EndedAt: &now, Result: string(Reached),
	}); err != nil {
		return false, err
	}
	return true, s.settle(ctx, tx, o, Verdict{Status: Done, Why: "they were spoken with in another call"}, now)
}

// settle records a verdict.
func (s *Store) settle(ctx context.Context, tx pg.Tx, o Occurrence, v Verdict, now time.Time) error {
	p := db.OccurrenceSettleParams{ID: o.ID, Status: string(v.Status), Why: v.Why, NextAt: o.NextAt, Attempts: o.Attempts}
	if v.Status == Due {
		p.NextAt = v.At
	} else {
		p.SettledAt = &now
	}
	return s.db.Q.OccurrenceSettle(ctx, tx, p)
}

// TriedOccurrence returns an occurrence whose n-th try is in progress, or [pg.ErrNotFound]
// if the try has ended or was never started.
func (s *Store) TriedOccurrence(ctx context.Context, id uuid.UUID, n int) (Occurrence, error) {
	row, err := s.db.Q.OccurrenceTried(ctx, s.db.Conn, db.OccurrenceTriedParams{ID: id, N: n})
	return occurrence(row), err
}

// WithdrawTry deletes a try without a recorded call, and records the decision on the
// occurrence. If the try is no longer in progress, it is a no-op.
func (s *Store) WithdrawTry(ctx context.Context, id uuid.UUID, n int, v Verdict, now time.Time) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		row, found, err := pg.IfAny(s.db.Q.OccurrenceTried(ctx, tx, db.OccurrenceTriedParams{ID: id, N: n}))
		if err != nil || !found {
			return err
		}
		if err := s.db.Q.AttemptDelete(ctx, tx, db.AttemptDeleteParams{OccurrenceID: id, N: n}); err != nil {
			return err
		}
		o := occurrence(row)
		o.Attempts--
		return s.settle(ctx, tx, o, v, now)
	})
	return pg.WrapErr(err, "withdraw try %d of occurrence %s", n, id)
}

// TryAsked records that the carrier was asked to place the call of a try, and whether it failed.
func (s *Store) TryAsked(ctx context.Context, id uuid.UUID, n int, call pg.CallID, carrierFailed bool, now time.Time) error {
	return s.db.Q.AttemptAsked(ctx, s.db.Conn, db.AttemptAskedParams{OccurrenceID: id, N: n, CallID: call.UUID, CarrierFailed: carrierFailed, AskedAt: now})
}

// EndTry records, inside tx, the end of the try whose call has ended, and decide's decision
// on the occurrence. It ignores a call that is not an occurrence's current try.
func (s *Store) EndTry(ctx context.Context, tx pg.Tx, c calls.Call, now time.Time, result Result, decide func(Occurrence, []Attempt) Verdict) error {
	row, found, err := pg.IfAny(s.db.Q.OccurrenceOfCall(ctx, tx, c.ID.UUID))
	if err != nil || !found {
		return err
	}
	o := occurrence(row)
	if err := s.db.Q.AttemptEnd(ctx, tx, db.AttemptEndParams{OccurrenceID: o.ID, N: o.Attempts, CallID: c.ID, EndedAt: &now, Result: string(result)}); err != nil {
		return err
	}
	rows, err := s.db.Q.AttemptsOf(ctx, tx, o.ID)
	if err != nil {
		return err
	}
	return s.settle(ctx, tx, o, decide(o, pg.Each(rows, attempt)), now)
}

// Expired is an occurrence whose time is over, with the reasons for which it was not
// called.
type Expired struct {
	Occurrence

	Stopped, Paused, OptedOut, Consented bool
}

// ExpireOccurrences settles up to limit occurrences whose time is over, by decide, except
// those that another call has made. It returns how many there were.
func (s *Store) ExpireOccurrences(ctx context.Context, now time.Time, limit int, decide func(Expired) Verdict) (n int, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		rows, err := s.db.Q.OccurrencesExpired(ctx, tx, db.OccurrencesExpiredParams{Now: now, MaxRows: limit})
		if err != nil {
			return err
		}
		n = len(rows)
		for _, r := range rows {
			o := occurrence(r.Occurrence)
			if made, err := s.made(ctx, tx, o, now); err != nil {
				return err
			} else if made {
				continue
			}
			e := Expired{o, r.Stopped, r.Paused, r.OptedOut, r.Consented}
			if err := s.settle(ctx, tx, o, decide(e), now); err != nil {
				return err
			}
		}
		return nil
	})
	return n, pg.WrapErr(err, "expire occurrences")
}

// Stuck is a try without news for a long time.
type Stuck struct {
	Occurrence uuid.UUID
	N          int
	Call       pg.CallID // the call, if it has ended; unknown if none was recorded
}

// StuckTries returns tries that started before a time and whose call has ended or was never
// recorded.
func (s *Store) StuckTries(ctx context.Context, before time.Time, limit int) ([]Stuck, error) {
	rows, err := s.db.Q.OccurrencesStuck(ctx, s.db.Conn, db.OccurrencesStuckParams{Before: before, MaxRows: limit})
	return pg.Each(rows, func(r db.OccurrencesStuckRow) Stuck {
		return Stuck{r.ID, r.Attempts, pg.CallID{UUID: r.CallID}}
	}), err
}

// Untold is an essential occurrence that was missed and of which no human was notified.
type Untold struct {
	Occurrence

	LastCall pg.CallID // of its last try; unknown if there was none
}

// UntoldOccurrences returns up to limit such occurrences, oldest first.
func (s *Store) UntoldOccurrences(ctx context.Context, limit int) ([]Untold, error) {
	rows, err := s.db.Q.OccurrencesUntold(ctx, s.db.Conn, limit)
	return pg.Each(rows, func(r db.OccurrencesUntoldRow) Untold {
		return Untold{occurrence(r.Occurrence), pg.CallID{UUID: r.LastCall}}
	}), err
}

// OccurrenceTold records that a human will be notified of a missed occurrence.
func (s *Store) OccurrenceTold(ctx context.Context, id uuid.UUID) error {
	return s.db.Q.OccurrenceEscalated(ctx, s.db.Conn, id)
}

// CarrierRun counts the carrier's failures since its last success.
type CarrierRun struct {
	Failures, People int
	First, Last      time.Time
}

// CarrierRun returns the failures of the carrier since it last placed a call.
func (s *Store) CarrierRun(ctx context.Context) (CarrierRun, error) {
	r, err := s.db.Q.CarrierRun(ctx, s.db.Conn)
	return CarrierRun{r.Failures, r.People, r.FirstAt, r.LastAt}, err
}
