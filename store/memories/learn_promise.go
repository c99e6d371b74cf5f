package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Promise is something that nAIber should come back to, once or repeatedly.
type Promise = db.MemoryPromise

// AddMemoryPromise stores a promise. One with the same id is left unchanged.
func (s *Store) AddMemoryPromise(ctx context.Context, tx pg.Tx, p Promise) error {
	return s.db.Q.MemoryPromiseInsert(ctx, tx, db.MemoryPromiseInsertParams{
		ID: p.ID, PersonID: p.PersonID, Text: p.Text, Kind: p.Kind, DueOn: p.DueOn, DueAt: p.DueAt, Recurrence: p.Recurrence,
		CallID: p.CallID.UUID, TurnID: p.TurnID,
	})
}

// OpenMemoryPromises returns a person's open promises.
func (s *Store) OpenMemoryPromises(ctx context.Context, person pg.PersonID) ([]Promise, error) {
	return s.db.Q.MemoryPromisesOpen(ctx, s.db.Conn, person)
}

// UseMemoryPromises marks promises as used by the opening of a call. It returns how many of
// them were open.
func (s *Store) UseMemoryPromises(ctx context.Context, person pg.PersonID, call pg.CallID, at time.Time, ids []uuid.UUID) (int, error) {
	return pg.Count(s.db.Q.MemoryPromisesUse(ctx, s.db.Conn, db.MemoryPromisesUseParams{PersonID: person, CallID: call.UUID, At: at, Ids: ids}))
}

// MemoryPromisesUsedBy returns the promises used by a call's opening.
func (s *Store) MemoryPromisesUsedBy(ctx context.Context, call pg.CallID) ([]Promise, error) {
	return s.db.Q.MemoryPromisesUsedBy(ctx, s.db.Conn, call.UUID)
}

// SettleMemoryPromise records whether a promise used by a call's opening was kept in the
// call. If not, it is open for the next call.
func (s *Store) SettleMemoryPromise(ctx context.Context, tx pg.Tx, id uuid.UUID, kept bool) error {
	if kept {
		return s.db.Q.MemoryPromiseKept(ctx, tx, id)
	}
	return s.db.Q.MemoryPromiseReopen(ctx, tx, id)
}

// Limit is a topic that must not be stored of a person, or not be brought up.
type Limit = db.MemoryLimit

// AddMemoryLimit stores a limit. It returns false if an existing one already covers it.
func (s *Store) AddMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) (bool, error) {
	return pg.Any(s.db.Q.MemoryLimitInsert(ctx, tx, db.MemoryLimitInsertParams{ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How}))
}

// LiftMemoryLimit removes limits against bringing up a topic, and returns how many.
func (s *Store) LiftMemoryLimit(ctx context.Context, tx pg.Tx, person pg.PersonID, topic string) (int, error) {
	return pg.Count(s.db.Q.MemoryLimitLift(ctx, tx, db.MemoryLimitLiftParams{PersonID: person, Topic: topic}))
}

// DropMemoryLimits deletes limits. Those that do not exist are ignored.
func (s *Store) DropMemoryLimits(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) error {
	return s.db.Q.MemoryLimitsDrop(ctx, tx, db.MemoryLimitsDropParams{PersonID: person, Ids: ids})
}

// MemorySummary is a summary of what a person told, over several calls.
type MemorySummary = db.MemorySummary

// PersonSummary returns the newest summary of a person, and whether there is one.
// tx may be nil.
func (s *Store) PersonSummary(ctx context.Context, tx pg.Tx, person pg.PersonID) (MemorySummary, bool, error) {
	return pg.IfAny(s.db.Q.MemoryPersonSummary(ctx, s.db.Handle(tx), person.UUID))
}

// AddPersonSummary stores another summary of a person.
func (s *Store) AddPersonSummary(ctx context.Context, tx pg.Tx, m MemorySummary) error {
	return s.db.Q.MemorySummaryInsert(ctx, tx, db.MemorySummaryInsertParams{
		ID: m.ID, PersonID: m.PersonID.UUID, Text: m.Text, FromTurn: m.FromTurn, ToTurn: m.ToTurn,
		FromAt: m.FromAt, ToAt: m.ToAt, Turns: m.Turns, Tokens: m.Tokens, Model: m.Model,
	})
}

// MemoryTurnsSince returns the newest limit turns of a person after a time and id, oldest
// first.
func (s *Store) MemoryTurnsSince(ctx context.Context, person pg.PersonID, at time.Time, id uuid.UUID, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsSince(ctx, s.db.Conn, db.MemoryTurnsSinceParams{PersonID: person.UUID, AfterAt: at, AfterID: id, MaxRows: limit}))
}
