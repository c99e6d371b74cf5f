package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/naiber/naiber/store/internal/db"
)

// MemoryPromise is something that nAIber comes back to: once, or again and again.
type MemoryPromise struct {
	ID         uuid.UUID
	PersonID   PersonID
	Text       string
	Kind       string     // "follow_up", "birthday", "anniversary", "appointment", "other"
	DueOn      *time.Time // a day, as midnight UTC; where the person lives
	DueAt      *time.Time // a moment; neither: the next call
	Recurrence string     // RFC 5545 RRULE; empty: once
	Status     string     // "open", "used", "kept", "dropped"
	CallID     CallID     // in which it was made
	TurnID     uuid.UUID
	UsedCall   CallID // whose opening it was last given to
	UsedAt     *time.Time
}

// AddMemoryPromise keeps a promise; one with the same id stays as it is.
func (s *Store) AddMemoryPromise(ctx context.Context, tx Tx, p MemoryPromise) error {
	due := pgtype.Date{}
	if p.DueOn != nil {
		due = pgtype.Date{Time: *p.DueOn, Valid: true}
	}
	err := s.q.MemoryPromiseInsert(ctx, tx, db.MemoryPromiseInsertParams{
		ID: p.ID, PersonID: p.PersonID.UUID, Text: p.Text, Kind: p.Kind, DueOn: due, DueAt: p.DueAt, Recurrence: p.Recurrence,
		CallID: optionalID(p.CallID.UUID), TurnID: optionalID(p.TurnID),
	})
	return said(err, "keep promise %s", p.ID)
}

// OpenMemoryPromises returns a person's promises that are still to be come back to.
func (s *Store) OpenMemoryPromises(ctx context.Context, person PersonID) ([]MemoryPromise, error) {
	rows, err := s.q.MemoryPromisesOpen(ctx, s.pool, person.UUID)
	return each(rows, memoryPromise), said(err, "promises of %s", person)
}

// UseMemoryPromises notes that the opening of a call has the promises. It
// returns how many of them were open.
func (s *Store) UseMemoryPromises(ctx context.Context, person PersonID, call CallID, at time.Time, ids []uuid.UUID) (int, error) {
	n, err := s.q.MemoryPromisesUse(ctx, s.pool, db.MemoryPromisesUseParams{PersonID: person.UUID, CallID: call.UUID, At: at, Ids: ids})
	return int(n), said(err, "use promises in call %s", call)
}

// MemoryPromisesUsedBy returns the promises that a call's opening had.
func (s *Store) MemoryPromisesUsedBy(ctx context.Context, call CallID) ([]MemoryPromise, error) {
	rows, err := s.q.MemoryPromisesUsedBy(ctx, s.pool, call.UUID)
	return each(rows, memoryPromise), said(err, "promises used by call %s", call)
}

// SettleMemoryPromise notes whether a promise that a call's opening had was
// kept in it. One that was not waits for the next call.
func (s *Store) SettleMemoryPromise(ctx context.Context, tx Tx, id uuid.UUID, kept bool) error {
	if kept {
		return said(s.q.MemoryPromiseKept(ctx, tx, id), "promise %s kept", id)
	}
	return said(s.q.MemoryPromiseReopen(ctx, tx, id), "reopen promise %s", id)
}

// MemoryLimit is what is not to be kept of a person, or not to be brought up.
type MemoryLimit struct {
	ID       uuid.UUID
	PersonID PersonID
	Topic    string
	Rule     LimitRule
	Until    *time.Time // nil: for good
	By, How  string
}

// AddMemoryLimit keeps a limit. It reports false where one that says as much
// is there already.
func (s *Store) AddMemoryLimit(ctx context.Context, tx Tx, l MemoryLimit) (bool, error) {
	n, err := s.q.MemoryLimitInsert(ctx, tx, db.MemoryLimitInsertParams{
		ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How,
	})
	return n > 0, said(err, "limit on %q of %s", l.Topic, l.PersonID)
}

