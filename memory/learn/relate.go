package learn

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

const maxLabelRunes = 40

// relate stores the relations between entities. A relation is based on the fact that names
// both, and ends with it.
func (b *binder) relate(ctx context.Context, tx store.Tx, answers []RelationAnswer) error {
	selfKept := false
	for _, a := range answers {
		cited := b.ch.cite(a.Turns)
		from, to, label := b.find(a.From), b.find(a.To), label(a.Label)
		switch {
		case !cited.own():
			b.drop("not_said_by_person")
			continue
		case from == nil || to == nil || from.ID == to.ID || label == "":
			b.drop("no_relation")
			continue
		}
		if !selfKept && (from.ID == b.self.ID || to.ID == b.self.ID) {
			if err := b.cfg.Store.SaveMemoryEntity(ctx, tx, b.of.person, b.self, b.ch.turns[cited.places[0]].At, nil); err != nil {
				return err
			}
			selfKept = true
		}
		rel := memories.Relation{
			ID:   idOf("relation", b.of.key, b.ch.name, from.ID.String(), to.ID.String(), label),
			From: from.ID, To: to.ID, Label: label, Since: cited.last().At, FactID: supportingFact(b.facts, *from, *to, label),
		}
		if err := b.cfg.Store.AddMemoryRelation(ctx, tx, rel); err != nil {
			return err
		}
		b.metrics.learned.WithLabelValues("relation").Inc()
	}
	return nil
}

// named reports whether a text, padded with a space on both ends, names an entity.
func named(e memories.Entity, in string) bool {
	return slices.ContainsFunc(e.Aliases, func(al string) bool { return strings.Contains(in, " "+al+" ") })
}

// find returns the entity that a name in the answer refers to, or nil.
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
		if sameName(e.Aliases, []string{alias}, false) {
			return &b.known[i]
		}
	}
	return nil
}

// supportingFact returns the id of a fact whose subject is from, and whose predicate has
// the words of label and a name of to, or uuid.Nil. A fact that only names both must not
// end their relation.
func supportingFact(facts []memories.Fact, from, to memories.Entity, label string) uuid.UUID {
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

// label normalizes a relation's label: "lives in" becomes "lives_in". It returns "" for
// more than four words.
func label(s string) string {
	words := strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(english.OneLine(strings.ToLower(s))))
	if len(words) > 4 {
		return ""
	}
	return english.Clip(strings.Join(words, "_"), maxLabelRunes)
}

// FormatGraph writes entities with their notes and, below each, its relations to others:
//
//   - Alice (person): a friend from church
//     → knows Bob (person)
//   - Bob (person)
//
// Entities with the same kind and name are merged. It returns "" for an empty graph.
func FormatGraph(g memories.Graph) string {
	var b strings.Builder
	for _, node := range nodes(g) {
		b.WriteString("- " + strings.Join(node, "\n  ") + "\n")
	}
	return b.String()
}

// GraphLines returns the first entities of a graph, at most limit, as [FormatGraph] writes
// them, each on one line with its relations.
func GraphLines(g memories.Graph, limit int) []string {
	var out []string
	for _, node := range nodes(g) {
		out = append(out, strings.Join(node, "; "))
	}
	return out[:min(len(out), limit)]
}

// nodes returns each entity with its notes, followed by its relations to others.
func nodes(g memories.Graph) [][]string {
	g = joined(g)
	byID := map[uuid.UUID]memories.Entity{}
	for _, n := range g.Nodes {
		byID[n.ID] = n
	}
	var out [][]string
	for _, n := range g.Nodes {
		node := []string{n.Name + " (" + n.Kind + ")"}
		if n.Notes != "" {
			node[0] += ": " + n.Notes
		}
		for _, e := range g.Edges {
			if to, ok := byID[e.To]; ok && e.From == n.ID {
				node = append(node, "→ "+e.Label+" "+to.Name+" ("+to.Kind+")")
			}
		}
		out = append(out, node)
	}
	return out
}

// joined merges the nodes with the same kind and name: each session of a project has its
// own.
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

// joinNotes adds a note to the known notes on an entity, and removes those that it ends or
// replaces: "home" removes "in hospital".
func joinNotes(name, have, note string) string {
	have = withoutNotes(have, func(part string) bool {
		verdict, _ := judge(memories.Fact{Text: name + " " + note}, []memories.Fact{{Text: name + " " + part}})
		return verdict == Delete || verdict == Replace
	})
	switch {
	case have == "":
		return english.Clip(note, maxNoteRunes)
	case english.Share(note, have) == 1 || len([]rune(have))+len([]rune(note)) > maxNoteRunes-2:
		return have
	default:
		return have + "; " + note
	}
}

// withoutNotes returns notes without the parts that are over.
func withoutNotes(notes string, over func(part string) bool) string {
	var left []string
	all := strings.FieldsFunc(notes, func(r rune) bool { return r == ';' || r == ',' })
	for _, part := range all {
		if part = strings.TrimSpace(part); part != "" && !over(part) {
			left = append(left, part)
		}
	}
	if len(left) == len(all) {
		return notes
	}
	return strings.Join(left, "; ")
}

// unnote removes what a closed fact said from the notes on its subject, unless the fact
// that closed it says so too.
func (s *lesson) unnote(ctx context.Context, tx store.Tx, closed, by memories.Fact) error {
	subject, said, found := english.CutSubject(closed.Text)
	if !found {
		return nil
	}
	about := " " + memory.Alias(subject) + " "
	known, err := s.others(ctx, tx, memories.Entity{})
	if err != nil {
		return err
	}
	for _, e := range known {
		notes := withoutNotes(e.Notes, func(part string) bool {
			return len(english.Content(part)) > 0 && english.Share(part, said) >= leastSupport && english.Share(part, by.Text) < leastSupport
		})
		if notes == e.Notes || !named(e, about) {
			continue
		}
		e.Notes = notes
		if err := s.cfg.Store.SaveMemoryEntity(ctx, tx, s.of.person, e, e.LastSeen, nil); err != nil {
			return err
		}
	}
	return nil
}

// endDenied ends the relations that are not based on a fact and that a fact from this chunk
// contradicts.
func (b *binder) endDenied(ctx context.Context, tx store.Tx) error {
	if len(b.facts) == 0 {
		return nil
	}
	loose, err := b.cfg.Store.GroundlessMemoryRelations(ctx, tx, b.of.person, maxEntities)
	if err != nil {
		return err
	}
	for _, r := range loose {
		holds := memories.Fact{Text: r.From + " " + strings.ReplaceAll(r.Label, "_", " ") + " " + r.To}
		for _, f := range b.facts {
			verdict, _ := judge(f, []memories.Fact{holds})
			if f.LearnedAt.Before(r.Since) || verdict != Delete && verdict != Replace {
				continue
			}
			if err := b.cfg.Store.EndMemoryRelation(ctx, tx, r.ID, until(f)); err != nil {
				return err
			}
			break
		}
	}
	return nil
}
