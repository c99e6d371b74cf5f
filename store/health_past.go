package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/db"
)

// UnfinishedHealthCheck returns the person's newest check that was broken off,
// ended since, and that nobody went on with. There is none where a later check
// was completed or stopped.
func (s *Store) UnfinishedHealthCheck(ctx context.Context, id PersonID, since time.Time) (HealthCheck, bool, error) {
	call, err := s.q.HealthCheckUnfinished(ctx, s.pool, db.HealthCheckUnfinishedParams{PersonID: id.UUID, Since: since})
	if errors.Is(err, pgx.ErrNoRows) {
		return HealthCheck{}, false, nil
	}
	if err != nil {
		return HealthCheck{}, false, said(err, "unfinished health check of %s", id)
	}
	hc, err := s.HealthCheckOfCall(ctx, CallID{call})
	return hc, err == nil, err
}

// LastHealthCall returns the person's newest health check by telephone before a
// call, if one ended since and came to a conversation. Its answers may not be
// written yet.
func (s *Store) LastHealthCall(ctx context.Context, id PersonID, before CallID, since time.Time) (Call, bool, error) {
	row, err := s.q.HealthCallBefore(ctx, s.pool, db.HealthCallBeforeParams{PersonID: id.UUID, Before: before.UUID, Since: since})
	if errors.Is(err, pgx.ErrNoRows) {
		return Call{}, false, nil
	}
	return call(row), err == nil, said(err, "last health call of %s", id)
}

// HealthHistory returns what the person answered since, oldest first.
func (s *Store) HealthHistory(ctx context.Context, id PersonID, since time.Time) ([]HealthPoint, error) {
	rows, err := s.q.HealthHistory(ctx, s.pool, db.HealthHistoryParams{PersonID: id.UUID, Since: since})
	return each(rows, healthPoint), said(err, "health history of %s", id)
}

// HealthAsked says when each question was last put to the person, by question id.
func (s *Store) HealthAsked(ctx context.Context, id PersonID) (map[string]time.Time, error) {
	rows, err := s.q.HealthAsked(ctx, s.pool, id.UUID)
	asked := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		asked[r.QuestionID] = r.At
	}
	return asked, said(err, "questions asked of %s", id)
}

// HealthScreens lists the instruments that the person was asked, oldest first.
// One that a call did not come to is not among them.
func (s *Store) HealthScreens(ctx context.Context, id PersonID) ([]HealthScreen, error) {
	rows, err := s.q.HealthScreens(ctx, s.pool, id.UUID)
	return each(rows, healthScreen), said(err, "health screens of %s", id)
}

func healthPoint(r db.HealthHistoryRow) HealthPoint {
	return HealthPoint{
		QuestionID: r.QuestionID, Question: r.Question, Short: r.Short, Pack: r.Pack, Type: r.Type, At: r.At,
		Value: r.Value, Unit: r.Unit, Ordinal: r.Ordinal, CallID: CallID{r.CallID},
	}
}

func healthScreen(r db.HealthScreensRow) HealthScreen {
	sc := HealthScreen{Pack: r.Pack, At: r.At, Outcome: HealthScreenUnanswered}
	switch {
	case r.Complete:
		sc.Outcome = HealthScreenComplete
	case r.Refused:
		sc.Outcome = HealthScreenRefused
	case r.Answered:
		sc.Outcome = HealthScreenPartial
	}
	return sc
}
