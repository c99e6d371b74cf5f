package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// State holds the fields of a schedule that can be changed in a call.
type State struct {
	ScheduleID uuid.UUID `json:"scheduleId"`
	CallType   string    `json:"callType"`
	RRule      string    `json:"rrule"`
	From       string    `json:"from"`
	To         string    `json:"to"`
	StartsOn   string    `json:"startsOn"`
	Paused     bool      `json:"paused"`
}

// Change is a change to their calls that a person made in a call.
type Change struct {
	ID                 uuid.UUID
	PersonID           pg.PersonID
	CallID             pg.CallID
	Turn               int    // the turn that confirmed it
	Said               string // what they asked for; empty after it was forgotten
	Confirmed          string // what was read back to them
	Before, After      []State
	PauseFrom, PauseTo *time.Time
	CreatedAt          time.Time
}

// Edit is the content of a change: changed schedules, new ones, without an id, and
// optionally a pause.
type Edit struct {
	Schedules []Schedule
	Pause     *people.Pause
}

// ChangeCalls calls edit with a person's locked schedules, and stores the result with a
// record of it. If edit fails, its error is returned and nothing is stored. If the turn has
// made its change before, that change is returned, without calling edit. Future occurrences
// must then be planned again.
func (s *Store) ChangeCalls(ctx context.Context, c Change, now time.Time, edit func([]Schedule) (Edit, error)) (kept Change, err error) {
	var refused error
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		made, found, err := pg.IfAny(s.db.Q.ScheduleChangeOfTurn(ctx, tx, db.ScheduleChangeOfTurnParams{CallID: c.CallID, Turn: c.Turn}))
		if err != nil {
			return err
		}
		if found {
			kept, err = changeFrom(made)
			return err
		}
		rows, err := s.db.Q.SchedulesLock(ctx, tx, c.PersonID)
		if err != nil {
			return err
		}
		before := pg.Each(rows, from)
		e, err := edit(slices.Clone(before))
		if refused = err; refused != nil {
			return refused
		}
		if kept, err = s.apply(ctx, tx, c, before, e, now); err != nil {
			return err
		}
		return s.record(ctx, tx, kept)
	})
	if refused != nil {
		return Change{}, refused
	}
	return kept, pg.WrapErr(err, "change calls of %s", c.PersonID)
}

// apply stores an edit and returns the change.
func (s *Store) apply(ctx context.Context, tx pg.Tx, c Change, before []Schedule, e Edit, now time.Time) (Change, error) {
	c.ID, c.CreatedAt, c.Before, c.After = pg.NewID(), now.Truncate(time.Microsecond), []State{}, []State{}
	for _, sc := range e.Schedules {
		var row db.Schedule
		var err error
		if sc.ID == uuid.Nil {
			row, err = s.db.Q.ScheduleInsert(ctx, tx, insertion(sc, now))
		} else {
			c.Before = append(c.Before, stateOf(before[slices.IndexFunc(before, func(b Schedule) bool { return b.ID == sc.ID })]))
			row, err = s.db.Q.ScheduleUpdate(ctx, tx, update(sc, now))
		}
		if err != nil {
			return c, err
		}
		c.After = append(c.After, stateOf(from(row)))
	}
	if p := e.Pause; p != nil {
		c.PauseFrom, c.PauseTo = &p.StartsAt, p.EndsAt
		_, err := s.db.Q.PauseInsert(ctx, tx, db.PauseInsertParams{
			ID: pg.NewID(), PersonID: c.PersonID, StartsAt: p.StartsAt, EndsAt: p.EndsAt, Reason: p.Reason, CreatedBy: p.CreatedBy,
		})
		return c, err
	}
	return c, nil
}

func (s *Store) record(ctx context.Context, tx pg.Tx, c Change) error {
	before, err := json.Marshal(c.Before)
	if err != nil {
		return err
	}
	after, err := json.Marshal(c.After)
	if err != nil {
		return err
	}
	n, err := s.db.Q.ScheduleChangeInsert(ctx, tx, db.ScheduleChangeInsertParams{
		ID: c.ID, PersonID: c.PersonID, CallID: c.CallID, Turn: c.Turn, Said: pg.Storable(c.Said), Confirmed: pg.Storable(c.Confirmed),
		Before: before, After: after, PauseFrom: c.PauseFrom, PauseTo: c.PauseTo, CreatedAt: c.CreatedAt,
	})
	if err == nil && n == 0 {
		err = pg.ErrConflict // the same turn at the same time: the other one was first
	}
	return err
}

// CallsChanged returns the change of a turn, or [pg.ErrNotFound].
func (s *Store) CallsChanged(ctx context.Context, call pg.CallID, turn int) (Change, error) {
	row, err := s.db.Q.ScheduleChangeOfTurn(ctx, s.db.Conn, db.ScheduleChangeOfTurnParams{CallID: call, Turn: turn})
	if err != nil {
		return Change{}, err
	}
	return changeFrom(row)
}

// CallChanges lists up to limit of a person's changes, latest first, starting before the
// given id if it is set.
func (s *Store) CallChanges(ctx context.Context, person pg.PersonID, before uuid.UUID, limit int) ([]Change, error) {
	rows, err := s.db.Q.ScheduleChanges(ctx, s.db.Conn, db.ScheduleChangesParams{PersonID: person, BeforeID: before, MaxRows: limit})
	return changesFrom(rows, err)
}

// PersonCallChanges returns all changes of a person, latest first. tx may be nil.
func (s *Store) PersonCallChanges(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Change, error) {
	return changesFrom(s.db.Q.ScheduleChanges(ctx, s.db.Handle(tx), db.ScheduleChangesParams{PersonID: person, MaxRows: 1 << 30}))
}

// RestoreCallChange stores an imported change inside tx, without changing a schedule. If it
// exists, or its turn has made a change here, that one is left unchanged.
func (s *Store) RestoreCallChange(ctx context.Context, tx pg.Tx, c Change) error {
	if err := s.record(ctx, tx, c); !errors.Is(err, pg.ErrConflict) {
		return err
	}
	return nil
}

func changesFrom(rows []db.ScheduleChange, err error) ([]Change, error) {
	list := make([]Change, 0, len(rows))
	for _, r := range rows {
		c, failed := changeFrom(r)
		if err == nil {
			err = failed
		}
		list = append(list, c)
	}
	return list, err
}

func stateOf(s Schedule) State {
	return State{s.ID, string(s.CallType), s.RRule, s.Window.From, s.Window.To, s.StartsOn.Format(time.DateOnly), s.Paused}
}

func changeFrom(r db.ScheduleChange) (c Change, err error) {
	c = Change{
		ID: r.ID, PersonID: r.PersonID, CallID: r.CallID, Turn: r.Turn, Said: r.Said, Confirmed: r.Confirmed,
		PauseFrom: r.PauseFrom, PauseTo: r.PauseTo, CreatedAt: r.CreatedAt,
	}
	if err = json.Unmarshal(r.Before, &c.Before); err == nil {
		err = json.Unmarshal(r.After, &c.After)
	}
	return c, pg.WrapErr(err, "read change %s", r.ID)
}
