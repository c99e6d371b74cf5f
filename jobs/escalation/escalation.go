// Package escalation tells people of alerts, one step of a ladder after another, until a
// named human being acknowledges.
//
// It promises that a step is taken once, by whichever process, and that each notice of it
// is sent once; where a process dies between taking a notice and noting that it left, it
// is sent once more. A ladder that nobody answers ends, and its alert stays open to be
// seen. Times are those of the clock it is given.
package escalation

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/sync/errgroup"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// ErrRefused says that a notice will never be taken: it is not tried again.
var ErrRefused = errors.New("notice is refused")

// Notice is what a channel sends.
type Notice struct {
	ID       uuid.UUID // the same each time that it is tried
	Alert    alerts.Alert
	Person   people.Person // without a name where the alert is nobody's
	Channel  string
	Name     string // whom it goes to
	Address  string // of the channel: a telephone number, an e-mail address, a URL
	Language string // that there are words in
	Subject  string
	Text     string // who, what and when; it is spoken, too
	Link     string // where the alert is acknowledged
	At       time.Time
	Last     bool // it is not tried again
}

// Channel sends notices. It returns the provider's name for what it sent, by which the
// provider tells what became of it, or nothing. An error that is [ErrRefused] ends the
// notice; after any other it is tried again. Send may be called twice for one notice, and
// concurrently, and ends with its context.
type Channel interface {
	Send(ctx context.Context, n Notice) (providerID string, err error)
}

// Config is what an [Escalation] works with.
type Config struct {
	Store   *store.Store
	Ladders map[alerts.Tier]Ladder
	OnCall  OnCall
	// Confidential are kinds of alerts that a contact is told of only where somebody has
	// decided what they must not be told.
	Confidential []string
	// WelfareNumber returns the local number by which a human being asks for a welfare visit,
	// by a person's telephone; nAIber never dials it. Nil, or nothing: none is told.
	WelfareNumber func(phone string) string
	// Repeat is how long after the end of a ladder the on-call is told again, and each
	// time after that, until RepeatFor has passed since the ladder began.
	Repeat, RepeatFor time.Duration
	LinkTTL           time.Duration
	PublicURL         string // begins links; without a slash at the end
	// Channels by their names: sms, call, email, webhook.
	Channels map[string]Channel
	// ScheduleStep and ScheduleNotice have [Escalation.Step] and [Escalation.Send] called at
	// a time, zero for at once, where tx is committed.
	ScheduleStep   func(ctx context.Context, tx store.Tx, d alerts.Due, at time.Time) error
	ScheduleNotice func(ctx context.Context, tx store.Tx, id uuid.UUID, at time.Time) error
	Now            func() time.Time // default [time.Now]
	Log            *slog.Logger
	Metrics        prometheus.Registerer
}

// Escalation tells people of alerts. It may be used concurrently.
type Escalation struct {
	cfg     Config
	notices *prometheus.CounterVec
}

const (
	// sendWithin bounds one try of a channel, and lease is after how long a sender that
	// was not heard of is taken for dead. A job may take less than the lease, too.
	sendWithin = 30 * time.Second
	lease      = 90 * time.Second
	// grace is how late something may be before a sweep does it.
	grace = 10 * time.Second
	// maxTries is how often a notice is tried.
	maxTries = 8
	// sweepAtOnce are the notices that a sweep sends at the same time.
	sweepAtOnce = 8
)

// New makes an Escalation.
func New(cfg Config) *Escalation {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Escalation{cfg: cfg, notices: promauto.With(cfg.Metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_alert_notices_total", Help: "Tries to send notices of alerts by channel and result: sent, failed, retried.",
	}, []string{"channel", "result"})}
}

// Raised begins the ladder of an alert; it is for [store.Store.OnAlert].
func (e *Escalation) Raised(ctx context.Context, tx store.Tx, a alerts.Alert) error {
	return e.cfg.ScheduleStep(ctx, tx, alerts.Due{ID: a.ID, Run: a.Run, Step: a.Step}, time.Time{})
}

