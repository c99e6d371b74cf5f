package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/jobs/watch"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store/alerts"
)

const (
	// loopsLate is how long the sweep of alerts and the dispatcher of scheduled calls may be
	// silent before the operator is alerted, and loopsLately before no heartbeat reports that all
	// is well. Both run every few seconds.
	loopsLate, loopsLately = 5 * time.Minute, 2 * time.Minute
	// jobsFailed is how long a job that gave up counts as a current failure.
	jobsFailed = time.Hour
	// noModelTurns is the number of turns without a model in the last minutes that makes the
	// model count as dead: it may list its models and still not answer.
	noModelTurns = 3
	// pingWithin bounds the heartbeat's check of the database.
	pingWithin = 5 * time.Second
)

// watch alerts the operator to what keeps nAIber from working, until ctx is done.
func (a *App) watch(ctx context.Context) {
	watch.New(watch.Config{
		Troubles: a.store, Log: a.log, Passed: a.cfg.Watch.ServiceAfter + loopsLate,
		Probes: []watch.Probe{watch.Services(a.cfg.Watch.ServiceAfter, a.watched()), a.carrierTrouble, a.jobTroubles, a.webhookTroubles, a.loopTroubles(time.Now())},
	}).Run(ctx)
}

// watched returns the services whose failure raises an alert of its own to the operator. The
// database is not one: while it does not answer, it stores no alert.
func (a *App) watched() []watch.Service {
	var out []watch.Service
	for _, s := range a.Services() {
		w := watch.Service{Name: s.Name, Cause: "operator_" + s.Name, Tier: alerts.SameDay, Check: func(ctx context.Context) error {
			_, err := s.Check(ctx)
			return err
		}}
		switch s.Name {
		case "postgres", "jobs", "embeddings", "memory": // in this order: stores the alerts; has its own probe; costs tokens; answers all the same
			continue
		case "twilio":
			w.Cause, w.Tier = schedule.KindCarrier, alerts.Urgent
		case "elevenlabs":
			w.Tier = alerts.Urgent
		case "model":
			w.Tier, w.Check = alerts.Urgent, a.askModel
		}
		out = append(out, w)
	}
	return out
}

// askModel asks the model server for its models. It also fails if recent turns had to do without
// a model.
func (a *App) askModel(ctx context.Context) error {
	if _, grew := a.lately.grew(); grew(degradedTurns+"no model") >= noModelTurns {
		return errors.New("turns had no model")
	}
	_, err := a.model.Models(ctx)
	return err
}

// carrierTrouble returns a trouble if scheduled calls are paused because the carrier fails.
func (a *App) carrierTrouble(ctx context.Context, _ time.Time) ([]alerts.Trouble, error) {
	run, err := a.store.CarrierRun(ctx)
	if err != nil || run.Failures < a.cfg.Schedules.BreakerFailures || run.People < 2 {
		return nil, err
	}
	return []alerts.Trouble{{Cause: schedule.KindCarrier, Kind: schedule.KindCarrier, Tier: alerts.Urgent, Why: fmt.Sprintf("The carrier failed %d times in a row.", run.Failures)}}, nil
}

// jobTroubles returns a trouble for each queue that no worker serves and each kind of job that
// fails.
func (a *App) jobTroubles(ctx context.Context, now time.Time) (found []alerts.Trouble, err error) {
	stuck, err := a.jobs.Stuck(ctx, now.Add(-a.cfg.Watch.QueueAfter))
	if err != nil {
		return nil, err
	}
	for _, q := range stuck {
		why := fmt.Sprintf("No job of the queue %s is begun; one is due since %s.", q.Queue, q.Oldest.UTC().Format(time.RFC3339))
		found = append(found, alerts.Trouble{Cause: "operator_queue:" + q.Queue, Kind: "operator_queue", Tier: alerts.Urgent, Why: why})
	}
	failing, err := a.jobs.Failing(ctx, now.Add(-jobsFailed), a.cfg.Watch.JobFailures)
	for _, f := range failing {
		why := fmt.Sprintf("Jobs of the kind %s fail: %d, of which %d gave up. `naiber jobs show %d` tells why.", f.Kind, f.Jobs, f.GaveUp, f.Example)
		found = append(found, alerts.Trouble{Cause: "operator_jobs:" + f.Kind, Kind: "operator_jobs", Tier: alerts.SameDay, Why: why})
	}
	return found, err
}

// webhookTroubles returns a trouble for each webhook whose every attempt has failed for
// [webhook.Lasting], a day.
func (a *App) webhookTroubles(ctx context.Context, _ time.Time) (found []alerts.Trouble, err error) {
	failing, err := a.store.FailingWebhooks(ctx, webhook.Lasting)
	for _, w := range failing {
		why := fmt.Sprintf("Every attempt at the webhook %s has failed since %s. `naiber webhooks deliveries %s` tells why.", alerts.Masked(alerts.Webhook, w.Url), w.FailingSince.UTC().Format(time.RFC3339), w.ID)
		found = append(found, alerts.Trouble{Cause: "operator_webhook:" + w.ID.String(), Kind: "operator_webhook", Tier: alerts.SameDay, Why: why})
	}
	return found, err
}

// loopTroubles returns a probe for loops of this process that have not run for loopsLate, counted
// from start at the earliest.
func (a *App) loopTroubles(start time.Time) watch.Probe {
	return func(_ context.Context, now time.Time) (found []alerts.Trouble, _ error) {
		for _, l := range []struct {
			kind, what string
			at         time.Time
		}{
			{"operator_schedules", "Scheduled calls have not been dispatched", a.dispatchedAt()},
			{"operator_alerts", "Overdue notices of alerts have not been looked for", a.jobs.SweptAt()},
		} {
			if l.at.Before(start) {
				l.at = start
			}
			if now.Sub(l.at) >= loopsLate {
				why := fmt.Sprintf("%s since %s.", l.what, l.at.UTC().Format(time.RFC3339))
				found = append(found, alerts.Trouble{Cause: l.kind, Kind: l.kind, Tier: alerts.Urgent, Why: why})
			}
		}
		return found, nil
	}
}

// dispatchedAt returns when this process last dispatched scheduled calls without a failure, or
// the zero time.
func (a *App) dispatchedAt() time.Time {
	if at := a.dispatched.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// heartbeat reports to an outside service that nAIber does its work, until ctx is done.
func (a *App) heartbeat(ctx context.Context) {
	if a.cfg.Watch.HeartbeatURL.Empty() {
		return
	}
	h := watch.Heartbeat{URL: a.cfg.Watch.HeartbeatURL.Reveal(), Every: a.cfg.Watch.HeartbeatEvery, HTTP: &http.Client{}, Working: a.working, Log: a.log}
	h.Run(ctx)
}

// working returns why this process does not do its work: the database does not answer, or a loop
// that runs every few seconds has not run for loopsLately.
func (a *App) working(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	now := time.Now()
	switch {
	case now.Sub(a.jobs.SweptAt()) > loopsLately:
		return errors.New("overdue notices of alerts are not looked for")
	case now.Sub(a.dispatchedAt()) > loopsLately:
		return errors.New("scheduled calls are not dispatched")
	}
	return a.store.Ping(ctx)
}
