package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ShownFact is a fact with where it comes from.
type ShownFact struct {
	Fact

	Sources   []uuid.UUID // turns, in the order in which they were said
	DependsOn []uuid.UUID // facts
}

// ShownFacts lists a person's facts, those learned last first, from before the
// given moment and id on; current leaves out those that ended.
func (s *Store) ShownFacts(ctx context.Context, tx pg.Tx, person pg.PersonID, current bool, at time.Time, id uuid.UUID, limit int) ([]ShownFact, error) {
	rows, err := s.db.Q.MemoryFactsShown(ctx, s.handle(tx), db.MemoryFactsShownParams{
		PersonID: person.UUID, CurrentOnly: current, BeforeAt: at, BeforeID: id, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return pg.Each(rows, func(r db.MemoryFactsShownRow) ShownFact {
		return ShownFact{
			Fact: Fact{
				ID: r.ID, PersonID: person, Text: r.Text, Kind: r.Kind, Topic: r.Topic, Confidence: float64(r.Confidence),
				ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, LearnedAt: r.LearnedAt, ClosedAt: r.ClosedAt,
				ClosedBy: uuidOf(r.ClosedBy), Replaces: uuidOf(r.Replaces), Stale: r.Stale,
			},
			Sources: r.Sources, DependsOn: r.DependsOn,
		}
	}), pg.WrapErr(err, "facts of %s", person)
}

// ShownEntity is an entity with the turns that it was met in.
type ShownEntity struct {
	Entity

	Project              uuid.UUID
	Sources              []uuid.UUID
	CreatedAt, UpdatedAt time.Time
}

// ShownEntities lists a person's entities in the order of their ids, from after
// the given one on.
func (s *Store) ShownEntities(ctx context.Context, tx pg.Tx, person pg.PersonID, after uuid.UUID, limit int) ([]ShownEntity, error) {
	rows, err := s.db.Q.MemoryEntitiesShown(ctx, s.handle(tx), db.MemoryEntitiesShownParams{
		PersonID: person.UUID, AfterID: after, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return pg.Each(rows, func(r db.MemoryEntitiesShownRow) ShownEntity {
		return ShownEntity{
			Entity: Entity{
				ID: r.ID, Kind: r.Kind, Name: r.Name, Notes: r.Notes, Aliases: r.Aliases, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			},
			Project: uuidOf(r.ProjectID), Sources: r.Sources, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}), pg.WrapErr(err, "entities of %s", person)
}

// ShownRelation is a relation, which may have ended.
type ShownRelation struct {
	ID, From, To, FactID uuid.UUID
	Label                string
	ValidFrom, ValidTo   *time.Time
	CreatedAt            time.Time
}

// ShownRelations returns all relations among a person's entities.
func (s *Store) ShownRelations(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]ShownRelation, error) {
	rows, err := s.db.Q.MemoryRelationsShown(ctx, s.handle(tx), person.UUID)
	return pg.Each(rows, func(r db.MemoryRelation) ShownRelation {
		return ShownRelation{
			ID: r.ID, From: r.FromID, To: r.ToID, FactID: uuidOf(r.FactID), Label: r.Label,
			ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, CreatedAt: r.CreatedAt,
		}
	}), pg.WrapErr(err, "relations of %s", person)
}

// ShownPromise is a promise with its times.
type ShownPromise struct {
	Promise

	CreatedAt, UpdatedAt time.Time
}

// ShownPromises lists a person's promises, newest first; an empty status means any.
func (s *Store) ShownPromises(ctx context.Context, tx pg.Tx, person pg.PersonID, status string, limit int) ([]ShownPromise, error) {
	rows, err := s.db.Q.MemoryPromisesShown(ctx, s.handle(tx), db.MemoryPromisesShownParams{
		PersonID: person.UUID, Status: status, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return pg.Each(rows, func(r db.MemoryPromise) ShownPromise {
		return ShownPromise{Promise: memoryPromise(r), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
	}), pg.WrapErr(err, "promises of %s", person)
}

// DeleteMemoryPromise deletes a promise, or returns [ErrNotFound].
func (s *Store) DeleteMemoryPromise(ctx context.Context, person pg.PersonID, id uuid.UUID) error {
	n, err := s.db.Q.MemoryPromiseDelete(ctx, s.db.Conn, db.MemoryPromiseDeleteParams{PersonID: person.UUID, ID: id})
	return pg.WrapErr(pg.OrAbsent(n, err), "delete promise %s", id)
}

// ShownLimit is a limit with the moment since which it holds.
type ShownLimit struct {
	Limit

	CreatedAt time.Time
}

// ShownLimits returns the limits of a person that hold at a time, oldest first.
func (s *Store) ShownLimits(ctx context.Context, tx pg.Tx, person pg.PersonID, at time.Time) ([]ShownLimit, error) {
	rows, err := s.db.Q.MemoryLimitsShown(ctx, s.handle(tx), db.MemoryLimitsShownParams{PersonID: person.UUID, At: at})
	return pg.Each(rows, shownLimit), pg.WrapErr(err, "limits of %s", person)
}

// ReplaceMemoryLimit keeps a limit in place of those with the same topic and rule.
func (s *Store) ReplaceMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) (ShownLimit, error) {
	if l.ID == uuid.Nil {
		l.ID = pg.NewID()
	}
	row, err := s.db.Q.MemoryLimitReplace(ctx, s.handle(tx), db.MemoryLimitReplaceParams{
		ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How,
	})
	return shownLimit(row), pg.WrapErr(err, "limit of %s", l.PersonID)
}

// ProlongMemoryLimit keeps a limit with an end in place of an earlier one by the
// same, unless one on its topic holds as long already. What others set stays.
func (s *Store) ProlongMemoryLimit(ctx context.Context, tx pg.Tx, l Limit) error {
	err := s.db.Q.MemoryLimitProlong(ctx, tx, db.MemoryLimitProlongParams{
		ID: pg.NewID(), PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: *l.Until, By: l.By, How: l.How,
	})
	return pg.WrapErr(err, "prolong limit of %s", l.PersonID)
}

// DeleteMemoryLimit takes a limit back, or returns [ErrNotFound].
func (s *Store) DeleteMemoryLimit(ctx context.Context, person pg.PersonID, id uuid.UUID) error {
	n, err := s.db.Q.MemoryLimitDelete(ctx, s.db.Conn, db.MemoryLimitDeleteParams{PersonID: person.UUID, ID: id})
	return pg.WrapErr(pg.OrAbsent(n, err), "delete limit %s", id)
}

// ShownSummary is a summary with when it was made.
type ShownSummary struct {
	MemorySummary

	Session, Project uuid.UUID
	CreatedAt        time.Time
}

// ShownSummaries returns the summaries of a person, oldest first.
func (s *Store) ShownSummaries(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]ShownSummary, error) {
	rows, err := s.db.Q.MemorySummariesShown(ctx, s.handle(tx), person.UUID)
	return pg.Each(rows, func(r db.MemorySummary) ShownSummary {
		return ShownSummary{
			MemorySummary: MemorySummary{
				ID: r.ID, PersonID: person, Text: r.Text, FromTurn: uuidOf(r.FromTurn), ToTurn: uuidOf(r.ToTurn),
				FromAt: r.FromAt, ToAt: r.ToAt, Turns: int(r.Turns), Tokens: int(r.Tokens), Model: r.Model,
			},
			Session: uuidOf(r.SessionID), Project: uuidOf(r.ProjectID), CreatedAt: r.CreatedAt,
		}
	}), pg.WrapErr(err, "summaries of %s", person)
}

func shownLimit(r db.MemoryLimit) ShownLimit {
	return ShownLimit{
		Limit: Limit{
			ID: r.ID, PersonID: pg.PersonID{UUID: r.PersonID}, Topic: r.Topic, Rule: LimitRule(r.Rule), Until: r.Until, By: r.By, How: r.How,
		},
		CreatedAt: r.CreatedAt,
	}
}