// Step takes a step of an alert's ladder. One that was taken before is [alerts.ErrPassed].
func (e *Escalation) Step(ctx context.Context, d alerts.Due) error { return e.step(ctx, d, false) }

// step takes a step; early says that it is not due, but that nobody could be told by the
// one before it. Then it is only taken where it tells others.
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

// Told is somebody whom a step tells, and how.
type Told struct {
	Name     string
	Channels []string
}

// Following returns whom the next step of an alert's ladder tells, as contacts and ladders
// are now; nobody, where somebody sees to the alert or its ladder has ended.
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

// who returns the person of an alert, and those of their contacts who may be told of it.
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

// schedule has the notices of a step sent, and the next step taken.
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

// climb is one step of an alert's ladder.
type climb struct {
	e    *Escalation
	a    alerts.Alert
	p    people.Person
	now  time.Time
	all  []step
	duty *target
	told []target
	gone map[way]bool
	// asked are the ways by which this run of the ladder has told somebody.
	asked map[way]bool
	// visit says that the on-call was asked for a welfare visit before.
	visit bool
}

// way is an address of a channel.
type way struct{ channel, address string }

// useless are the ways that a rung need not try again before the next one: a notice was
// refused for good, or its reader cannot help.
func useless(a alerts.Alert) map[way]bool {
	gone := make(map[way]bool)
	for _, n := range a.Notices {
		refused := n.SentAt == nil && n.Attempts > 0 && n.Attempts < maxTries && n.Lost == 0
		if n.Run == a.Run && n.Status == alerts.Failed && (refused || n.Detail == alerts.CannotHelp) {
			gone[way{n.Channel, n.Address}] = true
		}
	}
	return gone
}

// asked are the ways that the run of an alert's ladder has taken so far.
func asked(a alerts.Alert) map[way]bool {
	ways := make(map[way]bool)
	for _, n := range a.Notices {
		if n.Run == a.Run {
			ways[way{n.Channel, n.Address}] = true
		}
	}
	return ways
}

// missed are those of the steps before the next one whom no notice has gone to: contacts
// were entered or removed since, so that the steps have moved.
func (c *climb) missed() (out []step) {
	for _, s := range c.all[:min(c.a.Step, len(c.all))] {
		s.targets = slices.DeleteFunc(slices.Clone(s.targets), func(t target) bool {
			return slices.ContainsFunc(t.channels, func(ch string) bool { return c.asked[way{ch, t.address[ch]}] })
		})
		for _, t := range s.targets {
			for _, ch := range t.channels {
				c.asked[way{ch, t.address[ch]}] = true // once, where a rung tells them several times
			}
		}
		out = append(out, s)
	}
	return out
}

// at returns the step with a number. After the ladder, the on-call is told again; where
// there is none, of what is urgent, all contacts.
func (c *climb) at(n int) (step, bool) {
	if n < len(c.all) {
		s := c.all[n]
		if n > 0 && s.rung == c.all[n-1].rung && c.further(n) {
			s.targets = reachable(s.targets, func(t target, channel string) bool { return !c.gone[way{channel, t.address[channel]}] })
		}
		return s, true
	}
	s := step{wait: c.e.cfg.Repeat}
	switch {
	case len(c.e.cfg.Ladders[c.a.Tier]) == 0:
		return s, false
	case c.duty != nil:
		s.targets = []target{*c.duty}
	case c.a.Tier >= alerts.Urgent:
		s.targets = c.told
	}
	return s, len(s.targets) > 0
}

// moves reports whether a step tells others than the one before it, or has nobody left to
// tell before the next rung.
func (c *climb) moves(n int) bool {
	if n >= len(c.all) {
		return false
	}
	next, _ := c.at(n)
	return next.rung != c.all[n-1].rung || len(next.targets) == 0
}

