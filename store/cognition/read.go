package cognition

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Lifetime is a limit above the number of checks in a lifetime, one per week.
const Lifetime = 5000

// Query narrows a list of checks.
type Query struct {
	Limit int       // maximum number; zero or less means none
	Since time.Time // only checks that started then or later; zero means all
	// Before is a position in the list: only checks after it, which are older; nil means
	// all.
	Before *Cursor
}

// Cursor is a position in a person's list of checks.
type Cursor struct {
	At     time.Time // when the check at this position started
	CallID pg.CallID
}

// Used is one use of a task with a person.
type Used struct {
	TaskID  string
	Version string
	Form    string
	At      time.Time
}

// CognitiveCheckOfCall returns a call's check with its tasks, or [pg.ErrNotFound] if the
// call has none.
func (s *Store) CognitiveCheckOfCall(ctx context.Context, id pg.CallID) (Check, error) {
	list, err := s.checks(ctx, db.CognitiveChecksListParams{CallID: id.UUID, MaxRows: 1})
	if err == nil && len(list) == 0 {
		err = pg.ErrNotFound
	}
	if err != nil {
		return Check{}, pg.WrapErr(err, "cognitive check of call %s", id)
	}
	return list[0], nil
}

// CognitiveChecks lists a person's checks with their tasks, newest first.
func (s *Store) CognitiveChecks(ctx context.Context, id pg.PersonID, q Query) ([]Check, error) {
	p := db.CognitiveChecksListParams{PersonID: id.UUID, Since: pg.Moment(q.Since), MaxRows: max(q.Limit, 0)}
	if q.Before != nil {
		p.BeforeAt, p.BeforeCall = &q.Before.At, q.Before.CallID.UUID
	}
	list, err := s.checks(ctx, p)
	return list, pg.WrapErr(err, "cognitive checks of %s", id)
}

// CognitivePast returns the tasks that a person was asked, oldest first, without those that
// a check did not reach.
func (s *Store) CognitivePast(ctx context.Context, id pg.PersonID) ([]Used, error) {
	rows, err := s.db.Q.CognitivePast(ctx, s.db.Conn, id)
	return pg.Each(rows, func(r db.CognitivePastRow) Used { return Used(r) }), err
}

// checks reads checks, then the tasks of all of them and their latest corrections.
func (s *Store) checks(ctx context.Context, p db.CognitiveChecksListParams) ([]Check, error) {
	rows, err := s.db.Q.CognitiveChecksList(ctx, s.db.Conn, p)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list, ids, place := make([]Check, len(rows)), make([]uuid.UUID, len(rows)), make(map[pg.CallID]int, len(rows))
	for i, r := range rows {
		if list[i], err = check(r); err != nil {
			return nil, err
		}
		ids[i], place[r.CallID] = r.CallID.UUID, i
	}
	tasks, err := s.db.Q.CognitiveTasksOf(ctx, s.db.Conn, ids)
	if err != nil {
		return nil, err
	}
	fixes, err := s.corrections(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range tasks {
		t, err := task(r)
		if err != nil {
			return nil, err
		}
		t.Correction = fixes[corrected{r.CallID, r.TaskID}]
		c := &list[place[r.CallID]]
		c.Tasks = append(c.Tasks, t)
	}
	return list, nil
}

// corrected identifies a task of a check.
type corrected struct {
	call pg.CallID
	task string
}

func (s *Store) corrections(ctx context.Context, ids []uuid.UUID) (map[corrected]*Correction, error) {
	rows, err := s.db.Q.CognitiveCorrectionsOf(ctx, s.db.Conn, ids)
	fixes := make(map[corrected]*Correction, len(rows))
	for _, r := range rows {
		fixes[corrected{r.CallID, r.TaskID}] = &Correction{Raw: r.Raw, By: r.ByWhom, Note: r.Note, At: r.At}
	}
	return fixes, err
}

func check(r db.CognitiveCheck) (Check, error) {
	c := Check{
		CallID: r.CallID, PersonID: r.PersonID, Language: r.Language, Form: r.Form, Status: Status(r.Status),
		StartedAt: r.StartedAt, EndedAt: r.EndedAt,
	}
	if err := json.Unmarshal(r.Confounders, &c.Confounders); err != nil {
		return c, fmt.Errorf("confounders of call %s: %w", r.CallID, err)
	}
	return c, nil
}

func task(r db.CognitiveTask) (Task, error) {
	t := Task{
		TaskID: r.TaskID, Version: r.Version, Title: r.Title, Form: r.Form, Status: TaskStatus(r.Status), Why: r.Why,
		Raw: r.Raw, Max: r.Max, Seconds: r.Seconds, At: pg.Instant(r.At), Confidence: r.Confidence,
	}
	if err := json.Unmarshal(r.Evidence, &t.Evidence); err != nil {
		return t, fmt.Errorf("evidence of %s of call %s: %w", r.TaskID, r.CallID, err)
	}
	return t, nil
}
