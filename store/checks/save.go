package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// SaveHealthCheck stores the result of a call's health check, in one transaction. A second
// call for the same call replaces the first, so a retry is a no-op. A zero EndedAt means
// the end of the call.
//
// The person's words are left out if the call must not be recorded (see
// [Store.BlankUnrecorded]), and as far as they were said before something was forgotten
// (see [Store.NoteForgotten]); values are stored, since they are the purpose of the call. A
// carer's question counts as asked if it was. If the call is not the person's, or a value
// has no answer, it returns [ErrConflict] and changes nothing.
func (s *Store) SaveHealthCheck(ctx context.Context, hc Check) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		forgotten, _, err := pg.IfAny(s.db.Q.PersonForgottenUntil(ctx, tx, hc.PersonID.UUID)) // an unknown person has no such call either
		if err != nil {
			return err
		}
		unrecorded, err := s.upsertHealthCheck(ctx, tx, hc)
		if err != nil {
			return err
		}
		before := pg.Instant(forgotten)
		if unrecorded {
			before = endOfTime
		}
		if err := s.db.Q.HealthAnswersClear(ctx, tx, hc.CallID); err != nil {
			return err
		}
		for i, a := range hc.Answers {
			p, err := a.wordless(before).row(hc, i)
			if err != nil {
				return err
			}
			if err := s.db.Q.HealthAnswerInsert(ctx, tx, p); err != nil {
				return fmt.Errorf("answer to %s: %w", a.QuestionID, err)
			}
		}
		if slices.ContainsFunc(hc.Answers, func(a Answer) bool { return a.Pack == CarerPack }) {
			if err := s.db.Q.HealthQuestionsAsked(ctx, tx, hc.CallID.UUID); err != nil {
				return err
			}
		}
		return s.replaceHealthScores(ctx, tx, hc)
	})
	return pg.WrapErr(err, "save health check of call %s", hc.CallID)
}

// upsertHealthCheck stores the check itself and reports whether its words must be left out.
func (s *Store) upsertHealthCheck(ctx context.Context, tx pg.Tx, hc Check) (unrecorded bool, err error) {
	unrecorded, err = s.db.Q.HealthCheckUpsert(ctx, tx, db.HealthCheckUpsertParams{
		CallID: hc.CallID.UUID, PersonID: hc.PersonID.UUID, Status: string(hc.Status), StartedAt: hc.StartedAt,
		EndedAt: pg.Moment(hc.EndedAt), Questions: given(hc.Questions), ResumesCallID: hc.Resumes.UUID,
	})
	if errors.Is(err, pg.ErrNotFound) {
		return false, fmt.Errorf("no call of %s: %w", hc.PersonID, pg.ErrConflict)
	}
	return unrecorded, err
}

func (s *Store) replaceHealthScores(ctx context.Context, tx pg.Tx, hc Check) error {
	if err := s.db.Q.HealthScoresClear(ctx, tx, hc.CallID); err != nil {
		return err
	}
	for i, sc := range hc.Scores {
		if err := s.db.Q.HealthScoreInsert(ctx, tx, db.HealthScoreInsertParams{
			CallID: hc.CallID, Pack: sc.Pack, Version: sc.Version, Title: sc.Title, Band: sc.Band, Meaning: sc.Meaning,
			Positive: sc.Positive, Seq: i, Highest: sc.Highest, Answered: sc.Answered, Items: sc.Of, Total: sc.Total,
		}); err != nil {
			return fmt.Errorf("score of %s: %w", sc.Pack, err)
		}
	}
	return nil
}

// endOfTime is later than any answer.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// wordless returns the answer without the words that the person said before a time. A text
// answer becomes an empty text, which still says that there was one.
func (a Answer) wordless(before time.Time) Answer {
	none := func(value json.RawMessage) json.RawMessage {
		if a.Type != "text" || value == nil {
			return value
		}
		return json.RawMessage(`""`)
	}
	if a.At.Before(before) {
		a.Quote, a.Value = "", none(a.Value)
	}
	earlier := make([]Reading, len(a.Earlier))
	for i, r := range a.Earlier {
		if r.At.Before(before) {
			r.Quote, r.Value = "", none(r.Value)
		}
		earlier[i] = r
	}
	a.Earlier = earlier
	return a
}

func (a Answer) row(hc Check, seq int) (db.HealthAnswerInsertParams, error) {
	earlier := []byte("[]")
	if len(a.Earlier) > 0 {
		var err error
		if earlier, err = json.Marshal(a.Earlier); err != nil {
			return db.HealthAnswerInsertParams{}, fmt.Errorf("earlier readings of %s: %w", a.QuestionID, err)
		}
	}
	return db.HealthAnswerInsertParams{
		CallID: hc.CallID, PersonID: hc.PersonID, Seq: seq, QuestionID: a.QuestionID, FollowUpOf: a.FollowUpOf, Question: a.Question,
		Short: a.Short, Pack: a.Pack, PackVersion: a.PackVersion, Screen: a.Screen, Type: a.Type, Status: a.Status,
		Value: given(a.Value), Unit: a.Unit, Ordinal: a.Ordinal, Quote: a.Quote, Confidence: a.Confidence, Source: a.Source,
		Attempts: a.Attempts, At: pg.Moment(a.At), Carried: a.Carried, Earlier: earlier,
	}, nil
}

// given returns v for a nullable column: nil if it is empty or JSON null.
func given(v json.RawMessage) []byte {
	if v = bytes.TrimSpace(v); len(v) == 0 || string(v) == "null" {
		return nil
	}
	return v
}
