package memories

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Entity is a person or thing that a person mentioned.
type Entity struct {
	ID        uuid.UUID
	Kind      string // "person", "place", "pet", "organisation", "condition", "medication"
	Name      string
	Notes     string
	Aliases   []string // lower case, single spaces
	FirstSeen time.Time
	LastSeen  time.Time
	Session   uuid.UUID // the owner, if no person is
	// Only [Store.ListEntities] sets the fields below.
	Project              uuid.UUID
	Sources              []uuid.UUID // the turns that mention it
	CreatedAt, UpdatedAt time.Time
}

// Relation is a relation from one entity to another.
type Relation struct {
	ID       uuid.UUID
	From, To uuid.UUID
	Label    string
	FactID   uuid.UUID // the fact that it is based on; zero if none
	Since    time.Time
}

// Graph holds entities and their relations.
type Graph struct {
	Nodes []Entity
	Edges []Relation
}

// KnownMemoryEntities returns the entities of a person, or of a session that belongs to
// none, with their aliases, the most recently met first. tx may be nil.
func (s *Store) KnownMemoryEntities(ctx context.Context, tx pg.Tx, in Scope, limit int) ([]Entity, error) {
	rows, err := s.db.Q.MemoryEntitiesKnown(ctx, s.db.Handle(tx), db.MemoryEntitiesKnownParams{PersonID: in.Person.UUID, SessionID: in.Session, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryEntitiesKnownRow) Entity {
		return Entity{
			ID: r.ID, Kind: r.Kind, Name: r.Name, Notes: r.Notes, Aliases: r.Aliases, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen, Session: in.Session,
		}
	}), err
}

// SaveMemoryEntity upserts an entity of a person, or of e.Session and the project that sees
// it, met at a time in the turns. Of an existing one, name and notes are replaced, and
// aliases are added.
func (s *Store) SaveMemoryEntity(ctx context.Context, tx pg.Tx, person pg.PersonID, e Entity, at time.Time, turns []uuid.UUID) error {
	err := s.db.Q.MemoryEntityUpsert(ctx, tx, db.MemoryEntityUpsertParams{ID: e.ID, PersonID: person.UUID, SessionID: e.Session, Kind: e.Kind, Name: e.Name, Notes: e.Notes, At: at})
	return s.describeEntity(ctx, tx, err, person, e, turns)
}

// describeEntity adds the aliases and source turns of an entity, unless err, from storing
// it, is set.
func (s *Store) describeEntity(ctx context.Context, tx pg.Tx, err error, person pg.PersonID, e Entity, turns []uuid.UUID) error {
	if err == nil {
		err = s.db.Q.MemoryAliasesInsert(ctx, tx, db.MemoryAliasesInsertParams{EntityID: e.ID, Aliases: e.Aliases})
	}
	if err == nil {
		err = s.db.Q.MemoryEntitySourcesInsert(ctx, tx, db.MemoryEntitySourcesInsertParams{EntityID: e.ID, Turns: turns, PersonID: person.UUID, SessionID: e.Session})
	}
	return err
}

// AddMemoryRelation stores a relation. One that holds already is not stored twice, but gets
// the fact on which it is based.
func (s *Store) AddMemoryRelation(ctx context.Context, tx pg.Tx, r Relation) error {
	if r.FactID != uuid.Nil {
		err := s.db.Q.MemoryRelationGround(ctx, tx, db.MemoryRelationGroundParams{FactID: r.FactID, From: r.From, To: r.To, Label: r.Label})
		if err != nil {
			return err
		}
	}
	return s.db.Q.MemoryRelationInsert(ctx, tx, db.MemoryRelationInsertParams{ID: r.ID, From: r.From, To: r.To, Label: r.Label, FactID: r.FactID, ValidFrom: r.Since})
}

// Groundless is a relation that is not based on a fact, and so does not end with one.
type Groundless struct {
	ID              uuid.UUID
	From, Label, To string // the names and the label
	Since           time.Time
}

// GroundlessMemoryRelations returns a person's current relations that are not based on a
// fact.
func (s *Store) GroundlessMemoryRelations(ctx context.Context, tx pg.Tx, person pg.PersonID, limit int) ([]Groundless, error) {
	rows, err := s.db.Q.MemoryRelationsGroundless(ctx, tx, db.MemoryRelationsGroundlessParams{PersonID: person.UUID, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryRelationsGroundlessRow) Groundless {
		g := Groundless{ID: r.ID, From: r.FromName, Label: r.Label, To: r.ToName}
		if r.ValidFrom != nil {
			g.Since = *r.ValidFrom
		}
		return g
	}), err
}

// EndMemoryRelation sets the time until which a relation held.
func (s *Store) EndMemoryRelation(ctx context.Context, tx pg.Tx, id uuid.UUID, until time.Time) error {
	return s.db.Q.MemoryRelationEnd(ctx, tx, db.MemoryRelationEndParams{ID: id, ValidTo: until})
}

// MemoryNeighbours returns those of the entities that a scope sees, which come first in
// Nodes, with their direct neighbours. It never leaves the scope. If the relations cannot
// be read, the entities are returned with the error.
func (s *Store) MemoryNeighbours(ctx context.Context, in Scope, ids []uuid.UUID, limit int) (Graph, error) {
	seek := Seek{Scope: in, Entities: ids, Relations: limit}
	found, err := s.SeekMemory(ctx, seek)
	return found.Graph, pg.WrapErr(errors.Join(err, found.GraphErr), "neighbours of %d entities", len(ids))
}

func memoryGraph(own []db.MemoryEntitiesByIDRow, related []db.MemoryNeighboursRow) Graph {
	var g Graph
	seen := map[uuid.UUID]bool{}
	add := func(e Entity) {
		if !seen[e.ID] {
			seen[e.ID] = true
			g.Nodes = append(g.Nodes, e)
		}
	}
	for _, e := range own {
		add(Entity{ID: e.ID, Kind: e.Kind, Name: e.Name, Notes: e.Notes})
	}
	for _, r := range related {
		add(Entity{ID: r.From, Kind: r.FromKind, Name: r.FromName, Notes: r.FromNotes})
		add(Entity{ID: r.To, Kind: r.ToKind, Name: r.ToName, Notes: r.ToNotes})
		g.Edges = append(g.Edges, Relation{ID: r.ID, From: r.From, To: r.To, Label: r.Label, FactID: r.FactID})
	}
	return g
}
