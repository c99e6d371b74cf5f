package schedules

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// History is a schedule with its occurrences, for export.
type History struct {
	Schedule

	RemovedAt *time.Time
	Days      []Settled
}

// Settled is an occurrence with its tries.
type Settled struct {
	Occurrence

	SettledAt *time.Time // nil if it is not settled
	Tries     []Attempt
}

// PersonSchedules returns all schedules of a person, oldest first, including removed ones.
// tx may be nil.
func (s *Store) PersonSchedules(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]History, error) {
	h := s.db.Handle(tx)
	rows, err := s.db.Q.SchedulesOf(ctx, h, person)
	if err != nil {
		return nil, err
	}
	days, err := s.db.Q.OccurrencesOf(ctx, h, person)
	if err != nil {
		return nil, err
	}
	tries, err := s.db.Q.AttemptsOfPerson(ctx, h, person)
	if err != nil {
		return nil, err
	}
	triesOf, daysOf := make(map[uuid.UUID][]Attempt), make(map[uuid.UUID][]Settled)
	for _, t := range tries {
		triesOf[t.OccurrenceID] = append(triesOf[t.OccurrenceID], attempt(t))
	}
	for _, o := range days {
		daysOf[o.ScheduleID] = append(daysOf[o.ScheduleID], Settled{occurrence(o), o.SettledAt, triesOf[o.ID]})
	}
	return pg.Each(rows, func(r db.Schedule) History { return History{from(r), r.RemovedAt, daysOf[r.ID]} }), nil
}

// RestoreSchedule stores an imported schedule inside tx, with its occurrences. An existing
// one is left unchanged. Nothing is planned that would have been due before its Since.
func (s *Store) RestoreSchedule(ctx context.Context, tx pg.Tx, h History) error {
	n, err := s.db.Q.ScheduleRestore(ctx, tx, db.ScheduleRestoreParams{
		ID: h.ID, PersonID: h.PersonID, CallType: string(h.CallType), Rrule: h.RRule, WindowFrom: h.Window.From, WindowTo: h.Window.To,
		JitterMinutes: h.JitterMinutes, Essential: h.Essential, GraceMinutes: h.GraceMinutes, StartsOn: h.StartsOn, EndsOn: h.EndsOn,
		Note: pg.Storable(h.Note), Paused: h.Paused, CreatedBy: pg.Storable(h.CreatedBy), Since: h.Since, RemovedAt: h.RemovedAt, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt,
	})
	if err != nil || n == 0 {
		return err
	}
	for _, o := range h.Days {
		n, err := s.db.Q.OccurrenceRestore(ctx, tx, db.OccurrenceRestoreParams{
			ID: o.ID, ScheduleID: h.ID, PersonID: h.PersonID, CallType: string(o.CallType), Essential: o.Essential, LocalDate: o.Day,
			WindowStart: o.WindowStart, Due: o.Due, WindowEnd: o.WindowEnd, Deadline: o.Deadline, Status: string(o.Status), Why: pg.Storable(o.Why),
			Attempts: len(o.Tries), SettledAt: o.SettledAt,
		})
		if err != nil {
			return err
		}
		for _, t := range o.Tries[:len(o.Tries)*int(n)] { // none if the day exists already
			if err := s.db.Q.AttemptRestore(ctx, tx, db.AttemptRestoreParams{
				OccurrenceID: o.ID, N: t.N, CallID: t.CallID.UUID, PersonID: h.PersonID, StartedAt: t.StartedAt, EndedAt: t.EndedAt, Result: string(t.Result),
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ended returns an occurrence with everything finished at a time: if it was not settled, or
// someone was still to be notified, it is skipped.
func (o Settled) Ended(why string, at time.Time) Settled {
	if !o.Status.Settled() || o.Status == Missed && o.Essential {
		o.Status, o.Why = Skipped, why
	}
	if o.SettledAt == nil {
		o.SettledAt = &at
	}
	for i, t := range o.Tries {
		if t.EndedAt == nil {
			o.Tries[i].EndedAt, o.Tries[i].Result = &at, Canceled
		}
	}
	return o
}