// LiftMemoryLimit takes back that a topic is not to be brought up.
func (s *Store) LiftMemoryLimit(ctx context.Context, tx Tx, person PersonID, topic string) (int, error) {
	n, err := s.q.MemoryLimitLift(ctx, tx, db.MemoryLimitLiftParams{PersonID: person.UUID, Topic: topic})
	return int(n), said(err, "lift limit on %q of %s", topic, person)
}

// DropMemoryLimits deletes limits; those that are not there are no error.
func (s *Store) DropMemoryLimits(ctx context.Context, tx Tx, person PersonID, ids []uuid.UUID) error {
	err := s.q.MemoryLimitsDrop(ctx, tx, db.MemoryLimitsDropParams{PersonID: person.UUID, Ids: ids})
	return said(err, "drop limits of %s", person)
}

// MemorySummary is what a person's calls came to, over several of them.
type MemorySummary struct {
	ID               uuid.UUID
	PersonID         PersonID
	Text             string
	FromTurn, ToTurn uuid.UUID
	FromAt, ToAt     time.Time
	Turns, Tokens    int
	Model            string
}

// PersonSummary returns the newest summary of a person, and whether there is one.
// tx may be nil.
func (s *Store) PersonSummary(ctx context.Context, tx Tx, person PersonID) (MemorySummary, bool, error) {
	r, err := s.q.MemoryPersonSummary(ctx, s.handle(tx), person.UUID)
	if err = said(err, "summary of %s", person); errors.Is(err, ErrNotFound) {
		return MemorySummary{}, false, nil
	}
	return MemorySummary{
		ID: r.ID, PersonID: person, Text: r.Text, FromTurn: uuidOf(r.FromTurn), ToTurn: uuidOf(r.ToTurn),
		FromAt: r.FromAt, ToAt: r.ToAt, Turns: int(r.Turns), Tokens: int(r.Tokens), Model: r.Model,
	}, err == nil, err
}

// AddPersonSummary keeps a further summary of a person.
func (s *Store) AddPersonSummary(ctx context.Context, tx Tx, m MemorySummary) error {
	err := s.q.MemorySummaryInsert(ctx, tx, db.MemorySummaryInsertParams{
		ID: m.ID, PersonID: m.PersonID.UUID, Text: m.Text, FromTurn: optionalID(m.FromTurn), ToTurn: optionalID(m.ToTurn),
		FromAt: m.FromAt, ToAt: m.ToAt, Turns: int32(m.Turns), Tokens: int32(m.Tokens), Model: m.Model, //nolint:gosec // bounded where made
	})
	return said(err, "keep summary of %s", m.PersonID)
}

// MemoryTurnsSince returns a person's turns after a moment and id, at most the
// newest limit of them, oldest first.
func (s *Store) MemoryTurnsSince(ctx context.Context, person PersonID, at time.Time, id uuid.UUID, limit int) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryTurnsSince(ctx, s.pool, db.MemoryTurnsSinceParams{
		PersonID: person.UUID, AfterAt: at, AfterID: id, MaxRows: int32(limit), //nolint:gosec // hundreds
	})
	return each(rows, memoryTurn), said(err, "turns of %s since %s", person, at)
}

func memoryPromise(r db.MemoryPromise) MemoryPromise {
	p := MemoryPromise{
		ID: r.ID, PersonID: PersonID{r.PersonID}, Text: r.Text, Kind: r.Kind, DueAt: r.DueAt, Recurrence: r.Recurrence, Status: r.Status,
		CallID: CallID{uuidOf(r.CallID)}, TurnID: uuidOf(r.TurnID), UsedCall: CallID{uuidOf(r.UsedCall)}, UsedAt: r.UsedAt,
	}
	if r.DueOn.Valid {
		due := r.DueOn.Time
		p.DueOn = &due
	}
	return p
}
