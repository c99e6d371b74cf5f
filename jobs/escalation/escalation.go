// Package escalation notifies people of alerts, one step of a ladder after another, until a
// named human acknowledges.
//
// It guarantees that a step is taken once, by whichever process, and that each of its
// notices is sent once; if a process dies between claiming a notice and recording that it
// was sent, the notice is sent once more. A ladder that no one answers ends, and its alert
// stays open in the lists. Times are those of the configured clock.
package escalation

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// ErrRefused says that a notice was permanently refused: it is not tried again.
var ErrRefused = errors.New("notice is refused")

// Config configures an [Escalation].
type Config struct {
	Store   *store.Store
	Ladders map[alerts.Tier]Ladder
	OnCall  OnCall
	// Confidential are the kinds of alerts that a contact is notified of only if someone
	// has decided what the contact must not be told.
	Confidential []string
	// WelfareNumber returns the local number by which a human can ask for a welfare visit,
	// for a person's telephone number; nAIber never dials it. If it is nil or returns "",
	// notices contain no number.
	WelfareNumber func(phone string) string
	// Repeat is how long after the end of a ladder the on-call is notified again, and each
	// time after that, until RepeatFor has passed since the ladder started.
	Repeat, RepeatFor time.Duration
	LinkTTL           time.Duration
	PublicURL         string // prefix of links; without a slash at the end
	// Channels by their names: sms, call, email, webhook.
	Channels map[string]Channel
	// ScheduleStep and ScheduleNotice schedule calls of [Escalation.Step] and
	// [Escalation.Send] at a time, zero for immediately, once tx is committed.
	ScheduleStep   func(ctx context.Context, tx store.Tx, d alerts.Due, at time.Time) error
	ScheduleNotice func(ctx context.Context, tx store.Tx, id uuid.UUID, at time.Time) error
	Now            func() time.Time // default [time.Now]
	Log            *slog.Logger
	Metrics        prometheus.Registerer
}

// Escalation notifies people of alerts. It may be used concurrently.
type Escalation struct {
	cfg     Config
	notices *prometheus.CounterVec
}

const (
	// sendWithin limits one try of a channel, and lease is how long a claim on a notice
	// lasts. A job must also take less than the lease.
	sendWithin = 30 * time.Second
	lease      = 90 * time.Second
	// grace is how overdue something must be before a sweep handles it.
	grace = 10 * time.Second
	// maxTries is the maximum number of tries of a notice.
	maxTries = 8
	// sweepAtOnce is how many notices a sweep sends concurrently.
	sweepAtOnce = 8
)

// New returns an Escalation. It starts nothing.
func New(cfg Config) *Escalation {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Escalation{cfg: cfg, notices: promauto.With(cfg.Metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_alert_notices_total", Help: "Tries to send notices of alerts by channel and result: sent, failed, retried.",
	}, []string{"channel", "result"})}
}

// Raised starts the ladder of an alert. It is meant for [store.Store.OnAlert].
func (e *Escalation) Raised(ctx context.Context, tx store.Tx, a alerts.Alert) error {
	return e.cfg.ScheduleStep(ctx, tx, alerts.Due{ID: a.ID, Run: a.Run, Step: a.Step}, time.Time{})
}

// Step takes a step of an alert's ladder. If the step was taken before, it returns
// [alerts.ErrPassed].
func (e *Escalation) Step(ctx context.Context, d alerts.Due) error { return e.step(ctx, d, false) }

// step takes a step. early says that it is not due, but that the previous one reached no
// one; then it is only taken if it notifies others.
func (e *Escalation) step(ctx context.Context, d alerts.Due, early bool) error {
	a, err := e.cfg.Store.Alert(ctx, d.ID)
	if err != nil {
		return err
	}
	p, told, err := e.who(ctx, a)
	if err != nil {
		return err
	}
	gone, reached := useless(a), asked(a)
	visit := slices.ContainsFunc(a.Events, func(v alerts.Event) bool { return v.Kind == eventVisit })
	duty := e.duty()
	now := e.cfg.Now().Truncate(time.Microsecond)
	var end string
	err = e.cfg.Store.TakeStep(ctx, d, now, func(a alerts.Alert) (alerts.Taken, error) {
		c := climb{e: e, a: a, p: p, now: now, all: e.cfg.Ladders[a.Tier].steps(told, duty), duty: duty, told: told, gone: gone, asked: maps.Clone(reached), visit: visit}
		if early && !c.moves(a.Step) {
			return alerts.Taken{}, alerts.ErrPassed
		}
		t := c.take()
		end = t.Event
		t.Within = func(tx store.Tx) error { return e.schedule(ctx, tx, d, t) }
		return t, nil
	})
	if err == nil && end != "" && end != eventVisit {
		e.cfg.Log.ErrorContext(ctx, "ladder of an alert has ended; nobody else is told", "alert_id", a.ID, "tier", int(a.Tier), "kind", a.Kind, "reason", end)
	}
	return err
}

// Told is a person whom a step notifies, with the channels.
type Told struct {
	Name     string
	Channels []string
}

// Following returns the people whom the next step of an alert's ladder notifies, given the
// current contacts and ladders; none if the alert is acknowledged or its ladder has ended.
func (e *Escalation) Following(ctx context.Context, a alerts.Alert) ([]Told, error) {
	if !a.Awaited() || a.DueAt == nil {
		return nil, nil
	}
	p, told, err := e.who(ctx, a)
	if err != nil {
		return nil, err
	}
	duty := e.duty()
	c := climb{e: e, a: a, p: p, all: e.cfg.Ladders[a.Tier].steps(told, duty), duty: duty, told: told, gone: useless(a)}
	s, _ := c.at(a.Step)
	out := make([]Told, len(s.targets))
	for i, t := range s.targets {
		out[i] = Told{t.name, t.channels}
	}
	return out, nil
}

// who returns the person of an alert, and those of their contacts who may be notified of
// it.
func (e *Escalation) who(ctx context.Context, a alerts.Alert) (p people.Person, told []target, err error) {
	if !a.PersonID.Known() {
		return p, nil, nil
	}
	if p, err = e.cfg.Store.Person(ctx, a.PersonID); err != nil {
		return p, nil, err
	}
	list, err := e.cfg.Store.Contacts(ctx, a.PersonID)
	return p, e.targetsOf(p, list, a.Kind), err
}

// schedule schedules the notices of a step and the next step.
func (e *Escalation) schedule(ctx context.Context, tx store.Tx, d alerts.Due, t alerts.Taken) error {
	for _, n := range t.Notices {
		if n.Status != alerts.Queued {
			continue
		}
		if err := e.cfg.ScheduleNotice(ctx, tx, n.ID, n.DueAt); err != nil {
			return err
		}
	}
	if t.NextAt.IsZero() {
		return nil
	}
	d.Step++
	return e.cfg.ScheduleStep(ctx, tx, d, t.NextAt)
}

// notedWithin is how long recording that a notice was sent is retried: if it fails, the
// notice is sent again.
const notedWithin = 15 * time.Second
