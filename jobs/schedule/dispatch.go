package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

const (
	batch = 200 // rows of one query
	// busyPause is how long a try waits if the person's telephone is busy.
	busyPause = time.Minute
	// stuckAfter is the age from which a try without news is checked: longer than creating
	// a call takes.
	stuckAfter = 2 * time.Minute
)

// Wish is a try's request for a call.
type Wish struct {
	PersonID  store.PersonID
	Type      calls.CallType
	Key       string // idempotency key of the try
	Essential bool
	Second    bool // dial the person's second number, if there is one
}

// Refusal is the gate's refusal of a wish.
type Refusal struct {
	Rule  string
	Until *time.Time // if nil, it depends on a decision of a human
	// Off says that calls are turned off altogether: then it is no one's failure.
	Off bool
	// Taken says that the person's telephone is busy.
	Taken bool
}

// Answer is the answer to a wish. Without a refusal there is a recorded call.
type Answer struct {
	Refused       *Refusal
	Call          store.CallID
	CarrierFailed bool
}

// Alarm is an event of which a human must be notified.
type Alarm struct {
	PersonID store.PersonID // unknown if it is for the operator
	CallID   store.CallID
	Kind     string
	Why      string
	Key      string // idempotency key
	At       time.Time
}

// The kinds of alarms.
const (
	KindNoAnswer = "no_answer"
	KindCarrier  = "operator_carrier"
	KindMissed   = "operator_missed_calls"
)

// Config configures a [Scheduler]. All fields except Now are required.
type Config struct {
	Ahead    int              // number of days to plan ahead
	Holidays Holidays         // days without chats
	Limits   schedules.Limits // on dialling
	Ladder   Ladder
	Keep     time.Duration // how long settled occurrences are kept
	// BreakerFailures is how many failures of the carrier in a row, for more than one
	// person, stop dialling for BreakerPause.
	BreakerFailures int
	BreakerPause    time.Duration
	Now             func() time.Time // default time.Now
}

// Deps are the dependencies of a [Scheduler].
type Deps struct {
	Store *store.Store
	// Place requests a call, through the gate. The same key again returns the same call.
	Place func(ctx context.Context, w Wish) (Answer, error)
	// Queue inserts, inside tx, the job that will call [Scheduler.Place]; a second job for
	// the same try is dropped while the first exists.
	Queue func(ctx context.Context, tx store.Tx, occurrence uuid.UUID, try int) error
	// Raise raises an alarm, once per key.
	Raise   func(ctx context.Context, a Alarm) error
	Log     *slog.Logger
	Metrics prometheus.Registerer // if nil, metrics are not exported
}

// Scheduler plans and dispatches. It may be used concurrently, and by any number of
// processes.
type Scheduler struct {
	cfg     Config
	dep     Deps
	metrics *prometheus.CounterVec

	mu     sync.Mutex // guards warned
	warned string     // the run of carrier failures that the operator was notified of
}

// New returns a Scheduler. It starts nothing.
func New(cfg Config, dep Deps) *Scheduler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Scheduler{cfg: cfg, dep: dep, metrics: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_schedule_occurrences_total", Help: "Occurrences of schedules by what became of a step: planned, calling, tried (by result), escalated.",
	}, []string{"step", "result"})}
	if dep.Metrics != nil {
		dep.Metrics.MustRegister(s.metrics)
	}
	return s
}

// PlanAll plans the coming days of every schedule that needs it, and deletes occurrences
// settled long ago. It may be repeated, and run several times at once. A schedule that
// cannot be planned does not stop the others.
func (s *Scheduler) PlanAll(ctx context.Context) error {
	var errs []error
	for after := uuid.Nil; ; {
		list, err := s.dep.Store.SchedulesToPlan(ctx, s.ahead(), after, batch)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		for _, id := range list {
			if err := s.Plan(ctx, id); err != nil {
				errs = append(errs, err)
			}
			after = id
		}
		if len(list) < batch {
			break
		}
	}
	_, err := s.dep.Store.PruneOccurrences(ctx, s.cfg.Now().Add(-s.cfg.Keep))
	return errors.Join(append(errs, err)...)
}