// further reports whether a rung follows that of a step.
func (c *climb) further(n int) bool {
	return n < len(c.all) && c.all[n].rung < c.all[len(c.all)-1].rung
}

// take is what the step that is next comes to.
func (c *climb) take() (t alerts.Taken) {
	s, ok := c.at(c.a.Step)
	failed := 0
	if ok && !c.visit && wantsVisit(c.a, c.a.Step, len(c.told)) && slices.ContainsFunc(s.targets, func(t target) bool { return t.contact == uuid.Nil }) {
		t.Event = eventVisit
	}
	for _, to := range s.targets {
		for _, ch := range to.channels {
			c.asked[way{ch, to.address[ch]}] = true
		}
	}
	for _, s := range append(c.missed(), s) {
		for _, to := range s.targets {
			for _, n := range c.notices(to, s.inHours) {
				if t.Notices = append(t.Notices, n); n.Status == alerts.Failed {
					failed++
				}
			}
		}
	}
	end := c.a.BeganAt.Add(c.e.cfg.RepeatFor)
	_, more := c.at(c.a.Step + 1)
	t.NextAt = c.now.Add(cmp.Or(s.wait, c.e.cfg.Repeat))
	switch {
	case len(c.e.cfg.Ladders[c.a.Tier]) == 0: // nobody is to be told
		t.NextAt = time.Time{}
	case !ok: // nobody can be told; somebody may be entered meanwhile
		if c.a.Step == 0 {
			t.Event = "nobody_to_tell"
		}
		if t.NextAt.After(end) {
			t.NextAt, t.Event = time.Time{}, "exhausted"
		}
	case failed == len(t.Notices) && c.further(c.a.Step):
		t.NextAt = c.now
	case !more, c.a.Step+1 >= len(c.all) && t.NextAt.After(end):
		t.NextAt, t.Event = time.Time{}, "exhausted"
	}
	return t
}

// eventVisit says that the on-call was asked for a welfare visit.
const eventVisit = "welfare_visit_asked"

// notices are those to one of whom is told.
func (c *climb) notices(to target, inHours bool) (out []alerts.Notice) {
	due := c.now
	if inHours {
		due = within(c.now, c.p.Location(), to.from, to.to)
	}
	for _, channel := range to.channels {
		n := alerts.Notice{
			ID: uuid.Must(uuid.NewV7()), ContactID: to.contact, Name: to.name, Channel: channel, Address: to.address[channel],
			Language: to.language, Status: alerts.Queued, DueAt: due,
		}
		if c.e.cfg.Channels[channel] == nil {
			n.Status, n.Detail = alerts.Failed, "no such channel"
		}
		out = append(out, n)
	}
	return out
}

// Send sends a notice, unless nobody needs it any more or another process has it. An error
// means that it is to be tried again.
func (e *Escalation) Send(ctx context.Context, id uuid.UUID) error {
	now := e.cfg.Now()
	token := rand.Text()
	n, a, err := e.cfg.Store.ClaimNotice(ctx, id, alerts.Claim{At: now, Lapsed: now.Add(-lease), Token: token, Expires: now.Add(e.cfg.LinkTTL)})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	message, err := e.message(ctx, n, a, token)
	providerID := ""
	if err == nil {
		providerID, err = e.deliver(ctx, message)
	}
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		e.notices.WithLabelValues(n.Channel, "sent").Inc()
		return e.sent(after, id, providerID)
	case errors.Is(err, ErrRefused), n.Attempts >= maxTries:
		e.notices.WithLabelValues(n.Channel, "failed").Inc()
		e.cfg.Log.WarnContext(ctx, "notice of an alert is given up", "alert_id", a.ID, "notice_id", id, "channel", n.Channel, "attempt", n.Attempts, "err", err)
		step, all, failed := e.cfg.Store.NoticeFailed(after, id, err.Error())
		if failed == nil && all {
			failed = e.next(ctx, step)
		}
		return failed
	default:
		e.notices.WithLabelValues(n.Channel, "retried").Inc()
		return errors.Join(fmt.Errorf("send notice %s by %s: %w", id, n.Channel, err), e.cfg.Store.ReleaseNotice(after, id, err.Error()))
	}
}

