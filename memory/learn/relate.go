package learn

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
)

const maxLabelRunes = 40

// relate keeps how entities belong together. A relation stands on the fact that
// names both, and ends with it.
func (b *binder) relate(ctx context.Context, tx store.Tx, answers []RelationAnswer) error {
	facts, err := b.factsHere(ctx, tx)
	if err != nil {
		return err
	}
	selfKept := false
	for _, a := range answers {
		turns, own := b.ch.at(a.Turns)
		from, to, label := b.find(a.From), b.find(a.To), label(a.Label)
		switch {
		case !own:
			b.drop("not_said_by_person")
			continue
		case from == nil || to == nil || from.ID == to.ID || label == "":
			b.drop("no_relation")
			continue
		}
		if !selfKept && (from.ID == b.self.ID || to.ID == b.self.ID) {
			if err := b.cfg.Store.SaveMemoryEntity(ctx, tx, b.of.person, b.self, turns[0].At, nil); err != nil {
				return err
			}
			selfKept = true
		}
		rel := store.MemoryRelation{
			ID:   idOf("relation", b.of.key, b.ch.name, from.ID.String(), to.ID.String(), label),
			From: from.ID, To: to.ID, Label: label, Since: turns[len(turns)-1].At, FactID: b.basis(facts, *from, *to, label),
		}
		if err := b.cfg.Store.AddMemoryRelation(ctx, tx, rel); err != nil {
			return err
		}
		b.metrics.learned.WithLabelValues("relation").Inc()
	}
	return nil
}

// factsHere are the open facts that were learned from what the chunk shows.
func (b *binder) factsHere(ctx context.Context, tx store.Tx) ([]store.MemoryFact, error) {
	var ids []uuid.UUID
	for _, t := range b.ch.turns {
		ids = append(ids, t.ID)
	}
	return b.cfg.Store.MemoryFactsFrom(ctx, tx, b.of.person, ids)
}

// named reports whether a text, with a space on both ends, names an entity.
func named(e store.MemoryEntity, in string) bool {
	return slices.ContainsFunc(e.Aliases, func(al string) bool { return strings.Contains(in, " "+al+" ") })
}

// find returns the entity that a name of the answer means.
func (b *binder) find(name string) *store.MemoryEntity {
	alias := Alias(name)
	if name == personWord || slices.Contains(b.self.Aliases, alias) {
		if b.self.ID == uuid.Nil {
			return nil
		}
		return &b.self
	}
	if m := b.met[alias]; m != nil {
		return &m.MemoryEntity
	}
	for i, e := range b.known {
		if e.ID != b.self.ID && sameName(e.Aliases, []string{alias}, false) {
			return &b.known[i]
		}
	}
	return nil
}

// basis is the fact that says it: that is about the one, and says the label and
// the other's name of it. What only names both does not end what they are to each
// other.
func (b *binder) basis(facts []store.MemoryFact, from, to store.MemoryEntity, label string) uuid.UUID {
	words := english.Words(strings.ReplaceAll(label, "_", " "))
	for _, f := range facts {
		subject, predicate, found := english.CutSubject(f.Text)
		if !found {
			continue
		}
		about, said := " "+Alias(subject)+" ", " "+Alias(predicate)+" "
		spoken := english.Words(said)
		says := !slices.ContainsFunc(words, func(w string) bool {
			return !slices.ContainsFunc(spoken, func(o string) bool { return english.Alike(english.Stem(o), english.Stem(w)) })
		})
		if says && named(from, about) && named(to, said) {
			return f.ID
		}
	}
	return uuid.Nil
}

// label is a relation's label as it is kept: "lives in" becomes "lives_in".
func label(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '\n' || r == '\t' || r == 0 })
	if len(words) > 4 {
		return ""
	}
	return english.Clip(strings.Join(words, "_"), maxLabelRunes)
}

// FormatGraph writes entities with their notes and, below each, what leads from
// it to others:
//
//   - Alice (person): a friend from church
//     → knows Bob (person)
//   - Bob (person)
//
// It is empty where there are none.
func FormatGraph(g store.MemoryGraph) string {
	node := map[uuid.UUID]store.MemoryEntity{}
	for _, n := range g.Nodes {
		node[n.ID] = n
	}
	var b strings.Builder
	for _, n := range g.Nodes {
		b.WriteString("- " + n.Name + " (" + n.Kind + ")")
		if n.Notes != "" {
			b.WriteString(": " + n.Notes)
		}
		b.WriteByte('\n')
		for _, e := range g.Edges {
			if to, ok := node[e.To]; ok && e.From == n.ID {
				b.WriteString("  → " + e.Label + " " + to.Name + " (" + to.Kind + ")\n")
			}
		}
	}
	return b.String()
}