// ahead returns the day up to which days are planned: one more than configured, since it
// may already be the next day where a person lives.
func (s *Scheduler) ahead() time.Time {
	return day(s.cfg.Now(), time.UTC).AddDate(0, 0, s.cfg.Ahead+1)
}

// Plan plans the coming days of one schedule, and those that were never planned because no
// process was running. Pauses of the person are left to the gate, since they may be lifted:
// a day skipped ahead of time would stay skipped.
func (s *Scheduler) Plan(ctx context.Context, id uuid.UUID) error {
	now, to := s.cfg.Now(), s.ahead()
	var failed error
	n, err := s.dep.Store.PlanSchedule(ctx, id, now, to, func(sc schedules.Schedule, p people.Person) []schedules.Planned {
		from := day(sc.Since, p.Location())
		if sc.PlannedTo != nil {
			from = *sc.PlannedTo
		}
		// The person may have moved to a time zone with another date.
		if today := day(now, time.UTC); from.After(today) {
			from = today
		}
		since := sc.Since
		sc.Since = time.Time{}
		var list []schedules.Planned
		list, failed = Plan(sc, p, nil, s.cfg.Holidays, from.AddDate(0, 0, -2), to)
		for i := range list {
			list[i].Stays = list[i].Due.Before(since)
		}
		return list
	})
	s.metrics.WithLabelValues("planned", "").Add(float64(n))
	return errors.Join(err, failed)
}

