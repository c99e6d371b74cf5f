// Package schedules keeps when people are called regularly, and what became of each
// day's call: it was made, it was missed and a human was told, or it was left out.
//
// It promises that a day of a schedule has one occurrence, that one try of it is under
// way at a time, and that a try and the job that places its call exist together.
package schedules

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// Window is a part of the day, by the clock where a person lives, as "HH:MM".
type Window struct{ From, To string }

// Schedule is when a person is called regularly.
type Schedule struct {
	ID            uuid.UUID
	PersonID      pg.PersonID
	CallType      calls.CallType
	RRule         string // RFC 5545, of whole days
	Window        Window
	JitterMinutes int // how long after the window's start the first try may be
	Essential     bool
	GraceMinutes  int        // how long after the window an essential call may still be made
	StartsOn      time.Time  // a day, at midnight UTC: what the rule counts from
	EndsOn        *time.Time // the last day; nil: it does not end
	Note          string
	Paused        bool
	CreatedBy     string
	Since         time.Time  // nothing is planned that would have been due before
	PlannedTo     *time.Time // the last day that was planned
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Status is what became of an occurrence.
type Status string

// The statuses of an occurrence. An essential one does not stay missed: a human is told,
// and it is escalated.
const (
	Due       Status = "due"
	Calling   Status = "calling"
	Done      Status = "done"
	Missed    Status = "missed"
	Escalated Status = "escalated"
	Skipped   Status = "skipped"
)

// Statuses are all of them.
var Statuses = []Status{Due, Calling, Done, Missed, Escalated, Skipped}

// Settled reports whether nothing more is tried.
func (s Status) Settled() bool { return s != Due && s != Calling }

// Occurrence is a call that is to be made on a day.
type Occurrence struct {
	ID          uuid.UUID
	ScheduleID  uuid.UUID
	PersonID    pg.PersonID
	CallType    calls.CallType
	Essential   bool
	Day         time.Time // where the person lived when it was planned, at midnight UTC
	WindowStart time.Time
	Due         time.Time // of the first try
	WindowEnd   time.Time
	Deadline    time.Time // no try begins later
	NextAt      time.Time // of the next try
	Status      Status
	Why         string // what kept it from being made
	Attempts    int
	Calls       []pg.CallID // its tries, oldest first; only in lists
}

// Result is how a try ended.
type Result string

// The results of a try.
const (
	Reached     Result = "reached" // a human answered, and the call ran as it should
	Busy        Result = "busy"
	NoAnswer    Result = "no_answer" // nobody answered, or nobody spoke
	Machine     Result = "machine"
	SomeoneElse Result = "someone_else" // who answered did not show to be the person
	WrongNumber Result = "wrong_number"
	Dropped     Result = "dropped" // a human answered, and the call broke off
	Failed      Result = "failed"  // it did not come about
	Canceled    Result = "canceled"
)

// Attempt is a try of an occurrence.
type Attempt struct {
	N         int
	CallID    pg.CallID // not known where no call was recorded yet
	StartedAt time.Time
	EndedAt   *time.Time
	Result    Result // empty while it lasts
}

// Store keeps them in PostgreSQL. It may be used concurrently.
type Store struct {
	db *pg.DB
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// CreateSchedule keeps a schedule, from a moment on. It sets the id.
func (s *Store) CreateSchedule(ctx context.Context, sc Schedule, now time.Time) (Schedule, error) {
	row, err := s.db.Q.ScheduleInsert(ctx, s.db.Conn, insertion(sc, now))
	return from(row), err
}

// Schedule returns one schedule, or [pg.ErrNotFound].
func (s *Store) Schedule(ctx context.Context, id uuid.UUID) (Schedule, error) {
	row, err := s.db.Q.ScheduleGet(ctx, s.db.Conn, id)
	return from(row), err
}

// Schedules lists up to limit schedules from after the given id on, of a person where one is known.
func (s *Store) Schedules(ctx context.Context, person pg.PersonID, after uuid.UUID, limit int) ([]Schedule, error) {
	rows, err := s.db.Q.SchedulesList(ctx, s.db.Conn, db.SchedulesListParams{PersonID: person.UUID, After: after, MaxRows: limit})
	return pg.Each(rows, from), err
}

// ChangeSchedule keeps what change makes of a schedule as it is then, while nobody else
// changes it. Where it fails, nothing is changed. What was planned and is still to come
// is to be planned again.
func (s *Store) ChangeSchedule(ctx context.Context, id uuid.UUID, now time.Time, change func(*Schedule) error) (kept Schedule, err error) {
	var refused error
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.ScheduleLock(ctx, tx, id)
		if err != nil {
			return err
		}
		sc := from(row)
		if refused = change(&sc); refused != nil {
			return refused
		}
		row, err = s.db.Q.ScheduleUpdate(ctx, tx, update(sc, now))
		kept = from(row)
		return err
	})
	if refused != nil {
		return Schedule{}, refused
	}
	return kept, pg.WrapErr(err, "change schedule %s", id)
}

