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

// Lifetime is more checks than anybody has in a lifetime, one a week.
const Lifetime = 5000

// Query narrows a list of checks.
type Query struct {
	Limit int       // how many at most; zero or less: none
	Since time.Time // only those that began then or later; zero: all
	// Before is a place in the list: only those after it, which are older; nil: all.
	Before *Cursor
}

// Cursor is a place in a person's list of checks.
type Cursor struct {
	At     time.Time // when the check at this place began
	CallID pg.CallID
}

// Used is one time that a person was put a task.
type Used struct {
	TaskID  string
	Version string
	Form    string
	At      time.Time
}

// CognitiveCheckOfCall returns a call's check with its tasks, or [pg.ErrNotFound] where the
// call has none on record.
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

// CognitivePast returns what a person was put, oldest first. What a check did not come
// to is not among it.
func (s *Store) CognitivePast(ctx context.Context, id pg.PersonID) ([]Used, error) {
	rows, err := s.db.Q.CognitivePast(ctx, s.db.Conn, id)
	return pg.Each(rows, func(r db.CognitivePastRow) Used { return Used(r) }), err
}

// checks reads checks, then the tasks of all of them and their last corrections.
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

// corrected names a task of a check.
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
