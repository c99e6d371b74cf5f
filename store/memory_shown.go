package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// ShownFact is a fact with where it comes from.
type ShownFact struct {
	MemoryFact

	Sources   []uuid.UUID // turns, in the order in which they were said
	DependsOn []uuid.UUID // facts
}

// ShownFacts lists a person's facts, those learned last first, from before the
// given moment and id on; current leaves out those that ended.
func (s *Store) ShownFacts(ctx context.Context, tx Tx, person PersonID, current bool, at time.Time, id uuid.UUID, limit int) ([]ShownFact, error) {
	rows, err := s.q.MemoryFactsShown(ctx, s.handle(tx), db.MemoryFactsShownParams{
		PersonID: person.UUID, CurrentOnly: current, BeforeAt: at, BeforeID: id, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return each(rows, func(r db.MemoryFactsShownRow) ShownFact {
		return ShownFact{
			MemoryFact: MemoryFact{
				ID: r.ID, PersonID: person, Text: r.Text, Kind: r.Kind, Topic: r.Topic, Confidence: float64(r.Confidence),
				ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, LearnedAt: r.LearnedAt, ClosedAt: r.ClosedAt,
				ClosedBy: uuidOf(r.ClosedBy), Replaces: uuidOf(r.Replaces), Stale: r.Stale,
			},
			Sources: r.Sources, DependsOn: r.DependsOn,
		}
	}), said(err, "facts of %s", person)
}

// ShownEntity is an entity with the turns that it was met in.
type ShownEntity struct {
	MemoryEntity

	Project              uuid.UUID
	Sources              []uuid.UUID
	CreatedAt, UpdatedAt time.Time
}

// ShownEntities lists a person's entities in the order of their ids, from after
// the given one on.
func (s *Store) ShownEntities(ctx context.Context, tx Tx, person PersonID, after uuid.UUID, limit int) ([]ShownEntity, error) {
	rows, err := s.q.MemoryEntitiesShown(ctx, s.handle(tx), db.MemoryEntitiesShownParams{
		PersonID: person.UUID, AfterID: after, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return each(rows, func(r db.MemoryEntitiesShownRow) ShownEntity {
		return ShownEntity{
			MemoryEntity: MemoryEntity{
				ID: r.ID, Kind: r.Kind, Name: r.Name, Notes: r.Notes, Aliases: r.Aliases, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			},
			Project: uuidOf(r.ProjectID), Sources: r.Sources, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}), said(err, "entities of %s", person)
}

// ShownRelation is a relation, which may have ended.
type ShownRelation struct {
	ID, From, To, FactID uuid.UUID
	Label                string
	ValidFrom, ValidTo   *time.Time
	CreatedAt            time.Time
}

// ShownRelations returns all relations among a person's entities.
func (s *Store) ShownRelations(ctx context.Context, tx Tx, person PersonID) ([]ShownRelation, error) {
	rows, err := s.q.MemoryRelationsShown(ctx, s.handle(tx), person.UUID)
	return each(rows, func(r db.MemoryRelation) ShownRelation {
		return ShownRelation{
			ID: r.ID, From: r.FromID, To: r.ToID, FactID: uuidOf(r.FactID), Label: r.Label,
			ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, CreatedAt: r.CreatedAt,
		}
	}), said(err, "relations of %s", person)
}

// ShownPromise is a promise with its times.
type ShownPromise struct {
	MemoryPromise

	CreatedAt, UpdatedAt time.Time
}

// ShownPromises lists a person's promises, newest first; an empty status means any.
func (s *Store) ShownPromises(ctx context.Context, tx Tx, person PersonID, status string, limit int) ([]ShownPromise, error) {
	rows, err := s.q.MemoryPromisesShown(ctx, s.handle(tx), db.MemoryPromisesShownParams{
		PersonID: person.UUID, Status: status, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return each(rows, func(r db.MemoryPromise) ShownPromise {
		return ShownPromise{MemoryPromise: memoryPromise(r), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
	}), said(err, "promises of %s", person)
}

// DeleteMemoryPromise deletes a promise, or returns [ErrNotFound].
func (s *Store) DeleteMemoryPromise(ctx context.Context, person PersonID, id uuid.UUID) error {
	n, err := s.q.MemoryPromiseDelete(ctx, s.pool, db.MemoryPromiseDeleteParams{PersonID: person.UUID, ID: id})
	return said(orAbsent(n, err), "delete promise %s", id)
}

// ShownLimit is a limit with the moment since which it holds.
type ShownLimit struct {
	MemoryLimit

	CreatedAt time.Time
}

// ShownLimits returns the limits of a person that hold at a time, oldest first.
func (s *Store) ShownLimits(ctx context.Context, tx Tx, person PersonID, at time.Time) ([]ShownLimit, error) {
	rows, err := s.q.MemoryLimitsShown(ctx, s.handle(tx), db.MemoryLimitsShownParams{PersonID: person.UUID, At: at})
	return each(rows, shownLimit), said(err, "limits of %s", person)
}

// ReplaceMemoryLimit keeps a limit in place of those with the same topic and rule.
func (s *Store) ReplaceMemoryLimit(ctx context.Context, tx Tx, l MemoryLimit) (ShownLimit, error) {
	if l.ID == uuid.Nil {
		l.ID = newID()
	}
	row, err := s.q.MemoryLimitReplace(ctx, s.handle(tx), db.MemoryLimitReplaceParams{
		ID: l.ID, PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: l.Until, By: l.By, How: l.How,
	})
	return shownLimit(row), said(err, "limit of %s", l.PersonID)
}

// ProlongMemoryLimit keeps a limit with an end in place of an earlier one by the
// same, unless one on its topic holds as long already. What others set stays.
func (s *Store) ProlongMemoryLimit(ctx context.Context, tx Tx, l MemoryLimit) error {
	err := s.q.MemoryLimitProlong(ctx, tx, db.MemoryLimitProlongParams{
		ID: newID(), PersonID: l.PersonID.UUID, Topic: l.Topic, Rule: string(l.Rule), Until: *l.Until, By: l.By, How: l.How,
	})
	return said(err, "prolong limit of %s", l.PersonID)
}

// DeleteMemoryLimit takes a limit back, or returns [ErrNotFound].
func (s *Store) DeleteMemoryLimit(ctx context.Context, person PersonID, id uuid.UUID) error {
	n, err := s.q.MemoryLimitDelete(ctx, s.pool, db.MemoryLimitDeleteParams{PersonID: person.UUID, ID: id})
	return said(orAbsent(n, err), "delete limit %s", id)
}

// ShownSummary is a summary with when it was made.
type ShownSummary struct {
	MemorySummary

	Session, Project uuid.UUID
	CreatedAt        time.Time
}

// ShownSummaries returns the summaries of a person, oldest first.
func (s *Store) ShownSummaries(ctx context.Context, tx Tx, person PersonID) ([]ShownSummary, error) {
	rows, err := s.q.MemorySummariesShown(ctx, s.handle(tx), person.UUID)
	return each(rows, func(r db.MemorySummary) ShownSummary {
		return ShownSummary{
			MemorySummary: MemorySummary{
				ID: r.ID, PersonID: person, Text: r.Text, FromTurn: uuidOf(r.FromTurn), ToTurn: uuidOf(r.ToTurn),
				FromAt: r.FromAt, ToAt: r.ToAt, Turns: int(r.Turns), Tokens: int(r.Tokens), Model: r.Model,
			},
			Session: uuidOf(r.SessionID), Project: uuidOf(r.ProjectID), CreatedAt: r.CreatedAt,
		}
	}), said(err, "summaries of %s", person)
}

func shownLimit(r db.MemoryLimit) ShownLimit {
	return ShownLimit{
		MemoryLimit: MemoryLimit{
			ID: r.ID, PersonID: PersonID{r.PersonID}, Topic: r.Topic, Rule: LimitRule(r.Rule), Until: r.Until, By: r.By, How: r.How,
		},
		CreatedAt: r.CreatedAt,
	}
}