// RemoveSchedule ends a schedule: what is still to come of it is not called. What became
// of earlier days stays on record. It returns [pg.ErrNotFound] where there is none.
func (s *Store) RemoveSchedule(ctx context.Context, id uuid.UUID, now time.Time) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		n, err := s.db.Q.ScheduleRemove(ctx, tx, db.ScheduleRemoveParams{ID: id, At: now})
		if err = pg.OrAbsent(n, err); err != nil {
			return err
		}
		if err := s.db.Q.OccurrencesUnplan(ctx, tx, db.OccurrencesUnplanParams{ScheduleID: id, Now: now, Days: []string{}}); err != nil {
			return err
		}
		return s.db.Q.OccurrencesStop(ctx, tx, db.OccurrencesStopParams{ScheduleID: id, Now: now, Why: "the schedule was removed"})
	})
	return pg.WrapErr(err, "remove schedule %s", id)
}

// Planned is a day of a schedule with its moments.
type Planned struct {
	Day                                   time.Time
	WindowStart, Due, WindowEnd, Deadline time.Time
	Skip                                  string // why it is left out; empty: it is not
	Stays                                 bool   // it comes too late for the day: what was planned of it stays
}

// SchedulesToPlan lists up to limit schedules from after the given id on that are to be
// planned: they are not up to a day, or they or their person were changed since.
func (s *Store) SchedulesToPlan(ctx context.Context, to time.Time, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return s.db.Q.SchedulesToPlan(ctx, s.db.Conn, db.SchedulesToPlanParams{PlannedTo: &to, After: after, MaxRows: limit})
}

// PlanSchedule plans days of a schedule up to and with a day: what plan returns for the
// person. What was planned and tried, or is due already, stays as it is; so
// planning twice changes nothing. It reports how many occurrences are new or changed.
// A schedule that was removed meanwhile is no error.
func (s *Store) PlanSchedule(ctx context.Context, id uuid.UUID, now, to time.Time, plan func(Schedule, people.Person) []Planned) (int, error) {
	n := 0
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		n = 0
		person, err := s.db.Q.SchedulePerson(ctx, tx, id)
		if err != nil {
			return err
		}
		row, err := s.db.Q.ScheduleLock(ctx, tx, id)
		if err != nil {
			return err
		}
		sc := from(row)
		days := []string{}
		for _, p := range plan(sc, people.PersonFrom(person)) {
			days = append(days, p.Day.Format(time.DateOnly))
			if p.Stays {
				continue
			}
			changed, err := s.db.Q.OccurrencePlan(ctx, tx, planned(sc, p, now))
			if err != nil {
				return err
			}
			n += int(changed)
		}
		if err := s.db.Q.OccurrencesUnplan(ctx, tx, db.OccurrencesUnplanParams{ScheduleID: id, Now: now, Days: days}); err != nil {
			return err
		}
		return s.db.Q.SchedulePlanned(ctx, tx, db.SchedulePlannedParams{ID: id, PlannedTo: &to})
	})
	_, _, err = pg.IfAny(n, err)
	return n, pg.WrapErr(err, "plan schedule %s", id)
}

func planned(sc Schedule, p Planned, now time.Time) db.OccurrencePlanParams {
	row := db.OccurrencePlanParams{
		ID: pg.NewID(), ScheduleID: sc.ID, PersonID: sc.PersonID, CallType: string(sc.CallType), Essential: sc.Essential, LocalDate: p.Day,
		WindowStart: p.WindowStart, Due: p.Due, WindowEnd: p.WindowEnd, Deadline: p.Deadline, Status: string(Due), Why: p.Skip, Now: now,
	}
	if p.Skip != "" {
		row.Status, row.SettledAt = string(Skipped), &now
	}
	return row
}

