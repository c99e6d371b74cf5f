// Package schedules stores when people are called regularly, and the result of each day's
// call: it was made, it was missed and a human was notified, or it was skipped.
//
// It guarantees that a day of a schedule has one occurrence, that it has at most one try in
// progress, and that a try and the job that places its call exist together.
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

// Window is a part of the day in the person's time zone, as "HH:MM".
type Window struct{ From, To string }

// Schedule describes when a person is called regularly.
type Schedule struct {
	ID            uuid.UUID
	PersonID      pg.PersonID
	CallType      calls.CallType
	RRule         string // RFC 5545, for whole days
	Window        Window
	JitterMinutes int // maximum delay of the first try after the window's start
	Essential     bool
	GraceMinutes  int        // how long after the window an essential call may still be placed
	StartsOn      time.Time  // a day, at midnight UTC: the start of the rule
	EndsOn        *time.Time // the last day; nil if there is none
	Note          string
	Paused        bool
	CreatedBy     string
	Since         time.Time  // nothing is planned that would have been due before
	PlannedTo     *time.Time // the last planned day
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Status is the state of an occurrence.
type Status string

// The statuses of an occurrence. An essential one does not stay missed: a human is
// notified, and it becomes escalated.
const (
	Due       Status = "due"
	Calling   Status = "calling"
	Done      Status = "done"
	Missed    Status = "missed"
	Escalated Status = "escalated"
	Skipped   Status = "skipped"
)

// Statuses lists all statuses.
var Statuses = []Status{Due, Calling, Done, Missed, Escalated, Skipped}

// Settled reports whether no further try follows.
func (s Status) Settled() bool { return s != Due && s != Calling }

// Occurrence is a call to be made on one day of a schedule.
type Occurrence struct {
	ID          uuid.UUID
	ScheduleID  uuid.UUID
	PersonID    pg.PersonID
	CallType    calls.CallType
	Essential   bool
	Day         time.Time // in the person's time zone when it was planned, at midnight UTC
	WindowStart time.Time
	Due         time.Time // of the first try
	WindowEnd   time.Time
	Deadline    time.Time // no try starts later
	NextAt      time.Time // of the next try
	Status      Status
	Why         string // why it was not made
	Attempts    int
	Calls       []pg.CallID // its tries, oldest first; only in lists
}

// Result is how a try ended.
type Result string

// The results of a try.
const (
	Reached     Result = "reached" // a human answered, and the call ran as it should
	Busy        Result = "busy"
	NoAnswer    Result = "no_answer" // no one answered, or no one spoke
	Machine     Result = "machine"
	SomeoneElse Result = "someone_else" // the speaker was not verified as the person
	WrongNumber Result = "wrong_number"
	Dropped     Result = "dropped" // a human answered, but the call broke off
	Failed      Result = "failed"  // the call was not established
	Canceled    Result = "canceled"
)

// Attempt is a try of an occurrence.
type Attempt struct {
	N         int
	CallID    pg.CallID // unknown until a call was recorded
	StartedAt time.Time
	EndedAt   *time.Time
	Result    Result // empty while it is in progress
}

// Store stores schedules in PostgreSQL. It may be used concurrently.
type Store struct {
	db *pg.DB
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// CreateSchedule stores a schedule that takes effect at now. It sets the id.
func (s *Store) CreateSchedule(ctx context.Context, sc Schedule, now time.Time) (Schedule, error) {
	row, err := s.db.Q.ScheduleInsert(ctx, s.db.Conn, insertion(sc, now))
	return from(row), err
}

// Schedule returns one schedule, or [pg.ErrNotFound].
func (s *Store) Schedule(ctx context.Context, id uuid.UUID) (Schedule, error) {
	row, err := s.db.Q.ScheduleGet(ctx, s.db.Conn, id)
	return from(row), err
}

// Schedules lists up to limit schedules after the given id, only those of person if it is
// known.
func (s *Store) Schedules(ctx context.Context, person pg.PersonID, after uuid.UUID, limit int) ([]Schedule, error) {
	rows, err := s.db.Q.SchedulesList(ctx, s.db.Conn, db.SchedulesListParams{PersonID: person.UUID, After: after, MaxRows: limit})
	return pg.Each(rows, from), err
}

// ChangeSchedule calls change with a locked schedule and stores the result. If change
// fails, nothing is stored. Future occurrences must then be planned again.
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

// RemoveSchedule ends a schedule: its future occurrences are not called, and past ones are
// kept. It returns [pg.ErrNotFound] if there is none.
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

// Planned is a planned day of a schedule.
type Planned struct {
	Day                                   time.Time
	WindowStart, Due, WindowEnd, Deadline time.Time
	Skip                                  string // why it is skipped; empty if it is not
	Stays                                 bool   // too late to change: the planned occurrence stays
}

// SchedulesToPlan lists up to limit schedules after the given id that must be planned: they
// are not planned up to a day, or they or their person have changed since.
func (s *Store) SchedulesToPlan(ctx context.Context, to time.Time, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return s.db.Q.SchedulesToPlan(ctx, s.db.Conn, db.SchedulesToPlanParams{PlannedTo: &to, After: after, MaxRows: limit})
}

// PlanSchedule plans the days of a schedule up to and including a day, as returned by plan
// for the person. Occurrences that were tried, or are already due, stay as they are, and
// planning twice changes nothing. It returns how many occurrences are new or changed. It
// ignores a schedule that was removed in the meantime.
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

// Filter narrows a list of occurrences. Zero fields do not.
type Filter struct {
	PersonID pg.PersonID
	Status   Status
	From, To time.Time // range of the first try; To is exclusive
	AfterAt  time.Time // only occurrences after the one due at this time
	AfterID  uuid.UUID // with this id: the cursor
	Limit    int
}

// Occurrences lists occurrences with their calls, by due time.
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

// PruneOccurrences deletes occurrences settled before a time, and returns how many.
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
