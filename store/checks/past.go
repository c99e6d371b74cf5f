package checks

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// UnfinishedHealthCheck returns the person's newest check that was broken off,
// ended since, and that nobody went on with. There is none where a later check
// was completed or stopped.
func (s *Store) UnfinishedHealthCheck(ctx context.Context, id pg.PersonID, since time.Time) (Check, bool, error) {
	call, found, err := pg.IfAny(s.db.Q.HealthCheckUnfinished(ctx, s.db.Conn, db.HealthCheckUnfinishedParams{PersonID: id, Since: since}))
	if err != nil || !found {
		return Check{}, false, err
	}
	hc, err := s.HealthCheckOfCall(ctx, call)
	return hc, err == nil, err
}

// LastHealthCall returns the person's newest health check by telephone before a
// call, if one ended since and came to a conversation. Its answers may not be
// written yet.
func (s *Store) LastHealthCall(ctx context.Context, id pg.PersonID, before pg.CallID, since time.Time) (calls.Call, bool, error) {
	row, found, err := pg.IfAny(s.db.Q.HealthCallBefore(ctx, s.db.Conn, db.HealthCallBeforeParams{PersonID: id.UUID, Before: before.UUID, Since: since}))
	return calls.CallFrom(row), found, err
}

// HealthHistory returns what the person answered since, oldest first.
func (s *Store) HealthHistory(ctx context.Context, id pg.PersonID, since time.Time) ([]Point, error) {
	rows, err := s.db.Q.HealthHistory(ctx, s.db.Conn, db.HealthHistoryParams{PersonID: id, Since: since})
	return pg.Each(rows, healthPoint), err
}

// HealthAsked says when each question was last put to the person, by question id.
func (s *Store) HealthAsked(ctx context.Context, id pg.PersonID) (map[string]time.Time, error) {
	rows, err := s.db.Q.HealthAsked(ctx, s.db.Conn, id)
	asked := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		asked[r.QuestionID] = r.At
	}
	return asked, err
}

// HealthScreens lists the instruments that the person was asked, oldest first.
// One that a call did not come to is not among them.
func (s *Store) HealthScreens(ctx context.Context, id pg.PersonID) ([]Screen, error) {
	rows, err := s.db.Q.HealthScreens(ctx, s.db.Conn, id)
	return pg.Each(rows, healthScreen), err
}

func healthPoint(r db.HealthHistoryRow) Point {
	return Point{
		QuestionID: r.QuestionID, Question: r.Question, Short: r.Short, Pack: r.Pack, Type: r.Type, At: r.At,
		Value: r.Value, Unit: r.Unit, Ordinal: r.Ordinal, CallID: pg.CallID{UUID: r.CallID},
	}
}

func healthScreen(r db.HealthScreensRow) Screen {
	sc := Screen{Pack: r.Pack, At: r.At, Outcome: ScreenUnanswered}
	switch {
	case r.Complete:
		sc.Outcome = ScreenComplete
	case r.Refused:
		sc.Outcome = ScreenRefused
	case r.Answered:
		sc.Outcome = ScreenPartial
	}
	return sc
}