// deliver gives a notice to its channel.
func (e *Escalation) deliver(ctx context.Context, n Notice) (providerID string, err error) {
	defer func() {
		if p := recover(); p != nil { // a sweep has no job around it that would catch this
			e.cfg.Log.ErrorContext(ctx, "channel panicked", "channel", n.Channel, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("channel panicked")
		}
	}()
	channel := e.cfg.Channels[n.Channel]
	if channel == nil { // it was there when the step was taken
		return "", fmt.Errorf("no such channel: %w", ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return channel.Send(ctx, n)
}

// notedWithin is how long it is tried to note that a notice left: otherwise it is sent
// again.
const notedWithin = 15 * time.Second

func (e *Escalation) sent(ctx context.Context, id uuid.UUID, providerID string) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		return struct{}{}, e.cfg.Store.NoticeSent(ctx, id, providerID, e.cfg.Now())
	}, backoff.WithMaxElapsedTime(notedWithin))
	if err != nil {
		e.cfg.Log.ErrorContext(ctx, "notice of an alert left and is not noted as sent; it will be sent again", "notice_id", id, "err", err)
	}
	return err
}

// next takes the step after one by which nobody could be told.
func (e *Escalation) next(ctx context.Context, failed alerts.Step) error {
	err := e.step(ctx, alerts.Due{ID: failed.AlertID, Run: failed.Run, Step: failed.Step + 1}, true)
	if errors.Is(err, alerts.ErrPassed) || errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return err
}

// message words a notice.
func (e *Escalation) message(ctx context.Context, n alerts.Notice, a alerts.Alert, token string) (Notice, error) {
	p, told, err := e.who(ctx, a)
	if err != nil {
		return Notice{}, err
	}
	contacts := len(told)
	if duty := e.duty(); duty != nil {
		told = append(told, *duty)
	}
	// Since its step was taken, a contact may have been removed, or barred from such alerts.
	if !e.among(told, n.Channel, n.Address) {
		return Notice{}, fmt.Errorf("nobody at this address is to be told any more: %w", ErrRefused)
	}
	w := WordsIn(n.Language)
	text := w.text(p, a.Kind, a.CreatedAt, a.Unsure)
	if n.ContactID == uuid.Nil && wantsVisit(a, n.Step, contacts) {
		text += " " + w.Notice.Welfare
		if number := e.cfg.WelfareNumber; number != nil && number(p.Phone) != "" {
			text += " " + Fill(w.Notice.Number, "number", number(p.Phone))
		}
	}
	return Notice{
		ID: n.ID, Alert: a, Person: p, Channel: n.Channel, Name: n.Name, Address: n.Address, Language: w.Language,
		Subject: w.Head(p, a.Kind), Text: text, Link: e.cfg.PublicURL + "/a/" + token, At: e.cfg.Now(), Last: n.Attempts >= maxTries,
	}, nil
}

// wantsVisit reports whether whom a step tells is to have somebody go and look after a person: what is
// urgent was seen to by none of the contacts, who were told before.
func wantsVisit(a alerts.Alert, step, contacts int) bool {
	return a.Tier >= alerts.Urgent && a.PersonID.Known() && (step > 0 || contacts == 0)
}

// Sweep does what should have been done a while ago: steps and notices whose process has
// died, or whose job was lost, and steps that were not taken at once though nobody could be
// told by the one before. What there is comes to its turn in one sweep, however much it is.
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

// sweepSteps takes steps that are overdue until there are none, or each fails.
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

// sweepNotices sends each notice that is overdue, once.
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
