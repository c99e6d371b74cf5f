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

// SaveHealthCheck writes what a call's health check left behind, in one
// transaction. Doing it again for the same call replaces what was written, so a
// retry changes nothing. An EndedAt of zero is the call's own ending.
//
// The person's words are left out where the call is not to be recorded (see
// [Store.BlankUnrecorded]), and of what they said before something was forgotten (see
// [Store.NoteForgotten]); values are kept, for they are what the call is for.
// What a carer wanted to be put counts as put where it was.
// A call that is not the person's, or a value without an answer, is [ErrConflict]
// and changes nothing.
func (s *Store) SaveHealthCheck(ctx context.Context, hc Check) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		forgotten, _, err := pg.IfAny(s.db.Q.PersonForgottenUntil(ctx, tx, hc.PersonID.UUID)) // nobody has no such call either
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

// upsertHealthCheck writes the check itself and reports whether its words are to
// be left out.
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

// endOfTime is later than anything that was said.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// wordless is the answer without the words that the person said before a time. Of
// an answer that is words itself it only says that there was one.
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

// given is JSON for a column in which null means that there is none.
func given(v json.RawMessage) []byte {
	if v = bytes.TrimSpace(v); len(v) == 0 || string(v) == "null" {
		return nil
	}
	return v
}
