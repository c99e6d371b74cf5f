package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Promise is something that nAIber comes back to: once, or again and again.
type Promise = db.MemoryPromise

// AddMemoryPromise keeps a promise; one with the same id stays as it is.
func (s *Store) AddMemoryPromise(ctx context.Context, tx pg.Tx, p Promise) error {
	return s.db.Q.MemoryPromiseInsert(ctx, tx, db.MemoryPromiseInsertParams{
		ID: p.ID, PersonID: p.PersonID, Text: p.Text, Kind: p.Kind, DueOn: p.DueOn, DueAt: p.DueAt, Recurrence: p.Recurrence,
		CallID: p.CallID.UUID, TurnID: p.TurnID,
	})
}

// OpenMemoryPromises returns a person's promises that are still to be come back to.
func (s *Store) OpenMemoryPromises(ctx context.Context, person pg.PersonID) ([]Promise, error) {
	return s.db.Q.MemoryPromisesOpen(ctx, s.db.Conn, person)
}

// UseMemoryPromises notes that the opening of a call has the promises. It
// returns how many of them were open.
func (s *Store) UseMemoryPromises(ctx context.Context, person pg.PersonID, call pg.CallID, at time.Time, ids []uuid.UUID) (int, error) {
	return pg.Count(s.db.Q.MemoryPromisesUse(ctx, s.db.Conn, db.MemoryPromisesUseParams{PersonID: person, CallID: call.UUID, At: at, Ids: ids}))
}

// MemoryPromisesUsedBy returns the promises that a call's opening had.
func (s *Store) MemoryPromisesUsedBy(ctx context.Context, call pg.CallID) ([]Promise, error) {
	return s.db.Q.MemoryPromisesUsedBy(ctx, s.db.Conn, call.UUID)
}

// SettleMemoryPromise notes whether a promise that a call's opening had was
// kept in it. One that was not waits for the next call.
func (s *Store) SettleMemoryPromise(ctx context.Context, tx pg.Tx, id uuid.UUID, kept bool) error {
	if kept {
		return s.db.Q.MemoryPromiseKept(ctx, tx, id)
	}
	return s.db.Q.MemoryPromiseReopen(ctx, tx, id)
}

// Limit is what is not to be kept of a person, or not to be brought up.
type Limit = db.MemoryLimit

// AddMemoryLimit keeps a limit. It reports false where one that says as much
// is there already.
func (s *Store) AddMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) (bool, error) {
	return pg.Any(s.db.Q.MemoryLimitInsert(ctx, tx, db.MemoryLimitInsertParams{ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How}))
}

// LiftMemoryLimit takes back that a topic is not to be brought up.
func (s *Store) LiftMemoryLimit(ctx context.Context, tx pg.Tx, person pg.PersonID, topic string) (int, error) {
	return pg.Count(s.db.Q.MemoryLimitLift(ctx, tx, db.MemoryLimitLiftParams{PersonID: person, Topic: topic}))
}

// DropMemoryLimits deletes limits; those that are not there are no error.
func (s *Store) DropMemoryLimits(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) error {
	return s.db.Q.MemoryLimitsDrop(ctx, tx, db.MemoryLimitsDropParams{PersonID: person, Ids: ids})
}

// MemorySummary is what a person's calls came to, over several of them.
type MemorySummary = db.MemorySummary

// PersonSummary returns the newest summary of a person, and whether there is one.
// tx may be nil.
func (s *Store) PersonSummary(ctx context.Context, tx pg.Tx, person pg.PersonID) (MemorySummary, bool, error) {
	return pg.IfAny(s.db.Q.MemoryPersonSummary(ctx, s.db.Handle(tx), person.UUID))
}

// AddPersonSummary keeps a further summary of a person.
func (s *Store) AddPersonSummary(ctx context.Context, tx pg.Tx, m MemorySummary) error {
	return s.db.Q.MemorySummaryInsert(ctx, tx, db.MemorySummaryInsertParams{
		ID: m.ID, PersonID: m.PersonID.UUID, Text: m.Text, FromTurn: m.FromTurn, ToTurn: m.ToTurn,
		FromAt: m.FromAt, ToAt: m.ToAt, Turns: m.Turns, Tokens: m.Tokens, Model: m.Model,
	})
}

// MemoryTurnsSince returns a person's turns after a moment and id, at most the
// newest limit of them, oldest first.
func (s *Store) MemoryTurnsSince(ctx context.Context, person pg.PersonID, at time.Time, id uuid.UUID, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsSince(ctx, s.db.Conn, db.MemoryTurnsSinceParams{PersonID: person.UUID, AfterAt: at, AfterID: id, MaxRows: limit}))
}
