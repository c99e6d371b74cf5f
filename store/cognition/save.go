package cognition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// SaveCognitiveCheck stores the result of a call's cognitive check, in one transaction. A
// second call for the same call replaces the first, so a retry is a no-op; corrections
// stay. A zero EndedAt means the end of the call.
//
// The person's words are left out if the call must not be recorded, and as far as they were
// said before something was forgotten; scores are stored, since they are the purpose of the
// call. If the call is not the person's, or a score is impossible, it returns
// [pg.ErrConflict] and changes nothing.
func (s *Store) SaveCognitiveCheck(ctx context.Context, c Check) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		forgotten, _, err := pg.IfAny(s.db.Q.PersonForgottenUntil(ctx, tx, c.PersonID.UUID)) // an unknown person has no such call either
		if err != nil {
			return err
		}
		unrecorded, err := s.db.Q.CognitiveCheckUpsert(ctx, tx, db.CognitiveCheckUpsertParams{
			CallID: c.CallID.UUID, PersonID: c.PersonID.UUID, Language: c.Language, Form: c.Form,
			Status: string(c.Status), StartedAt: c.StartedAt, EndedAt: pg.Moment(c.EndedAt),
		})
		if errors.Is(err, pg.ErrNotFound) {
			return fmt.Errorf("no call of %s: %w", c.PersonID, pg.ErrConflict)
		}
		if err != nil {
			return err
		}
		kept := func(at time.Time) bool { return !unrecorded && !at.Before(pg.Instant(forgotten)) }
		if err := s.setConfounders(ctx, tx, c, kept); err != nil {
			return err
		}
		if err := s.db.Q.CognitiveTasksClear(ctx, tx, c.CallID); err != nil {
			return err
		}
		for i, t := range c.Tasks {
			p, err := t.row(c.CallID, i, kept(t.At))
			if err != nil {
				return err
			}
			if err := s.db.Q.CognitiveTaskInsert(ctx, tx, p); err != nil {
				return fmt.Errorf("task %s: %w", t.TaskID, err)
			}
		}
		return nil
	})
	return pg.WrapErr(err, "save cognitive check of call %s", c.CallID)
}

func (s *Store) setConfounders(ctx context.Context, tx pg.Tx, c Check, kept func(time.Time) bool) error {
	list := make([]Confounder, len(c.Confounders))
	for i, f := range c.Confounders {
		if !kept(f.At) {
			f.Quote = ""
		}
		list[i] = f
	}
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("confounders: %w", err)
	}
	return s.db.Q.CognitiveConfoundersSet(ctx, tx, db.CognitiveConfoundersSetParams{Confounders: pg.StorableJSON(data), CallID: c.CallID})
}

func (t *Task) row(call pg.CallID, seq int, words bool) (db.CognitiveTaskInsertParams, error) {
	list := make([]Evidence, len(t.Evidence))
	for i, e := range t.Evidence {
		if !words {
			e.Quote = ""
		}
		list[i] = e
	}
	data, err := json.Marshal(list)
	if err != nil {
		return db.CognitiveTaskInsertParams{}, fmt.Errorf("evidence of %s: %w", t.TaskID, err)
	}
	return db.CognitiveTaskInsertParams{
		CallID: call, Seq: seq, TaskID: t.TaskID, Version: t.Version, Title: t.Title, Form: t.Form, Status: string(t.Status), Why: t.Why,
		Raw: t.Raw, Max: t.Max, Seconds: t.Seconds, At: pg.Moment(t.At), Evidence: pg.StorableJSON(data), Confidence: t.Confidence,
	}, nil
}

// CorrectCognitiveTask adds a human's score of a task, which from now on replaces that of
// the rules and earlier corrections; all are kept. The time is the database's. It returns
// [pg.ErrConflict] if there is no score to correct, or the new one is impossible. The audit
// records who did it.
func (s *Store) CorrectCognitiveTask(ctx context.Context, call pg.CallID, taskID string, c Correction) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		person, err := s.db.Q.CognitiveCheckLock(ctx, tx, call)
		if err != nil {
			return err
		}
		t, err := s.db.Q.CognitiveTaskRange(ctx, tx, db.CognitiveTaskRangeParams{CallID: call, TaskID: taskID})
		if err != nil {
			return err
		}
		switch {
		case t.Raw == nil:
			return fmt.Errorf("it has no score: %w", pg.ErrConflict)
		case c.Raw < 0 || t.Max > 0 && c.Raw > t.Max:
			return fmt.Errorf("%d is out of 0 to %d: %w", c.Raw, t.Max, pg.ErrConflict)
		}
		if _, err := s.db.Q.CognitiveCorrectionInsert(ctx, tx, db.CognitiveCorrectionInsertParams{
			CallID: call, TaskID: taskID, Raw: c.Raw, ByWhom: pg.Storable(c.By), Note: pg.Storable(c.Note),
		}); err != nil {
			return err
		}
		data, err := json.Marshal(map[string]any{"task": taskID, "from": *t.Raw, "to": c.Raw})
		if err != nil {
			return err
		}
		return s.db.Q.AuditInsert(ctx, tx, db.AuditInsertParams{
			Actor: pg.Storable(c.By), Action: "cognitive.correct", PersonID: person, Subject: call.String(), Data: data,
		})
	})
	return pg.WrapErr(err, "correct %s of call %s", taskID, call)
}
