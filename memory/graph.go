package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// How far a walk from a question goes.
const (
	// MaxStarts is how many entities a walk begins with at most: those that are
	// named, and were met last, first.
	MaxStarts     = 5
	maxNeighbours = 40
)

// Alias is a name as it is compared: lower case, single spaces, no punctuation,
// without "my" and the like in front.
func Alias(name string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.NewReplacer("’s", "", "'s", "", "’", "'").Replace(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	for len(words) > 1 && leading[words[0]] {
		words = words[1:]
	}
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

var leading = english.Set("my our the dear old little poor his her their this that mr mrs ms miss dr")

// selfSpace is the namespace of ids that learning makes.
var selfSpace = uuid.MustParse("b8f2b0c4-0f5c-5a1e-8a53-3f4b7f6f2d11")

// SelfID is the id of the entity that is the person.
func SelfID(id store.PersonID) uuid.UUID {
	return uuid.NewSHA1(selfSpace, []byte("self\x00"+id.String()+"\x00"))
}

// graphTexts are what each node of a person's graph says. Those of one kind and
// name are one: each session of a project has met them for itself.
func graphTexts(g memories.Graph, person store.PersonID) []string {
	self := SelfID(person)
	key := func(n memories.Entity) string { return n.Kind + " " + Alias(n.Name) }
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

// raisable is a graph without the nodes that met say are not to come up.
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
