package memories

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Entity is whom or what a person speaks of.
type Entity struct {
	ID        uuid.UUID
	Kind      string // "person", "place", "pet", "organisation", "condition", "medication"
	Name      string
	Notes     string
	Aliases   []string // lower case, single spaces
	FirstSeen time.Time
	LastSeen  time.Time
	Session   uuid.UUID // owns it, where no person does
	// What follows is only read by [Store.ListEntities].
	Project              uuid.UUID
	Sources              []uuid.UUID // the turns that it was met in
	CreatedAt, UpdatedAt time.Time
}

// Relation leads from one entity to another.
type Relation struct {
	ID       uuid.UUID
	From, To uuid.UUID
	Label    string
	FactID   uuid.UUID // what it stands on; zero: nothing
	Since    time.Time
}

// Graph is entities and what leads from one to another.
type Graph struct {
	Nodes []Entity
	Edges []Relation
}

// KnownMemoryEntities returns the entities of a person, or of a session that belongs
// to none, with their aliases, those met last first. tx may be nil.
func (s *Store) KnownMemoryEntities(ctx context.Context, tx pg.Tx, in Scope, limit int) ([]Entity, error) {
	rows, err := s.db.Q.MemoryEntitiesKnown(ctx, s.db.Handle(tx), db.MemoryEntitiesKnownParams{PersonID: in.Person.UUID, SessionID: in.Session, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryEntitiesKnownRow) Entity {
		return Entity{
			ID: r.ID, Kind: r.Kind, Name: r.Name, Notes: r.Notes, Aliases: r.Aliases, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen, Session: in.Session,
		}
	}), err
}

// SaveMemoryEntity keeps an entity of a person, or of e.Session and the project
// that sees that, met at a time in the turns; of one that there is already, name
// and notes become these, and aliases are added.
func (s *Store) SaveMemoryEntity(ctx context.Context, tx pg.Tx, person pg.PersonID, e Entity, at time.Time, turns []uuid.UUID) error {
	err := s.db.Q.MemoryEntityUpsert(ctx, tx, db.MemoryEntityUpsertParams{ID: e.ID, PersonID: person.UUID, SessionID: e.Session, Kind: e.Kind, Name: e.Name, Notes: e.Notes, At: at})
	return s.describeEntity(ctx, tx, err, person, e, turns)
}

// describeEntity adds to an entity that was kept, unless that failed, its aliases and
// the turns that it was met in.
func (s *Store) describeEntity(ctx context.Context, tx pg.Tx, err error, person pg.PersonID, e Entity, turns []uuid.UUID) error {
	if err == nil {
		err = s.db.Q.MemoryAliasesInsert(ctx, tx, db.MemoryAliasesInsertParams{EntityID: e.ID, Aliases: e.Aliases})
	}
	if err == nil {
		err = s.db.Q.MemoryEntitySourcesInsert(ctx, tx, db.MemoryEntitySourcesInsertParams{EntityID: e.ID, Turns: turns, PersonID: person.UUID, SessionID: e.Session})
	}
	return err
}

// AddMemoryRelation keeps a relation; one that holds already is not kept twice,
// but gets the fact that it stands on.
func (s *Store) AddMemoryRelation(ctx context.Context, tx pg.Tx, r Relation) error {
	if r.FactID != uuid.Nil {
		err := s.db.Q.MemoryRelationGround(ctx, tx, db.MemoryRelationGroundParams{FactID: r.FactID, From: r.From, To: r.To, Label: r.Label})
		if err != nil {
			return err
		}
	}
	return s.db.Q.MemoryRelationInsert(ctx, tx, db.MemoryRelationInsertParams{ID: r.ID, From: r.From, To: r.To, Label: r.Label, FactID: r.FactID, ValidFrom: r.Since})
}

// Groundless is a relation that stands on no fact: it does not end with one.
type Groundless struct {
	ID              uuid.UUID
	From, Label, To string // as they are called
	Since           time.Time
}

// GroundlessMemoryRelations returns a person's relations that hold and stand on no fact.
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

// EndMemoryRelation notes that a relation held until a time.
func (s *Store) EndMemoryRelation(ctx context.Context, tx pg.Tx, id uuid.UUID, until time.Time) error {
	return s.db.Q.MemoryRelationEnd(ctx, tx, db.MemoryRelationEndParams{ID: id, ValidTo: until})
}

// MemoryNeighbours returns those of the entities that a scope sees, the first in
// the order of nodes, and what is one step away from them. It never leaves the
// scope. Where the relations cannot be read, the entities come with the error.
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
