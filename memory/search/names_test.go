package search_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store/memories"
)

func TestNamesWidenAQuestion(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in, other := h.Margaret(t), h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "Isla started with the cello.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "Biscuit ate the slipper.")...)
	h.MustKeep(t, memtest.Talk(in, "three", memtest.November, "A granddaughter is a joy, said the radio.")...)
	h.MustKeep(t, memtest.Talk(in, "four", memtest.November, "Walter carried the shopping.")...)
	h.MustKeep(t, memtest.Talk(in, "five", memtest.November, "Joan is away.")...)
	h.MustKeep(t, memtest.Talk(other, "one", memtest.November, "Isla is a Scottish river.")...)
	me := h.Meet(t, in, "Margaret", "person", "", uuid.Nil, "margaret")
	h.Meet(t, in, "Isla", "person", "granddaughter", me, "isla")
	h.Meet(t, in, "Biscuit", "pet", "", uuid.Nil, "biscuit", "dog")
	joan := h.Meet(t, in, "Joan", "person", "best_friend", me, "joan")
	h.MustKeep(t, memtest.Talk(in, "six", memtest.November, "Dora plays the tuba in Leeds.")...)
	walter := h.Meet(t, in, "Walter", "person", "brother", joan, "walter")
	h.Meet(t, in, "Dora", "person", "daughter", walter, "dora")
	for question, want := range map[string][]string{
		"How is my granddaughter?":    {"A granddaughter is a joy, said the radio.", "Isla started with the cello."},
		"What did the dog do?":        {"Biscuit ate the slipper."},
		"How is Joan's brother?":      {"Joan is away.", "Walter carried the shopping."},
		"Any news of my best friend?": {"Joan is away."},
		"How is my brother?":          nil, // he is Joan's
		"The city where the daughter of my best friend's brother plays": {"Dora plays the tuba in Leeds.", "Walter carried the shopping.", "Joan is away."},
		"How is my daughter?": nil, // she is Walter's
		"How is my nephew?":   nil,
	} {
		if got := memtest.Texts(h.Ask(t, in, question, memtest.Only(search.ListKeyword)).Hits); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
	if got := h.Ask(t, other, "How is my granddaughter?", memtest.Only(search.ListKeyword)).Hits; len(got) != 0 {
		t.Errorf("another person's names were used: %q", memtest.Texts(got))
	}
	h.Limit(t, in, memories.NeverRaise, "granddaughter", nil)
	if got := memtest.Texts(h.Ask(t, in, "How is my granddaughter?", memtest.Only(search.ListKeyword)).Hits); len(got) != 0 {
		t.Errorf("in spite of the limit: %q", got)
	}
}

func TestSearchGoesWithoutNames(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	h.Exec(t, "alter table memory_entities rename column last_seen to last_seen_gone")
	if got := h.Ask(t, in, "dog", memtest.Only(search.ListKeyword)).Hits; len(got) != 1 || h.DegradedBy(t, "names") != 1 {
		t.Errorf("found %q, counted %v", memtest.Texts(got), h.DegradedBy(t, "names"))
	}
}
