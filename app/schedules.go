package app

import (
	"context"
	"errors"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony"
)

// planEvery is how often schedules are planned for the coming days if they are not yet planned as
// they stand. After a person has moved, they are called at the right time from then on.
const planEvery = 5 * time.Minute

// dialsAtOnce bounds the scheduled calls that one process asks the carrier to place concurrently.
const dialsAtOnce = 16

func (c Config) scheduleConfig() (schedule.Config, error) {
	ladder, err := schedule.ReadLadder(c.Schedules.Retries, c.Schedules.Tries)
	ladder.SecondAfter = c.Schedules.SecondAfter
	return schedule.Config{
		Ahead: c.Schedules.AheadDays, Holidays: c.Schedules.Holidays, Ladder: ladder, Keep: time.Duration(c.Schedules.KeepDays) * 24 * time.Hour,
		Limits:          schedules.Limits{AtOnce: c.Schedules.AtOnce, Every: time.Duration(float64(time.Second) / c.Schedules.PerSecond)},
		BreakerFailures: c.Schedules.BreakerFailures, BreakerPause: c.Schedules.BreakerPause,
	}, err
}

func (a *App) makeSchedules(context.Context) error {
	cfg, err := a.cfg.scheduleConfig()
	if err != nil {
		return err
	}
	a.schedules = schedule.New(cfg, schedule.Deps{
		Store: a.store, Place: a.placeScheduled, Queue: a.jobs.Dial, Raise: a.raiseAlarm, Log: a.log, Metrics: a.metrics,
	})
	return nil
}

func (a *App) scheduleChore() jobs.Chore {
	return jobs.Chore{Name: "plan_schedules", Every: planEvery, Do: func(ctx context.Context) error { return a.schedules.PlanAll(ctx) }}
}

// dispatch places scheduled calls until ctx is done.
func (a *App) dispatch(ctx context.Context) {
	for ctx.Err() == nil {
		again := loopEvery
		err := survive.Try(a.log, "schedules", func() (err error) {
			again, err = a.schedules.Dispatch(ctx)
			return err
		})
		if err == nil {
			a.dispatched.Store(time.Now().UnixNano())
		} else if ctx.Err() == nil {
			a.log.WarnContext(ctx, "background work failed", "part", "schedules", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// raiseAlarm raises an alert that a person was not reached or that nobody can be. A failing
// carrier is stored as a trouble, which the watch also sees for as long as it lasts.
func (a *App) raiseAlarm(ctx context.Context, al schedule.Alarm) error {
	if al.Kind == schedule.KindCarrier {
		_, err := a.store.SeeTrouble(ctx, alerts.Trouble{Cause: schedule.KindCarrier, Kind: schedule.KindCarrier, Tier: alerts.Urgent, Why: al.Why}, al.At)
		return err
	}
	_, _, err := a.store.RaiseAlert(ctx, alerts.New{PersonID: al.PersonID, CallID: al.CallID, Tier: alerts.Urgent, Kind: al.Kind, Why: al.Why, Key: al.Key, At: al.At})
	return err
}

// placeScheduled places a scheduled call, through the gate like any other.
func (a *App) placeScheduled(ctx context.Context, w schedule.Wish) (schedule.Answer, error) {
	c, err := a.calls.Place(ctx, telephony.PlaceRequest{PersonID: w.PersonID, Type: w.Type, Second: w.Second, Safety: w.Essential, By: "schedule", IdempotencyKey: w.Key})
	answer := schedule.Answer{Call: c.ID}
	if no, ok := errors.AsType[*telephony.Refusal](err); ok {
		answer.Refused = &schedule.Refusal{Rule: no.Rule, Until: no.Until, Taken: no.Rule == telephony.RuleLiveCall}
		switch no.Rule {
		case telephony.RuleOptedOut, telephony.RuleNoConsent, telephony.RulePaused:
			answer.Refused.Off = true
		}
		return answer, nil
	}
	for _, failure := range []error{telephony.ErrCarrierConfiguration, telephony.ErrCarrierBusy, telephony.ErrCarrierFailed, telephony.ErrCarrierUnclear} {
		if errors.Is(err, failure) { // the call is on record, and ends like any other
			answer.CarrierFailed = true
			return answer, nil
		}
	}
	switch {
	case errors.Is(err, telephony.ErrNumberRefused):
		return answer, nil
	case errors.Is(err, telephony.ErrUnknownCallType), errors.Is(err, telephony.ErrIdempotencyMismatch), errors.Is(err, telephony.ErrInvalidPhone):
		answer.Refused = &schedule.Refusal{Rule: err.Error()} // another try would end the same way
		return answer, nil
	}
	return answer, err
}