// Next returns the times of the next n calls of a schedule, in the person's time zone.
func (s *Scheduler) Next(ctx context.Context, sc schedules.Schedule, p people.Person, n int) ([]time.Time, error) {
	pauses, err := s.dep.Store.Pauses(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return Next(sc, p, pauses, s.cfg.Holidays, s.cfg.Now(), n)
}

// Coming returns the days of a schedule whose first try is before a time, including skipped
// ones with the reason.
func (s *Scheduler) Coming(ctx context.Context, sc schedules.Schedule, p people.Person, before time.Time) ([]schedules.Planned, error) {
	pauses, err := s.dep.Store.Pauses(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	now := s.cfg.Now()
	list, err := Plan(sc, p, pauses, s.cfg.Holidays, day(now, p.Location()), day(before, p.Location()))
	return slices.DeleteFunc(list, func(o schedules.Planned) bool { return !o.Due.After(now) || !o.Due.Before(before) }), err
}

// Dispatch does the work that is due: it settles expired occurrences, checks stuck tries,
// notifies humans of missed occurrences, and starts calls that are due, as many as allowed.
// It returns after what time at most it must be called again.
func (s *Scheduler) Dispatch(ctx context.Context) (again time.Duration, err error) {
	err = errors.Join(s.expire(ctx), s.mend(ctx), s.escalate(ctx))
	fails, pause, broken := s.broken(ctx)
	if err = errors.Join(err, broken); pause {
		return s.idle(), err
	}
	limits := s.cfg.Limits
	limits.Single = fails
	again, failed := s.begin(ctx, limits)
	return again, errors.Join(err, failed) // other failures hold no call back
}

// begin starts the calls that are due, as many as allowed.
func (s *Scheduler) begin(ctx context.Context, limits schedules.Limits) (again time.Duration, err error) {
	for ctx.Err() == nil {
		claimed, wait, err := s.dep.Store.ClaimOccurrence(ctx, s.cfg.Now(), limits, func(tx store.Tx, o schedules.Occurrence) error {
			s.dep.Log.InfoContext(ctx, "scheduled call begins", "person_id", o.PersonID, "call_type", o.CallType, "attempt", o.Attempts)
			s.metrics.WithLabelValues("calling", "").Inc()
			return s.dep.Queue(ctx, tx, o.ID, o.Attempts)
		})
		switch {
		case err != nil:
			return s.idle(), err
		case wait > 0:
			return min(wait, s.idle()), nil
		case !claimed:
			return s.idle(), nil
		}
	}
	return s.idle(), ctx.Err()
}

// idle returns the pause before the next dispatch if there is nothing to do.
func (*Scheduler) idle() time.Duration { return 5 * time.Second }

// manyMissed is how many essential calls must expire at once without a try to alert the
// operator as well.
const manyMissed = 5

// expire settles what was not made in time. If many were never dialled, it alerts the
// operator immediately, at most once an hour, besides the alert of each.
func (s *Scheduler) expire(ctx context.Context) error {
	now, undialled := s.cfg.Now(), map[uuid.UUID]bool{}
	for {
		n, err := s.dep.Store.ExpireOccurrences(ctx, now, batch, func(e schedules.Expired) schedules.Verdict {
			v := expired(e)
			if v.Status == schedules.Missed && e.Essential && e.Attempts == 0 {
				undialled[e.ID] = true
			}
			return v
		})
		if err != nil {
			return err
		}
		if n < batch {
			break
		}
	}
	if len(undialled) < manyMissed || s.dep.Raise == nil {
		return nil
	}
	return s.dep.Raise(ctx, Alarm{
		Kind: KindMissed, At: now, Key: KindMissed + ":" + now.UTC().Truncate(time.Hour).Format(time.RFC3339),
		Why: fmt.Sprintf("%d essential calls were not dialled in time. Each is told of by itself; look whether too many are due at once for schedules.at_once, or nothing was running.", len(undialled)),
	})
}

// mend handles tries without news: the process died between the start of the try and the
// call, the job gave up, or the call's end was recorded by a process that does not know
// schedules. A job is queued again; its call has the same idempotency key, so it is not
// placed twice.
func (s *Scheduler) mend(ctx context.Context) error {
	list, err := s.dep.Store.StuckTries(ctx, s.cfg.Now().Add(-stuckAfter), batch)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range list {
		do := func(tx store.Tx) error { return s.dep.Queue(ctx, tx, t.Occurrence, t.N) }
		if t.Call != (store.CallID{}) {
			c, err := s.dep.Store.Call(ctx, t.Call)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			do = func(tx store.Tx) error { return s.Ended(ctx, tx, c) }
		}
		errs = append(errs, s.dep.Store.InTx(ctx, do))
	}
	return errors.Join(errs...)
}

// escalate notifies humans of missed essential occurrences.
func (s *Scheduler) escalate(ctx context.Context) error {
	if s.dep.Raise == nil {
		return nil
	}
	for {
		list, err := s.dep.Store.UntoldOccurrences(ctx, batch)
		if err != nil {
			return err
		}
		errs := make([]error, 0, len(list))
		for _, o := range list {
			errs = append(errs, s.tell(ctx, o))
		}
		if err := errors.Join(errs...); err != nil || len(list) < batch {
			return err
		}
	}
}

// tell notifies a human of a missed essential occurrence.
func (s *Scheduler) tell(ctx context.Context, o schedules.Untold) error {
	err := s.dep.Raise(ctx, Alarm{
		PersonID: o.PersonID, CallID: o.LastCall, Kind: KindNoAnswer, Why: o.Why, Key: "occurrence:" + o.ID.String(), At: s.cfg.Now(),
	})
	if err != nil {
		return fmt.Errorf("escalate occurrence %s: %w", o.ID, err)
	}
	if err := s.dep.Store.OccurrenceTold(ctx, o.ID); err != nil {
		return err
	}
	s.metrics.WithLabelValues("escalated", "").Inc()
	s.dep.Log.WarnContext(ctx, "essential call was missed", "person_id", o.PersonID, "reason", o.Why)
	return nil
}

// broken reports whether the carrier fails, for one person after another, and whether
// dialling is paused because of that. After the pause, a single try tests whether the
// carrier works again.
func (s *Scheduler) broken(ctx context.Context) (fails, pause bool, err error) {
	run, err := s.dep.Store.CarrierRun(ctx)
	if err != nil || run.Failures < s.cfg.BreakerFailures || run.People < 2 {
		return false, false, err
	}
	pause = s.cfg.Now().Before(run.Last.Add(s.cfg.BreakerPause))
	key := KindCarrier + ":" + run.First.UTC().Format(time.RFC3339Nano)
	s.mu.Lock()
	told := s.warned == key
	s.mu.Unlock()
	if !told && s.dep.Raise != nil {
		why := fmt.Sprintf("The carrier failed %d times in a row; scheduled calls pause for %s at a time.", run.Failures, s.cfg.BreakerPause)
		if err := s.dep.Raise(ctx, Alarm{Kind: KindCarrier, Why: why, Key: key, At: s.cfg.Now()}); err != nil {
			return true, pause, fmt.Errorf("raise alert about the carrier: %w", err)
		}
		s.dep.Log.ErrorContext(ctx, "scheduled calls pause: the carrier fails", "count", run.Failures)
		s.mu.Lock()
		s.warned = key
		s.mu.Unlock()
	}
	return true, pause, nil
}

// Place places the call of a try, for its job. It is idempotent: the call is placed once.
// For a try that is over it is a no-op.
func (s *Scheduler) Place(ctx context.Context, id uuid.UUID, try int) error {
	o, err := s.dep.Store.TriedOccurrence(ctx, id, try)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	key := schedules.Key(id, try)
	if s.cfg.Now().After(o.Deadline) {
		switch placed, err := s.placed(ctx, key); {
		case err != nil:
			return err
		case !placed: // no process was running in the meantime
			return s.withdraw(ctx, o, schedules.Verdict{Status: schedules.Missed, Why: "not called in time"})
		}
	}
	a, err := s.dep.Place(ctx, Wish{PersonID: o.PersonID, Type: o.CallType, Key: key, Essential: o.Essential, Second: try > s.cfg.Ladder.SecondAfter})
	if err != nil {
		return fmt.Errorf("place try %d of occurrence %s: %w", try, id, err)
	}
	if a.Refused != nil {
		return s.withdraw(ctx, o, refused(o, *a.Refused, s.cfg.Now()))
	}
	return s.dep.Store.TryAsked(ctx, id, try, a.Call, a.CarrierFailed, s.cfg.Now())
}

// placed reports whether the call with a key is recorded.
func (s *Scheduler) placed(ctx context.Context, key string) (bool, error) {
	_, _, err := s.dep.Store.CallByIdempotencyKey(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *Scheduler) withdraw(ctx context.Context, o schedules.Occurrence, v schedules.Verdict) error {
	s.metrics.WithLabelValues("tried", "refused").Inc()
	s.dep.Log.InfoContext(ctx, "scheduled call is not placed now", "person_id", o.PersonID, "reason", v.Why, "status", v.Status)
	return s.dep.Store.WithdrawTry(ctx, o.ID, o.Attempts, v, s.cfg.Now())
}

// refused returns the verdict on an occurrence that the gate refused.
func refused(o schedules.Occurrence, r Refusal, now time.Time) schedules.Verdict {
	next := now.Add(busyPause)
	if !r.Taken && r.Until != nil {
		next = *r.Until
	}
	switch {
	case (r.Taken || r.Until != nil) && !next.After(o.Deadline):
		return schedules.Verdict{Status: schedules.Due, At: next, Why: r.Rule}
	case r.Off:
		return schedules.Verdict{Status: schedules.Skipped, Why: r.Rule}
	default:
		why := "the gate refused: " + r.Rule
		if tries := o.Attempts - 1; tries > 0 { // the current try is withdrawn
			why = fmt.Sprintf("not reached in %d calls, and then %s", tries, why)
		}
		return schedules.Verdict{Status: schedules.Missed, Why: why}
	}
}

// Ended records, inside tx, the effect of a call's end on the occurrence whose try it was.
// Other calls are ignored.
func (s *Scheduler) Ended(ctx context.Context, tx store.Tx, c calls.Call) error {
	if c.Ending == nil || c.Direction != calls.Outbound || !c.PersonID.Known() {
		return nil
	}
	now, result := s.cfg.Now(), ResultOf(c)
	return s.dep.Store.EndTry(ctx, tx, c, now, result, func(o schedules.Occurrence, tries []schedules.Attempt) schedules.Verdict {
		s.metrics.WithLabelValues("tried", string(result)).Inc()
		return s.cfg.Ladder.after(o, tries, now)
	})
}