// Filter narrows a list of occurrences; zero fields do not.
type Filter struct {
	PersonID pg.PersonID
	Status   Status
	From, To time.Time // of the first try; To is not in it
	AfterAt  time.Time // only later ones than that which was due then
	AfterID  uuid.UUID // and has this id: the cursor
	Limit    int
}

// Occurrences lists occurrences with their calls, by when they are due.
func (s *Store) Occurrences(ctx context.Context, f Filter) ([]Occurrence, error) {
	rows, err := s.db.Q.OccurrencesList(ctx, s.db.Conn, db.OccurrencesListParams{
		PersonID: f.PersonID.UUID, Status: pg.Optional(string(f.Status)), From: pg.Moment(f.From), To: pg.Moment(f.To),
		AfterAt: pg.Moment(f.AfterAt), AfterID: f.AfterID, MaxRows: f.Limit,
	})
	return pg.Each(rows, func(r db.OccurrencesListRow) Occurrence {
		o := occurrence(r.Occurrence)
		o.Calls = pg.Each(r.CallIds, func(id uuid.UUID) pg.CallID { return pg.CallID{UUID: id} })
		return o
	}), err
}

// Occurrence returns one occurrence without its calls, or [pg.ErrNotFound].
func (s *Store) Occurrence(ctx context.Context, id uuid.UUID) (Occurrence, error) {
	row, err := s.db.Q.OccurrenceGet(ctx, s.db.Conn, id)
	return occurrence(row), err
}

// Attempts returns the tries of an occurrence, oldest first.
func (s *Store) Attempts(ctx context.Context, id uuid.UUID) ([]Attempt, error) {
	rows, err := s.db.Q.AttemptsOf(ctx, s.db.Conn, id)
	return pg.Each(rows, attempt), err
}

// PruneOccurrences deletes what was settled before a time, and reports how many that were.
func (s *Store) PruneOccurrences(ctx context.Context, before time.Time) (int, error) {
	return pg.Count(s.db.Q.OccurrencesPrune(ctx, s.db.Conn, before))
}

func insertion(sc Schedule, now time.Time) db.ScheduleInsertParams {
	return db.ScheduleInsertParams{
		ID: pg.NewID(), PersonID: sc.PersonID, CallType: string(sc.CallType), Rrule: sc.RRule, WindowFrom: sc.Window.From, WindowTo: sc.Window.To,
		JitterMinutes: sc.JitterMinutes, Essential: sc.Essential, GraceMinutes: sc.GraceMinutes, StartsOn: sc.StartsOn, EndsOn: sc.EndsOn,
		Note: pg.Storable(sc.Note), Paused: sc.Paused, CreatedBy: pg.Storable(sc.CreatedBy), Since: now,
	}
}

func update(sc Schedule, now time.Time) db.ScheduleUpdateParams {
	return db.ScheduleUpdateParams{
		ID: sc.ID, CallType: string(sc.CallType), Rrule: sc.RRule, WindowFrom: sc.Window.From, WindowTo: sc.Window.To,
		JitterMinutes: sc.JitterMinutes, Essential: sc.Essential, GraceMinutes: sc.GraceMinutes, StartsOn: sc.StartsOn, EndsOn: sc.EndsOn,
		Note: pg.Storable(sc.Note), Paused: sc.Paused, Since: now,
	}
}

func from(r db.Schedule) Schedule {
	return Schedule{
		ID: r.ID, PersonID: r.PersonID, CallType: calls.CallType(r.CallType), RRule: r.Rrule, Window: Window{r.WindowFrom, r.WindowTo},
		JitterMinutes: r.JitterMinutes, Essential: r.Essential, GraceMinutes: r.GraceMinutes, StartsOn: r.StartsOn, EndsOn: r.EndsOn,
		Note: r.Note, Paused: r.Paused, CreatedBy: r.CreatedBy, Since: r.Since, PlannedTo: r.PlannedTo, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

func occurrence(r db.Occurrence) Occurrence {
	return Occurrence{
		ID: r.ID, ScheduleID: r.ScheduleID, PersonID: r.PersonID, CallType: calls.CallType(r.CallType), Essential: r.Essential,
		Day: r.LocalDate, WindowStart: r.WindowStart, Due: r.Due, WindowEnd: r.WindowEnd, Deadline: r.Deadline, NextAt: r.NextAt,
		Status: Status(r.Status), Why: r.Why, Attempts: r.Attempts,
	}
}

func attempt(r db.OccurrenceAttempt) Attempt {
	return Attempt{N: r.N, CallID: r.CallID, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Result: Result(r.Result)}
}
