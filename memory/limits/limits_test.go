package limits_test

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
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func set(t *testing.T, h *memtest.House, in memory.Scope, rule memories.LimitRule, topic string, until *time.Time) {
	t.Helper()
	if _, err := h.SetLimit(t.Context(), memories.Limit{PersonID: in.Person, Topic: topic, Rule: rule, Until: until, By: "Margaret"}); err != nil {
		t.Fatal(err)
	}
}

// Somebody who does not want a brother mentioned does not want his name
// mentioned either, nor what is about him in other words.
func TestLimitReachesNamesAndMeaning(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	found := func(question string) string { return strings.Join(memtest.Texts(l.Ask(t, l.In, question).Hits), " ") }
	if got := found("Karl cards brother"); !strings.Contains(got, "Karl") {
		t.Fatalf("found %q", got)
	}
	set(t, l.House, l.In, memories.NeverRaise, "brother", nil)
	if got := found("Karl cards brother"); strings.Contains(got, "Karl") || strings.Contains(got, "brother") || strings.Contains(got, "cards") {
		t.Errorf("found %q", got)
	}
	other := memtest.NewLife(t, l.House)
	if got := strings.Join(memtest.Texts(other.Ask(t, other.In, "Karl").Hits), " "); !strings.Contains(got, "Karl") {
		t.Errorf("somebody else's limit holds: %q", got)
	}
	in := l.Margaret(t)
	l.MustKeep(t, memtest.Talk(in, "pets", memtest.November, "The puppy, the terrier.")...)
	l.MustIndex(t)
	set(t, l.House, in, memories.NeverRaise, "dog", nil)
	if got := memtest.Texts(l.Ask(t, in, "puppy").Hits); len(got) != 0 {
		t.Errorf("found %q, which means a dog", got)
	}
}

// A limit whose meaning cannot be found switches no other one off.
func TestLimitWithoutMeaning(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	in := l.Margaret(t)
	l.MustKeep(t, memtest.Talk(in, "pets", memtest.November, "The puppy, the terrier.")...)
	l.MustIndex(t)
	set(t, l.House, in, memories.NeverRaise, "dog", nil)
	l.Limit(t, in, memories.NeverRaise, "-", nil) // comes before dog
	l.Embedder.Refuse = "-"
	if got := memtest.Texts(l.Ask(t, in, "puppy").Hits); len(got) != 0 {
		t.Errorf("found %q, which means a dog", got)
	}
}

// What may not come up takes no room from what may.
func TestBarredLeavesRoom(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	said := memtest.Talk(in, "sister", memtest.November, "My sister was at the seaside.")
	for i := range 30 {
		said = append(said, memtest.Talk(in, fmt.Sprint("brother", i), memtest.November.AddDate(0, 0, i+1), "My brother at the seaside, at the seaside.")...)
	}
	h.MustKeep(t, said...)
	set(t, h, in, memories.NeverRaise, "brother", nil)
	seaside := func(q *search.Query) { q.Limit = 5 }
	if got := memtest.Texts(h.Ask(t, in, "seaside", seaside).Hits); !slices.Equal(got, []string{"My sister was at the seaside."}) {
		t.Errorf("found %q", got)
	}
	other := h.Margaret(t)
	said = memtest.Talk(other, "old", memtest.November, "The seaside was lovely.")
	for i := range 30 {
		said = append(said, memtest.Talk(other, fmt.Sprint("new", i), memtest.November.AddDate(0, 0, i+1), "The seaside, the seaside.")...)
	}
	h.MustKeep(t, said...)
	shown := func(q *search.Query) {
		for _, id := range h.Column(t, "select id::text from memory_turns where text = 'The seaside, the seaside.'") {
			q.Exclude = append(q.Exclude, uuid.MustParse(id))
		}
	}
	if got := memtest.Texts(h.Ask(t, other, "seaside", memtest.Only(search.ListKeyword), seaside, shown).Hits); !slices.Equal(got, []string{"The seaside was lovely."}) {
		t.Errorf("beside what is in front of the model anyway found %q", got)
	}
}

