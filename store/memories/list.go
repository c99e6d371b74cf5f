package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ListFacts lists a person's facts, the most recently learned first, starting before the
// given time and id; current leaves out those that ended.
func (s *Store) ListFacts(ctx context.Context, tx pg.Tx, person pg.PersonID, current bool, at time.Time, id uuid.UUID, limit int) ([]Fact, error) {
	rows, err := s.db.Q.MemoryFactsShown(ctx, s.db.Handle(tx), db.MemoryFactsShownParams{PersonID: person, CurrentOnly: current, BeforeAt: at, BeforeID: id, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryFactsShownRow) Fact {
		return Fact{
			ID: r.ID, PersonID: person, Text: r.Text, Kind: r.Kind, Topic: r.Topic, Confidence: r.Confidence,
			ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, LearnedAt: r.LearnedAt, ClosedAt: r.ClosedAt,
			ClosedBy: r.ClosedBy, Replaces: r.Replaces, Stale: r.Stale, Sources: r.Sources, DependsOn: r.DependsOn,
		}
	}), err
}

// ListEntities lists a person's entities in the order of their ids, starting after the
// given one.
func (s *Store) ListEntities(ctx context.Context, tx pg.Tx, person pg.PersonID, after uuid.UUID, limit int) ([]Entity, error) {
	rows, err := s.db.Q.MemoryEntitiesShown(ctx, s.db.Handle(tx), db.MemoryEntitiesShownParams{PersonID: person.UUID, AfterID: after, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryEntitiesShownRow) Entity {
		return Entity{
			ID: r.ID, Kind: r.Kind, Name: r.Name, Notes: r.Notes, Aliases: r.Aliases, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			Project: r.ProjectID, Sources: r.Sources, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}), err
}

// StoredRelation is a relation that may have ended.
type StoredRelation = db.MemoryRelation

// ListRelations returns all relations among a person's entities.
func (s *Store) ListRelations(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]StoredRelation, error) {
	return s.db.Q.MemoryRelationsShown(ctx, s.db.Handle(tx), person.UUID)
}

// ListPromises lists a person's promises, newest first; an empty status means any.
func (s *Store) ListPromises(ctx context.Context, tx pg.Tx, person pg.PersonID, status string, limit int) ([]Promise, error) {
	return s.db.Q.MemoryPromisesShown(ctx, s.db.Handle(tx), db.MemoryPromisesShownParams{PersonID: person, Status: status, MaxRows: limit})
}

// DeleteMemoryPromise deletes a promise, or returns [ErrNotFound].
func (s *Store) DeleteMemoryPromise(ctx context.Context, person pg.PersonID, id uuid.UUID) error {
	n, err := s.db.Q.MemoryPromiseDelete(ctx, s.db.Conn, db.MemoryPromiseDeleteParams{PersonID: person, ID: id})
	return pg.WrapErr(pg.OrAbsent(n, err), "delete promise %s", id)
}

// ListLimits returns the limits of a person that hold at a time, oldest first.
func (s *Store) ListLimits(ctx context.Context, tx pg.Tx, person pg.PersonID, at time.Time) ([]Limit, error) {
	return s.db.Q.MemoryLimitsShown(ctx, s.db.Handle(tx), db.MemoryLimitsShownParams{PersonID: person, At: at})
}

// ReplaceMemoryLimit stores a limit and removes those with the same topic and rule.
func (s *Store) ReplaceMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) (Limit, error) {
	if l.ID == uuid.Nil {
		l.ID = pg.NewID()
	}
	return s.db.Q.MemoryLimitReplace(ctx, s.db.Handle(tx), db.MemoryLimitReplaceParams{ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How})
}

// ProlongMemoryLimit stores a limit with an end and replaces an earlier one by the same
// actor, unless a limit on its topic already lasts as long. Limits set by others are left
// alone.
func (s *Store) ProlongMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) error {
	return s.db.Q.MemoryLimitProlong(ctx, tx, db.MemoryLimitProlongParams{ID: pg.NewID(), PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: *l.Until, By: l.By, How: l.How})
}

// DeleteMemoryLimit deletes a limit, or returns [ErrNotFound].
func (s *Store) DeleteMemoryLimit(ctx context.Context, person pg.PersonID, id uuid.UUID) error {
	n, err := s.db.Q.MemoryLimitDelete(ctx, s.db.Conn, db.MemoryLimitDeleteParams{PersonID: person, ID: id})
	return pg.WrapErr(pg.OrAbsent(n, err), "delete limit %s", id)
}

// ListSummaries returns the summaries of a person, oldest first.
func (s *Store) ListSummaries(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]MemorySummary, error) {
	return s.db.Q.MemorySummariesShown(ctx, s.db.Handle(tx), person.UUID)
}
