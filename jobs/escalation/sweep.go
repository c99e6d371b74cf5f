package escalation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
)

// next takes the step after one that reached no one.
func (e *Escalation) next(ctx context.Context, failed alerts.Step) error {
	err := e.step(ctx, alerts.Due{ID: failed.AlertID, Run: failed.Run, Step: failed.Step + 1}, true)
	if errors.Is(err, alerts.ErrPassed) || errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return err
}

// Sweep does overdue work: steps and notices whose process has died, or whose job was lost,
// and steps that were not taken immediately though the previous one reached no one. One
// sweep handles everything that is overdue.
func (e *Escalation) Sweep(ctx context.Context) error {
	now := e.cfg.Now()
	_, err := e.cfg.Store.LoseNotices(ctx, now.Add(-lease))
	stalled, failed := e.cfg.Store.StalledSteps(ctx, now)
	err = errors.Join(err, failed)
	for _, s := range stalled {
		err = errors.Join(err, e.next(ctx, s))
	}
	return errors.Join(err, e.sweepSteps(ctx, now), e.sweepNotices(ctx, now))
}

// sweepSteps takes overdue steps until there are none left, or all fail.
func (e *Escalation) sweepSteps(ctx context.Context, now time.Time) (err error) {
	for taken := true; taken; {
		due, failed := e.cfg.Store.DueSteps(ctx, now.Add(-grace))
		err, taken = errors.Join(err, failed), false
		for _, d := range due {
			switch failed := e.Step(ctx, d); {
			case failed == nil:
				taken = true
			case !errors.Is(failed, alerts.ErrPassed) && !errors.Is(failed, store.ErrNotFound):
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// sweepNotices sends each overdue notice once.
func (e *Escalation) sweepNotices(ctx context.Context, now time.Time) (err error) {
	for seen := []uuid.UUID(nil); ; {
		ids, failed := e.cfg.Store.DueNotices(ctx, now.Add(-grace), now.Add(-lease), seen...)
		if err = errors.Join(err, failed); failed != nil || len(ids) == 0 {
			return err
		}
		seen = append(seen, ids...)
		var sends errgroup.Group
		sends.SetLimit(sweepAtOnce)
		for _, id := range ids {
			sends.Go(func() error { return e.Send(ctx, id) })
		}
		err = errors.Join(err, sends.Wait())
	}
}
