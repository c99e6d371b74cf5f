package search

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// Limits of a walk from a question.
const (
	// MaxStarts is the maximum number of entities from which a walk starts. Those that the
	// question names come first, the most recently met before others.
	MaxStarts     = 5
	maxNeighbours = 40
)

// graphTexts returns what each node of a person's graph says. Nodes with the same kind and
// name share their text: each session of a project has its own.
func graphTexts(g memories.Graph, person store.PersonID) []string {
	self := memory.SelfID(person)
	key := func(n memories.Entity) string { return n.Kind + " " + memory.Alias(n.Name) }
	said := map[string]string{}
	for _, n := range g.Nodes {
		said[key(n)] += n.Name + "\n" + n.Notes + "\n"
		for _, e := range g.Edges {
			if e.From == n.ID && e.From != self || e.To == n.ID {
				said[key(n)] += strings.ReplaceAll(e.Label, "_", " ") + "\n"
			}
		}
	}
	texts := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		texts[i] = said[key(n)]
	}
	return texts
}

// raisable returns a graph without the nodes for which met is true: those must not come up.
func raisable(g memories.Graph, met []bool) memories.Graph {
	var out memories.Graph
	left := map[uuid.UUID]bool{}
	for i, n := range g.Nodes {
		if left[n.ID] = met[i]; !met[i] {
			out.Nodes = append(out.Nodes, n)
		}
	}
	out.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e memories.Relation) bool { return left[e.From] || left[e.To] })
	return out
}