// nAIber does not raise an illness again so soon; the person may.
func TestCoolDown(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	p := h.Person(t, "Margaret", people.ScopeMemory)
	p.Conditions = []string{"arthritis", "diabetes"}
	if _, err := h.Store.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My arthritis is bad when I garden.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "I like to garden.")...)
	until := time.Now().Add(limits.DefaultCoolDown)
	if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis is bad."}, until); err != nil {
		t.Fatal(err)
	}
	if err := h.CoolDown(t.Context(), p.ID, []string{"Arthritis again."}, until.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := h.Column(t, "select topic || ' ' || rule from memory_limits"); !slices.Equal(got, []string{"arthritis cool_down"}) {
		t.Errorf("limits = %q", got)
	}
	now := func(q *search.Query) { q.Now = time.Now() }
	if got := memtest.Texts(h.Ask(t, in, "garden", now).Hits); !slices.Equal(got, []string{"I like to garden."}) {
		t.Errorf("found %q", got)
	}
	if got := memtest.Texts(h.Ask(t, in, "my arthritis hurts in the garden", now).Hits); !slices.Contains(got, "My arthritis is bad when I garden.") {
		t.Errorf("found %q when the person speaks of it", got)
	}
	if got := memtest.Texts(h.Ask(t, in, "garden", func(q *search.Query) { q.Now = until.Add(2 * time.Hour) }).Hits); len(got) != 2 {
		t.Errorf("found %q after the end", got)
	}
}

func TestSetLimitRefuses(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	past := time.Now().Add(-time.Hour)
	for name, l := range map[string]memories.Limit{
		"no topic":         {Rule: memories.NeverRaise, By: "x"},
		"no rule":          {Topic: "war", By: "x"},
		"nobody":           {Topic: "war", Rule: memories.NeverRaise},
		"an endless one":   {Topic: "war", Rule: memories.CoolDown, By: "x"},
		"one that is over": {Topic: "war", Rule: memories.CoolDown, Until: &past, By: "x"},
		"a topic unsaid":   {Topic: "- 🙂", Rule: memories.NeverRaise, By: "x"},
		"an endless topic": {Topic: strings.Repeat("war ", 50), Rule: memories.NeverRaise, By: "x"},
	} {
		l.PersonID = in.Person
		if _, err := h.SetLimit(t.Context(), l); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	set(t, h, in, memories.NeverRaise, "The  war", nil)
	set(t, h, in, memories.NeverRaise, "the war", nil)
	if got := h.Column(t, "select topic from memory_limits"); !slices.Equal(got, []string{"the war"}) {
		t.Errorf("limits = %q", got)
	}
}

// nAIber's own cool-down neither shortens nor replaces what somebody else set, and
// is met by what people call an illness.
func TestCoolDownLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	p := h.Person(t, "Margaret", people.ScopeMemory)
	p.Conditions = []string{"Arthritis", "Type 2 diabetes", "gout", "angina"}
	if _, err := h.Store.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	until, year, tomorrow := time.Now().Add(limits.DefaultCoolDown), time.Now().AddDate(1, 0, 0), time.Now().AddDate(0, 0, 1)
	set(t, h, in, memories.CoolDown, "arthritis", &year)
	set(t, h, in, memories.CoolDown, "gout", &tomorrow)
	set(t, h, in, memories.NeverRaise, "angina", nil)
	for _, end := range []time.Time{until, until.Add(-time.Hour), until} {
		if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis and my diabetes.", "My gout, my angina."}, end); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"angina never_raise Margaret", "arthritis cool_down Margaret", "diabetes cool_down naiber", "gout cool_down Margaret", "gout cool_down naiber"}
	if got := h.Column(t, "select topic || ' ' || rule || ' ' || by from memory_limits order by 1"); !slices.Equal(got, want) {
		t.Errorf("limits = %q", got)
	}
	cooling, err := h.Store.MemoryLimitTopics(t.Context(), nil, []store.PersonID{p.ID}, year.Add(-time.Hour), memories.CoolDown)
	if err != nil || !slices.Equal(cooling, []string{"arthritis"}) {
		t.Errorf("cooling for a year: %q, %v", cooling, err)
	}
}

// Without consent to being remembered nothing is kept of what was spoken of.
func TestCoolDownWithoutConsent(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	p := h.Person(t, "Margaret", people.ScopeRecording)
	p.Conditions = []string{"arthritis"}
	if _, err := h.Store.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.CoolDown(t.Context(), p.ID, []string{"My arthritis is bad."}, time.Now().Add(limits.DefaultCoolDown)); err != nil {
		t.Fatal(err)
	}
	if got := h.Column(t, "select topic from memory_limits"); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
}
