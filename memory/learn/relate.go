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
	"github.com/naiber/naiber/store/memories"
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
		rel := memories.Relation{
			ID:   idOf("relation", b.of.key, b.ch.name, from.ID.String(), to.ID.String(), label),
			From: from.ID, To: to.ID, Label: label, Since: turns[len(turns)-1].At, FactID: b.supportingFact(facts, *from, *to, label),
		}
		if err := b.cfg.Store.AddMemoryRelation(ctx, tx, rel); err != nil {
			return err
		}
		b.metrics.learned.WithLabelValues("relation").Inc()
	}
	return nil
}

// factsHere are the open facts that were learned from what the chunk shows.
func (b *binder) factsHere(ctx context.Context, tx store.Tx) ([]memories.Fact, error) {
	var ids []uuid.UUID
	for _, t := range b.ch.turns {
		ids = append(ids, t.ID)
	}
	return b.cfg.Store.MemoryFactsFrom(ctx, tx, b.of.person, ids)
}

// named reports whether a text, with a space on both ends, names an entity.
func named(e memories.Entity, in string) bool {
	return slices.ContainsFunc(e.Aliases, func(al string) bool { return strings.Contains(in, " "+al+" ") })
}

// find returns the entity that a name of the answer means.
func (b *binder) find(name string) *memories.Entity {
	alias := memory.Alias(name)
	if name == personWord || slices.Contains(b.self.Aliases, alias) {
		if b.self.ID == uuid.Nil {
			return nil
		}
		return &b.self
	}
	if m := b.met[alias]; m != nil {
		return &m.Entity
	}
	for i, e := range b.known {
		if e.ID != b.self.ID && sameName(e.Aliases, []string{alias}, false) {
			return &b.known[i]
		}
	}
	return nil
}

// supportingFact returns the fact that says it: that is about the one, and says the label and
// the other's name of it. What only names both does not end what they are to each
// other.
func (b *binder) supportingFact(facts []memories.Fact, from, to memories.Entity, label string) uuid.UUID {
	words := english.Words(strings.ReplaceAll(label, "_", " "))
	for _, f := range facts {
		subject, predicate, found := english.CutSubject(f.Text)
		if !found {
			continue
		}
		about, said := " "+memory.Alias(subject)+" ", " "+memory.Alias(predicate)+" "
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
// Those of one kind and name are one. It is empty where there are none.
func FormatGraph(g memories.Graph) string {
	var b strings.Builder
	eachNode(g, func(node string, leads []string) {
		b.WriteString("- " + node + "\n")
		for _, l := range leads {
			b.WriteString("  " + l + "\n")
		}
	})
	return b.String()
}

// GraphLines are the first entities of a graph as [FormatGraph] writes them, each
// on one line with what leads from it.
func GraphLines(g memories.Graph, limit int) []string {
	var out []string
	eachNode(g, func(node string, leads []string) {
		if len(out) < limit {
			out = append(out, strings.Join(append([]string{node}, leads...), "; "))
		}
	})
	return out
}

// eachNode calls a function with each entity and its notes, and what leads from it.
func eachNode(g memories.Graph, do func(node string, leads []string)) {
	g = joined(g)
	node := map[uuid.UUID]memories.Entity{}
	for _, n := range g.Nodes {
		node[n.ID] = n
	}
	for _, n := range g.Nodes {
		text := n.Name + " (" + n.Kind + ")"
		if n.Notes != "" {
			text += ": " + n.Notes
		}
		var leads []string
		for _, e := range g.Edges {
			if to, ok := node[e.To]; ok && e.From == n.ID {
				leads = append(leads, "→ "+e.Label+" "+to.Name+" ("+to.Kind+")")
			}
		}
		do(text, leads)
	}
}

// joined is a graph in which those of one kind and name are one: each session of a
// project has met them for itself.
func joined(g memories.Graph) memories.Graph {
	first := map[string]int{} // in out
	same := map[uuid.UUID]uuid.UUID{}
	var out memories.Graph
	for _, n := range g.Nodes {
		key := n.Kind + " " + memory.Alias(n.Name)
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
		if !slices.ContainsFunc(out.Edges, func(o memories.Relation) bool { return o.From == e.From && o.To == e.To && o.Label == e.Label }) {
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// mentions reports of each text whether it speaks of what a person does not want
// kept or raised at a time, when a question is answered; empty: of nAIber's own accord.
func mentions(ctx context.Context, st *store.Store, person store.PersonID, question string, at time.Time, texts []string) ([]bool, error) {
	barred, frame, err := st.BarredTopics(ctx, person, question, at)
	if err != nil {
		return nil, err
	}
	return st.MatchTopics(ctx, nil, frame.Config, texts, barred.All())
}

// withNames are topics with what else those are called whom they name: a limit on
// the brother is one on Karl. tx may be nil.
func withNames(ctx context.Context, st *store.Store, tx store.Tx, person store.PersonID, config string, topics []string) ([]string, error) {
	names, err := st.MemoryTopicNames(ctx, tx, []store.PersonID{person}, config, topics)
	return append(slices.Clip(topics), names...), err
}
