package checks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Cursor is a position in a person's list of checks.
type Cursor struct {
	At     time.Time // when the check at this position started
	CallID pg.CallID
}

// Cursor returns the check's position in the list of its person's checks.
func (hc Check) Cursor() Cursor { return Cursor{At: hc.StartedAt, CallID: hc.CallID} }

// Query narrows a list of checks.
type Query struct {
	Limit  int       // maximum number; zero or less means none
	Since  time.Time // only checks that started then or later; zero means all
	Before *Cursor   // only checks after this position, which are older
}

// HealthCheckOfCall returns a call's check with its answers and scores, or [ErrNotFound] if
// the call has none.
func (s *Store) HealthCheckOfCall(ctx context.Context, id pg.CallID) (Check, error) {
	list, err := s.healthChecks(ctx, db.HealthChecksListParams{CallID: id.UUID, MaxRows: 1})
	if err == nil && len(list) == 0 {
		err = pg.ErrNotFound
	}
	if err != nil {
		return Check{}, pg.WrapErr(err, "health check of call %s", id)
	}
	return list[0], nil
}

// HealthChecks lists a person's checks with their answers and scores, newest first.
func (s *Store) HealthChecks(ctx context.Context, id pg.PersonID, q Query) ([]Check, error) {
	p := db.HealthChecksListParams{PersonID: id.UUID, Since: pg.Moment(q.Since), MaxRows: max(q.Limit, 0)}
	if q.Before != nil {
		p.BeforeAt, p.BeforeCall = &q.Before.At, q.Before.CallID.UUID
	}
	list, err := s.healthChecks(ctx, p)
	return list, pg.WrapErr(err, "health checks of %s", id)
}

// healthChecks reads checks, then the answers and scores of all of them.
func (s *Store) healthChecks(ctx context.Context, p db.HealthChecksListParams) ([]Check, error) {
	rows, err := s.db.Q.HealthChecksList(ctx, s.db.Conn, p)
	if err != nil {
		return nil, err
	}
	list, ids, place := pg.Each(rows, healthCheck), make([]uuid.UUID, len(rows)), make(map[uuid.UUID]int, len(rows))
	for i, r := range rows {
		ids[i], place[r.CallID.UUID] = r.CallID.UUID, i
	}
	answers, err := s.db.Q.HealthAnswersOf(ctx, s.db.Conn, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range answers {
		a, err := healthAnswer(r)
		if err != nil {
			return nil, err
		}
		hc := &list[place[r.CallID.UUID]]
		hc.Answers = append(hc.Answers, a)
	}
	scores, err := s.db.Q.HealthScoresOf(ctx, s.db.Conn, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range scores {
		hc := &list[place[r.CallID.UUID]]
		hc.Scores = append(hc.Scores, healthScore(r))
	}
	return list, nil
}

func healthCheck(r db.HealthChecksListRow) Check {
	return Check{
		CallID: r.CallID, PersonID: r.PersonID, Status: Status(r.Status),
		StartedAt: r.StartedAt, EndedAt: r.EndedAt, Questions: r.Questions,
		Resumes: pg.CallID{UUID: r.ResumesCallID}, ContinuedBy: r.ContinuedBy,
	}
}

func healthAnswer(r db.HealthAnswer) (Answer, error) {
	a := Answer{
		QuestionID: r.QuestionID, FollowUpOf: r.FollowUpOf, Question: r.Question, Short: r.Short, Pack: r.Pack,
		PackVersion: r.PackVersion, Screen: r.Screen, Type: r.Type, Status: r.Status, Value: r.Value, Unit: r.Unit,
		Ordinal: r.Ordinal, Quote: r.Quote, Confidence: r.Confidence, Source: r.Source, Attempts: r.Attempts,
		At: pg.Instant(r.At), Carried: r.Carried,
	}
	if err := json.Unmarshal(r.Earlier, &a.Earlier); err != nil {
		return a, fmt.Errorf("earlier readings of %s: %w", r.QuestionID, err)
	}
	if len(a.Earlier) == 0 {
		a.Earlier = nil
	}
	return a, nil
}

func healthScore(r db.HealthScore) Score {
	return Score{
		Pack: r.Pack, Version: r.Version, Title: r.Title, Highest: r.Highest, Band: r.Band, Meaning: r.Meaning,
		Positive: r.Positive, Answered: r.Answered, Of: r.Items, Total: r.Total,
	}
}
