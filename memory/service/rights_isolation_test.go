package service_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// resident is one of several people who live the same life: all that is kept of
// one of them has a word of their own, and nothing of the others may have it.
type resident struct {
	in       memory.Scope
	word     string
	turns    []uuid.UUID
	facts    []uuid.UUID
	entities []uuid.UUID
}

// TestNothingCrosses keeps, learns, forgets, exports and imports what people say
// who all speak of the same things, in any order, and holds after each step that
// nothing which one of them is shown, in whatever way, is another's.
func TestNothingCrosses(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	r := rand.New(rand.NewPCG(7, 8))
	var all []*resident
	for i := range 4 {
		all = append(all, &resident{in: h.Margaret(t), word: fmt.Sprintf("zz%dword", i)})
	}
	session, project := uuid.New(), uuid.New()
	for step := range 60 {
		p, other := all[r.IntN(4)], all[r.IntN(4)]
		switch r.IntN(6) {
		case 0:
			learnFor(t, h, r, p, other)
		case 1:
			if _, err := h.Forget(t.Context(), forgetSome(r, p)); err != nil {
				t.Fatal(err)
			}
		case 2:
			h.MustImport(t, p.in, h.MustExport(t, p.in))
		default:
			in := p.in
			if r.IntN(2) == 0 {
				in.Session, in.Project = session, project // what they share with others is not others' of theirs
			}
			said := fmt.Sprintf("My dog Biscuit and the garden, %s.", p.word)
			kept := h.MustKeep(t, memory.Turn{
				Scope: in, Conversation: fmt.Sprint("talk ", r.IntN(2)), Speaker: calls.RoleUser, Text: said, At: memtest.November.Add(time.Duration(step) * time.Minute),
				Source: memories.FromAPI,
			})
			p.turns = append(p.turns, kept.IDs[0])
		}
		if step%10 == 0 {
			if _, err := h.IndexPending(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, one := range all {
			shown := shown(t, h, one, all)
			for _, another := range all {
				if another != one && strings.Contains(shown, another.word) {
					t.Fatalf("step %d: %s is shown what is of %s:\n%s", step, one.word, another.word, shown)
				}
			}
		}
	}
}

func forgetSome(r *rand.Rand, p *resident) forget.Request {
	req := forget.Request{Person: p.in.Person}
	switch r.IntN(3) {
	case 0:
		req.Topic = "garden"
	case 1:
		req.Day = "2026-11-03"
	default:
		req.All = true
	}
	return req
}

// learnFor learns from a person, and tries to make it stand on what another said.
func learnFor(t *testing.T, h *memtest.House, r *rand.Rand, p, other *resident) {
	t.Helper()
	fact, dog, self := uuid.New(), uuid.New(), uuid.New()
	sources := append(append([]uuid.UUID{}, p.turns...), other.turns...)
	err := h.Store.InTx(t.Context(), func(tx store.Tx) error {
		if err := h.Store.AddMemoryFact(t.Context(), tx, memories.Fact{
			ID: fact, PersonID: p.in.Person, Text: "They have a dog, " + p.word, Kind: "pet", Confidence: 1, LearnedAt: memtest.November,
		}, sources, other.facts); err != nil {
			return err
		}
		for _, e := range []memories.Entity{
			{ID: dog, Kind: "pet", Name: "Biscuit " + p.word, Aliases: []string{"biscuit"}, Notes: p.word}, {ID: self, Kind: "person", Name: "Self " + p.word},
		} {
			if err := h.Store.SaveMemoryEntity(t.Context(), tx, p.in.Person, e, memtest.November, sources); err != nil {
				return err
			}
		}
		to := dog
		if len(other.entities) > 0 && r.IntN(2) == 0 {
			to = other.entities[r.IntN(len(other.entities))]
		}
		if n := countRows(t.Context(), tx, to); n > 0 {
			if err := h.Store.AddMemoryRelation(t.Context(), tx, memories.Relation{ID: uuid.New(), From: self, To: to, Label: p.word, Since: memtest.November}); err != nil {
				return err
			}
		}
		return h.Store.AddPersonSummary(t.Context(), tx, memories.MemorySummary{
			ID: uuid.New(), PersonID: p.in.Person, Text: "A dog, " + p.word, FromAt: memtest.November, ToAt: memtest.November, Turns: 1, Tokens: 3,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	p.facts, p.entities = append(p.facts, fact), append(p.entities, dog, self)
}

func countRows(ctx context.Context, tx store.Tx, entity uuid.UUID) (n int) {
	if err := tx.QueryRow(ctx, "select count(*) from memory_entities where id = $1", entity).Scan(&n); err != nil {
		return 0
	}
	return n
}

// shown is all that one of them can be shown, asked for with everybody's ids.
func shown(t *testing.T, h *memtest.House, one *resident, all []*resident) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := h.Export(t.Context(), one.in.Person, &out, memtest.November); err != nil {
		t.Fatal(err)
	}
	for _, hit := range h.Ask(t, one.in, "Biscuit the dog in the garden").Hits {
		out.WriteString(hit.Text + "\n")
	}
	turns, err := h.List(t.Context(), one.in, memory.Turn{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		out.WriteString(turn.Text + "\n")
	}
	var facts, entities []uuid.UUID
	for _, p := range all {
		facts, entities = append(facts, p.facts...), append(entities, p.entities...)
	}
	g, err := h.Store.MemoryNeighbours(t.Context(), one.in, entities, 1000)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, g)
	known, err := h.Store.MemoryFacts(t.Context(), nil, one.in.Person, facts)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, known)
	sum, _, err := h.Store.PersonSummary(t.Context(), nil, one.in.Person)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, sum)
	return out.String()
}
