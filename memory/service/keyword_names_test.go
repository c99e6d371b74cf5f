package service

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// meet keeps somebody of whom a person spoke, and what they are to another; to
// nobody where label is empty.
func (h *house) meet(t *testing.T, in memory.Scope, name, kind, label string, to uuid.UUID, aliases ...string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	err := h.st.InTx(t.Context(), func(tx store.Tx) error {
		err := h.st.SaveMemoryEntity(t.Context(), tx, in.Person, memories.Entity{ID: id, Kind: kind, Name: name, Aliases: aliases}, november, nil)
		if err != nil || label == "" {
			return err
		}
		return h.st.AddMemoryRelation(t.Context(), tx, memories.Relation{ID: uuid.New(), From: id, To: to, Label: label, Since: november})
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestNamesWidenAQuestion(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in, other := h.margaret(t), h.margaret(t)
	h.keep(t, talk(in, "one", november, "Isla started with the cello.")...)
	h.keep(t, talk(in, "two", november, "Biscuit ate the slipper.")...)
	h.keep(t, talk(in, "three", november, "A granddaughter is a joy, said the radio.")...)
	h.keep(t, talk(in, "four", november, "Walter carried the shopping.")...)
	h.keep(t, talk(in, "five", november, "Joan is away.")...)
	h.keep(t, talk(other, "one", november, "Isla is a Scottish river.")...)
	me := h.meet(t, in, "Margaret", "person", "", uuid.Nil, "margaret")
	h.meet(t, in, "Isla", "person", "granddaughter", me, "isla")
	h.meet(t, in, "Biscuit", "pet", "", uuid.Nil, "biscuit", "dog")
	joan := h.meet(t, in, "Joan", "person", "best_friend", me, "joan")
	h.meet(t, in, "Walter", "person", "brother", joan, "walter")
	for question, want := range map[string][]string{
		"How is my granddaughter?":    {"A granddaughter is a joy, said the radio.", "Isla started with the cello."},
		"What did the dog do?":        {"Biscuit ate the slipper."},
		"How is Joan's brother?":      {"Joan is away.", "Walter carried the shopping."},
		"Any news of my best friend?": {"Joan is away."},
		"How is my brother?":          nil, // he is Joan's
		"How is my nephew?":           nil,
	} {
		if got := texts(h.ask(t, in, question, only(search.ListKeyword)).Hits); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
	if got := h.ask(t, other, "How is my granddaughter?", only(search.ListKeyword)).Hits; len(got) != 0 {
		t.Errorf("another person's names were used: %q", texts(got))
	}
	h.limit(t, in, memories.NeverRaise, "granddaughter", nil)
	if got := texts(h.ask(t, in, "How is my granddaughter?", only(search.ListKeyword)).Hits); len(got) != 0 {
		t.Errorf("in spite of the limit: %q", got)
	}
}

func TestSearchGoesWithoutNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	h.do(t, "alter table memory_entities rename column last_seen to last_seen_gone")
	if got := h.ask(t, in, "dog", only(search.ListKeyword)).Hits; len(got) != 1 || h.degradedBy(t, "names") != 1 {
		t.Errorf("found %q, counted %v", texts(got), h.degradedBy(t, "names"))
	}
}
