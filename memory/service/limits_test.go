package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/limits"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func (h *house) set(t *testing.T, in memory.Scope, rule memories.LimitRule, topic string, until *time.Time) {
	t.Helper()
	if _, err := h.SetLimit(t.Context(), memories.Limit{PersonID: in.Person, Topic: topic, Rule: rule, Until: until, By: "Margaret"}); err != nil {
		t.Fatal(err)
	}
}

// Somebody who does not want a brother mentioned does not want his name
// mentioned either, nor what is about him in other words.
func TestLimitReachesNamesAndMeaning(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	found := func(question string) string { return strings.Join(texts(l.ask(t, l.in, question).Hits), " ") }
	if got := found("Karl cards brother"); !strings.Contains(got, "Karl") {
		t.Fatalf("found %q", got)
	}
	l.set(t, l.in, memories.NeverRaise, "brother", nil)
	if got := found("Karl cards brother"); strings.Contains(got, "Karl") || strings.Contains(got, "brother") || strings.Contains(got, "cards") {
		t.Errorf("found %q", got)
	}
	other := newLife(t, l.house)
	if got := strings.Join(texts(other.ask(t, other.in, "Karl").Hits), " "); !strings.Contains(got, "Karl") {
		t.Errorf("somebody else's limit holds: %q", got)
	}
	in := l.margaret(t)
	l.keep(t, talk(in, "pets", november, "The puppy, the terrier.")...)
	l.index(t)
	l.set(t, in, memories.NeverRaise, "dog", nil)
	if got := texts(l.ask(t, in, "puppy").Hits); len(got) != 0 {
		t.Errorf("found %q, which means a dog", got)
	}
}

// What may not come up takes no room from what may.
func TestBarredLeavesRoom(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	said := talk(in, "sister", november, "My sister was at the seaside.")
	for i := range 30 {
		said = append(said, talk(in, fmt.Sprint("brother", i), november.AddDate(0, 0, i+1), "My brother at the seaside, at the seaside.")...)
	}
	h.keep(t, said...)
	h.set(t, in, memories.NeverRaise, "brother", nil)
	seaside := func(q *search.Query) { q.Limit = 5 }
	if got := texts(h.ask(t, in, "seaside", seaside).Hits); !slices.Equal(got, []string{"My sister was at the seaside."}) {
		t.Errorf("found %q", got)
	}
	other := h.margaret(t)
	said = talk(other, "old", november, "The seaside was lovely.")
	for i := range 30 {
		said = append(said, talk(other, fmt.Sprint("new", i), november.AddDate(0, 0, i+1), "The seaside, the seaside.")...)
	}
	h.keep(t, said...)
	shown := func(q *search.Query) {
		for _, id := range h.column(t, "select id::text from memory_turns where text = 'The seaside, the seaside.'") {
			q.Exclude = append(q.Exclude, uuid.MustParse(id))
		}
	}
	if got := texts(h.ask(t, other, "seaside", only(search.ListKeyword), seaside, shown).Hits); !slices.Equal(got, []string{"The seaside was lovely."}) {
		t.Errorf("beside what is in front of the model anyway found %q", got)
	}
}

// nAIber does not raise an illness again so soon; the person may.
func TestCoolDown(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	p := h.person(t, "Margaret", people.ScopeMemory)
	p.Conditions = []string{"arthritis", "diabetes"}
	if _, err := h.st.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	h.keep(t, talk(in, "one", november, "My arthritis is bad when I garden.")...)
	h.keep(t, talk(in, "two", november, "I like to garden.")...)
	until := time.Now().Add(limits.DefaultCoolDown)
	if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis is bad."}, until); err != nil {
		t.Fatal(err)
	}
	if err := h.CoolDown(t.Context(), p.ID, []string{"Arthritis again."}, until.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := h.column(t, "select topic || ' ' || rule from memory_limits"); !slices.Equal(got, []string{"arthritis cool_down"}) {
		t.Errorf("limits = %q", got)
	}
	now := func(q *search.Query) { q.Now = time.Now() }
	if got := texts(h.ask(t, in, "garden", now).Hits); !slices.Equal(got, []string{"I like to garden."}) {
		t.Errorf("found %q", got)
	}
	if got := texts(h.ask(t, in, "my arthritis hurts in the garden", now).Hits); !slices.Contains(got, "My arthritis is bad when I garden.") {
		t.Errorf("found %q when the person speaks of it", got)
	}
	if got := texts(h.ask(t, in, "garden", func(q *search.Query) { q.Now = until.Add(2 * time.Hour) }).Hits); len(got) != 2 {
		t.Errorf("found %q after the end", got)
	}
}

func TestSetLimitRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	past := time.Now().Add(-time.Hour)
	for name, l := range map[string]memories.Limit{
		"no topic":         {Rule: memories.NeverRaise, By: "x"},
		"no rule":          {Topic: "war", By: "x"},
		"nobody":           {Topic: "war", Rule: memories.NeverRaise},
		"an endless one":   {Topic: "war", Rule: memories.CoolDown, By: "x"},
		"one that is over": {Topic: "war", Rule: memories.CoolDown, Until: &past, By: "x"},
		"an endless topic": {Topic: strings.Repeat("war ", 50), Rule: memories.NeverRaise, By: "x"},
	} {
		l.PersonID = in.Person
		if _, err := h.SetLimit(t.Context(), l); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.set(t, in, memories.NeverRaise, "The  war", nil)
	h.set(t, in, memories.NeverRaise, "the war", nil)
	if got := h.column(t, "select topic from memory_limits"); !slices.Equal(got, []string{"the war"}) {
		t.Errorf("limits = %q", got)
	}
}

// nAIber's own cool-down neither shortens nor replaces what somebody else set, and
// is met by what people call an illness.
func TestCoolDownLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	p := h.person(t, "Margaret", people.ScopeMemory)
	p.Conditions = []string{"Arthritis", "Type 2 diabetes", "gout", "angina"}
	if _, err := h.st.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	until, year, tomorrow := time.Now().Add(limits.DefaultCoolDown), time.Now().AddDate(1, 0, 0), time.Now().AddDate(0, 0, 1)
	h.set(t, in, memories.CoolDown, "arthritis", &year)
	h.set(t, in, memories.CoolDown, "gout", &tomorrow)
	h.set(t, in, memories.NeverRaise, "angina", nil)
	for _, end := range []time.Time{until, until.Add(-time.Hour), until} {
		if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis and my diabetes.", "My gout, my angina."}, end); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"angina never_raise Margaret", "arthritis cool_down Margaret", "diabetes cool_down naiber", "gout cool_down Margaret", "gout cool_down naiber"}
	if got := h.column(t, "select topic || ' ' || rule || ' ' || by from memory_limits order by 1"); !slices.Equal(got, want) {
		t.Errorf("limits = %q", got)
	}
	cooling, err := h.st.MemoryLimitTopics(t.Context(), nil, []store.PersonID{p.ID}, year.Add(-time.Hour), memories.CoolDown)
	if err != nil || !slices.Equal(cooling, []string{"arthritis"}) {
		t.Errorf("cooling for a year: %q, %v", cooling, err)
	}
}

// Without consent to being remembered nothing is kept of what was spoken of.
func TestCoolDownWithoutConsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	p := h.person(t, "Margaret", people.ScopeRecording)
	p.Conditions = []string{"arthritis"}
	if _, err := h.st.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis is bad."}, time.Now().Add(limits.DefaultCoolDown)); err != nil {
		t.Fatal(err)
	}
	if got := h.column(t, "select topic from memory_limits"); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
}
