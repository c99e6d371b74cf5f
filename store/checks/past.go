package checks

import (
	"context"
	"errors"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// UnfinishedHealthCheck returns the person's newest interrupted check that ended after
// since and was not resumed. There is none if a later check was completed or stopped.
func (s *Store) UnfinishedHealthCheck(ctx context.Context, id pg.PersonID, since time.Time) (Check, bool, error) {
	call, found, err := pg.IfAny(s.db.Q.HealthCheckUnfinished(ctx, s.db.Conn, db.HealthCheckUnfinishedParams{PersonID: id, Since: since}))
	if err != nil || !found {
		return Check{}, false, err
	}
	hc, err := s.HealthCheckOfCall(ctx, call)
	return hc, err == nil, err
}

// HealthHistory returns the person's answers since a time, oldest first.
func (s *Store) HealthHistory(ctx context.Context, id pg.PersonID, since time.Time) ([]Point, error) {
	rows, err := s.db.Q.HealthHistory(ctx, s.db.Conn, db.HealthHistoryParams{PersonID: id, Since: since})
	return pg.Each(rows, healthPoint), err
}

// Past holds what a health check that starts in a call depends on. A part whose error is
// set could not be read.
type Past struct {
	Call    calls.Call // the call in which it starts; ErrNotFound if deleted with the person
	CallErr error

	History    []Point // the person's answers, oldest first
	HistoryErr error

	// Screens are the instruments that the person was asked, oldest first, without those
	// that a call did not reach.
	Screens    []Screen
	ScreensErr error

	Asked    map[string]time.Time // when each question was last asked, by its id
	AskedErr error

	// Wanted are questions that someone wants asked, oldest first, at most mostWanted.
	Wanted    []Question
	WantedErr error

	// Last is the newest health check by telephone before the call in which there was a
	// conversation, or the zero call. Its answers may not be stored yet.
	Last calls.Call
	// Unfinished reports whether there is a check for [Store.UnfinishedHealthCheck] to
	// return.
	Unfinished bool
	BrokenErr  error // of Last and Unfinished
}

// mostWanted is the maximum number of wanted questions that are read.
const mostWanted = 20

// HealthPast reads in one round trip what a health check in a call depends on: the person's
// answers since a time, and an interrupted check that ended after broken.
func (s *Store) HealthPast(ctx context.Context, id pg.PersonID, call pg.CallID, since, broken time.Time) Past {
	var p Past
	var points []db.HealthHistoryRow
	var screens []db.HealthScreensRow
	var asked []db.HealthAskedRow
	var now, last db.Call
	errs := s.db.Exchange(
		ctx,
		func(h db.DBTX) (err error) { now, err = s.db.Q.CallGet(ctx, h, call.UUID); return err },
		func(h db.DBTX) (err error) { screens, err = s.db.Q.HealthScreens(ctx, h, id); return err },
		func(h db.DBTX) (err error) { asked, err = s.db.Q.HealthAsked(ctx, h, id); return err },
		func(h db.DBTX) (err error) {
			last, err = s.db.Q.HealthCallBefore(ctx, h, db.HealthCallBeforeParams{PersonID: id.UUID, Before: call.UUID, Since: broken})
			return err
		},
		func(h db.DBTX) (err error) {
			_, err = s.db.Q.HealthCheckUnfinished(ctx, h, db.HealthCheckUnfinishedParams{PersonID: id, Since: broken})
			return err
		},
		func(h db.DBTX) (err error) {
			points, err = s.db.Q.HealthHistory(ctx, h, db.HealthHistoryParams{PersonID: id, Since: since})
			return err
		},
		func(h db.DBTX) (err error) {
			p.Wanted, err = s.db.Q.HealthQuestionsOpen(ctx, h, db.HealthQuestionsOpenParams{PersonID: id, MaxRows: mostWanted})
			return err
		},
	)
	for i, what := range []string{"call %s", "screens before call %s", "questions before call %s", "health call before %s", "broken off before call %s", "answers before call %s", "questions wanted in call %s"} {
		errs[i] = pg.WrapErr(errs[i], what, call)
	}
	p.Call, p.CallErr = calls.CallFrom(now), errs[0]
	p.Screens, p.ScreensErr = pg.Each(screens, healthScreen), errs[1]
	p.Asked, p.AskedErr = make(map[string]time.Time, len(asked)), errs[2]
	for _, r := range asked {
		p.Asked[r.QuestionID] = r.At
	}
	_, _, lastErr := pg.IfAny(last, errs[3])
	_, unfinished, unfinishedErr := pg.IfAny(struct{}{}, errs[4])
	p.Last, p.Unfinished = calls.CallFrom(last), unfinished
	p.BrokenErr = errors.Join(lastErr, unfinishedErr)
	p.History, p.HistoryErr = pg.Each(points, healthPoint), errs[5]
	p.WantedErr = errs[6]
	return p
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