// How far a walk from a question goes.
const (
	// MaxStarts is how many entities a walk begins with at most.
	MaxStarts     = 5
	maxNeighbours = 40
)

// Around returns whom and what a question names, those that it is about by its
// meaning, and what is one step away from them, within the scope and without what
// is not to be raised. It begins with no more than [MaxStarts] entities, those
// that are named, and were met last, first. It finds nothing of a person who does
// not consent to being remembered. With an error come those it begins with, where
// only the step from them failed.
func Around(ctx context.Context, st *store.Store, in store.MemoryScope, question string, alike ...uuid.UUID) (store.MemoryGraph, error) {
	if in.Person.Known() {
		frame, err := st.MemoryFrame(ctx, nil, in.Person)
		if err != nil || !frame.Consented {
			return store.MemoryGraph{}, err
		}
	}
	named, err := st.NamedMemoryEntities(ctx, in, Alias(question), MaxStarts)
	if err != nil {
		return store.MemoryGraph{}, err
	}
	var ids []uuid.UUID
	for _, e := range named {
		ids = append(ids, e.ID)
	}
	for _, id := range alike {
		if len(ids) < MaxStarts && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return store.MemoryGraph{}, nil
	}
	g, failed := st.MemoryNeighbours(ctx, in, ids, maxNeighbours)
	g = joined(g)
	if in.Person.Known() {
		if g, err = raisable(ctx, st, in.Person, question, g); err != nil {
			return store.MemoryGraph{}, err
		}
	}
	return g, failed
}

// joined is a graph in which those of one kind and name are one: each session of a
// project has met them for itself.
func joined(g store.MemoryGraph) store.MemoryGraph {
	first := map[string]int{} // in out
	same := map[uuid.UUID]uuid.UUID{}
	var out store.MemoryGraph
	for _, n := range g.Nodes {
		key := n.Kind + " " + Alias(n.Name)
		at, met := first[key]
		if !met {
			first[key], same[n.ID] = len(out.Nodes), n.ID
			out.Nodes = append(out.Nodes, n)
			continue
		}
		same[n.ID] = out.Nodes[at].ID
		if n.Notes != "" {
			out.Nodes[at].Notes = joinNotes(n.Name, out.Nodes[at].Notes, n.Notes)
		}
	}
	for _, e := range g.Edges {
		e.From, e.To = same[e.From], same[e.To]
		if !slices.ContainsFunc(out.Edges, func(o store.MemoryRelation) bool { return o.From == e.From && o.To == e.To && o.Label == e.Label }) {
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// raisable is a graph without what a person does not want raised when a question
// is answered.
func raisable(ctx context.Context, st *store.Store, person store.PersonID, question string, g store.MemoryGraph) (store.MemoryGraph, error) {
	texts := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		texts[i] = n.Name + "\n" + n.Notes
		for _, e := range g.Edges {
			if e.From == n.ID && e.From != SelfID(person) || e.To == n.ID {
				texts[i] += "\n" + strings.ReplaceAll(e.Label, "_", " ")
			}
		}
	}
	met, err := mentions(ctx, st, person, question, time.Now(), texts)
	if err != nil {
		return store.MemoryGraph{}, err
	}
	var out store.MemoryGraph
	left := map[uuid.UUID]bool{}
	for i, n := range g.Nodes {
		if met[i] {
			left[n.ID] = true
			continue
		}
		out.Nodes = append(out.Nodes, n)
	}
	out.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e store.MemoryRelation) bool { return left[e.From] || left[e.To] })
	return out, nil
}

// mentions reports of each text whether it speaks of what a person does not want
// kept or raised at a time, when a question is answered; empty: of nAIber's own accord.
func mentions(ctx context.Context, st *store.Store, person store.PersonID, question string, at time.Time, texts []string) ([]bool, error) {
	frame, err := st.MemoryFrame(ctx, nil, person)
	if err != nil {
		return nil, err
	}
	topics, err := memory.Unraisable(ctx, st, []store.PersonID{person}, frame.Config, question, at)
	if err != nil {
		return nil, err
	}
	return st.MatchTopics(ctx, nil, frame.Config, texts, topics)
}

// withNames are topics with what else those are called whom they name: a limit on
// the brother is one on Karl. tx may be nil.
func withNames(ctx context.Context, st *store.Store, tx store.Tx, person store.PersonID, config string, topics []string) ([]string, error) {
	names, err := st.MemoryTopicNames(ctx, tx, []store.PersonID{person}, config, topics)
	return append(slices.Clip(topics), names...), err
}
