package api

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

type listQuery struct {
	PersonPath

	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

type entityOut struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind" enum:"person,place,pet,organisation,condition,medication"`
	Name      string     `json:"name"`
	Aliases   []string   `json:"aliases,omitempty"`
	Notes     string     `json:"notes,omitempty"`
	FirstSeen *time.Time `json:"firstSeen,omitempty"`
	LastSeen  *time.Time `json:"lastSeen,omitempty"`
	Source    []string   `json:"source,omitempty" doc:"The ids of the turns that it was met in"`
}

func (a *api) listEntities(ctx context.Context, p people.Person, in *listQuery) (out page[entityOut], err error) {
	after, err := readIDCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	rows, err := a.Store.ListEntities(ctx, nil, p.ID, after, in.Limit+1)
	return paged(rows, in.Limit, func(e memories.Entity) string { return e.ID.String() }, func(e memories.Entity) entityOut {
		out := entityOf(e)
		out.FirstSeen, out.LastSeen, out.Source = utc(&e.FirstSeen), utc(&e.LastSeen), idsOf(e.Sources)
		return out
	}), err
}

func entityOf(e memories.Entity) entityOut {
	return entityOut{ID: e.ID.String(), Kind: e.Kind, Name: e.Name, Aliases: e.Aliases, Notes: e.Notes}
}

type neighboursIn struct {
	PersonPath

	EntityID string `path:"entityId"`
}

type relationOut struct {
	ID     string `json:"id"`
	From   string `json:"from" doc:"The id of an entity"`
	To     string `json:"to"`
	Label  string `json:"label"`
	FactID string `json:"factId,omitempty" doc:"The fact that it stands on"`
}

type graphOut struct {
	Entity     entityOut     `json:"entity"`
	Neighbours []entityOut   `json:"neighbours"`
	Relations  []relationOut `json:"relations"`
}

// maxNeighbours is how many relations of one entity are shown.
const maxNeighbours = 200

func (a *api) neighbours(ctx context.Context, p people.Person, in *neighboursIn) (out graphOut, err error) {
	id, err := uuid.Parse(in.EntityID)
	if err != nil {
		return out, store.ErrNotFound
	}
	g, err := a.Store.MemoryNeighbours(ctx, memories.Scope{Person: p.ID}, []uuid.UUID{id}, maxNeighbours)
	if err != nil {
		return out, err
	}
	if len(g.Nodes) == 0 || g.Nodes[0].ID != id {
		return out, store.ErrNotFound
	}
	return graphOut{
		Entity: entityOf(g.Nodes[0]), Neighbours: each(g.Nodes[1:], entityOf),
		Relations: each(g.Edges, func(r memories.Relation) relationOut {
			return relationOut{r.ID.String(), r.From.String(), r.To.String(), r.Label, known(r.FactID)}
		}),
	}, nil
}
