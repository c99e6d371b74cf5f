package learn

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestNamesAreOneUnderAllTheirAliases(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskNames, func(task Task) (any, error) {
		if strings.Contains(task.User, "Thomas") {
			return NamesAnswer{Entities: []EntityAnswer{
				{Name: "Thomas", Kind: "person", Aliases: []string{"my boy"}, Notes: "works in Boston", Known: new(1), Turns: []int{1}},
				{Name: "Biscuit", Kind: "pet", Known: new(1), Turns: []int{2}},    // not a person
				{Name: "Peter", Kind: "person", Turns: []int{1}},                  // nobody said so
				{Name: "Margaret", Kind: "person", Turns: []int{1}},               // herself
				{Name: "Boston", Kind: "place", Turns: []int{1}, Notes: "a port"}, // a note that nobody said
			}, Relations: []RelationAnswer{
				{From: "Thomas", Label: "works in", To: "Boston", Turns: []int{1}},
				{From: "PERSON", Label: "son", To: "Thomas", Turns: []int{1}}, // known already
				{From: "Thomas", Label: "knows", To: "Nobody", Turns: []int{1}},
			}}, nil
		}
		return NamesAnswer{
			Entities:  []EntityAnswer{{Name: "Tom", Kind: "person", Aliases: []string{"my son", "Tommy"}, Turns: []int{1}}},
			Relations: []RelationAnswer{{From: "PERSON", Label: "Son", To: "Tom", Turns: []int{1}}},
		}, nil
	})
	h.learn(t, h.call(t, tuesday, "My son Tom called."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Thomas, my boy, works in Boston.", "Biscuit the dog barks. Margaret is my name."))

	want := []string{"Biscuit|pet||biscuit", "Boston|place||boston", "Margaret|person||margaret,margaret miller", "Tom|person|works in Boston|boy,son,thomas,tom"}
	got := h.column(t, `select name || '|' || kind || '|' || notes || '|' ||
		(select string_agg(alias, ',' order by alias) from memory_aliases where entity_id = e.id) from memory_entities e order by name`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	g, err := h.svc.Around(t.Context(), memories.Scope{Person: h.who.ID}, "How is Tom's work?")
	if err != nil {
		t.Fatal(err)
	}
	text := FormatGraph(g.Graph)
	for _, line := range []string{"- Tom (person): works in Boston\n  → works_in Boston (place)\n", "- Margaret (person)\n  → son Tom (person)\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("graph lacks %q:\n%s", line, text)
		}
	}
	if n := strings.Count(text, "→ son"); n != 1 {
		t.Errorf("%d times the son:\n%s", n, text)
	}

	// Nobody else sees it, and what is not to be raised is not in it.
	walter := h.person(t, "Walter", people.ScopeMemory)
	if g, err := h.svc.Around(t.Context(), memories.Scope{Person: walter.ID}, "How is Tom's work?"); err != nil || len(g.Graph.Nodes) > 0 {
		t.Errorf("Walter sees %v, %v", g, err)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 2), "Please don't mention Boston again."))
	g, err = h.svc.Around(t.Context(), memories.Scope{Person: h.who.ID}, "How is Tom's work?")
	if err != nil || strings.Contains(FormatGraph(g.Graph), "Boston") {
		t.Errorf("raised: %s, %v", FormatGraph(g.Graph), err)
	}
}

func TestARelationEndsWithItsFact(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "Chicago") {
			return FactsAnswer{Facts: []FactAnswer{fact("Tom moved to Chicago", "person", 1)}}, nil
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Tom lives in Boston", "person", 1)}}, nil
	})
	h.model.on(TaskNames, func(task Task) (any, error) {
		if strings.Contains(task.User, "Chicago") {
			return NamesAnswer{}, nil
		}
		return NamesAnswer{
			Entities:  []EntityAnswer{{Name: "Tom", Kind: "person", Turns: []int{1}}, {Name: "Boston", Kind: "place", Turns: []int{1}}},
			Relations: []RelationAnswer{{From: "Tom", Label: "lives in", To: "Boston", Turns: []int{1}}},
		}, nil
	})
	h.learn(t, h.call(t, tuesday, "Tom lives in Boston."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Tom moved to Chicago."))
	if got := h.column(t, "select label from memory_relations where valid_to is null"); len(got) != 0 {
		t.Errorf("still true: %q", got)
	}
	if got := h.column(t, "select label from memory_relations where valid_to is not null"); len(got) != 1 {
		t.Errorf("history: %q", got)
	}
}

// What somebody was is not what they are: neither when the news says it of them,
// nor when only a fact does, nor when an old call is read late.
func TestNotesSayWhatIsTrueNow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	note := "in hospital"
	h.model.on(TaskFacts, func(task Task) (any, error) {
		switch {
		case strings.Contains(task.User, "came home"):
			return FactsAnswer{Facts: []FactAnswer{fact("Tom came home", "health", 1)}}, nil
		case strings.Contains(task.User, "Tom is in hospital"):
			return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom is in hospital", "health", 1)}}, nil
		}
		return FactsAnswer{}, nil
	})
	h.model.on(TaskNames, func(Task) (any, error) {
		return NamesAnswer{Entities: []EntityAnswer{{Name: "Tom", Kind: "person", Notes: note, Turns: []int{1}}}}, nil
	})
	notes := func() string {
		return strings.Join(h.column(t, "select notes from memory_entities where name = 'Tom'"), "|")
	}
	h.learn(t, h.call(t, tuesday, "My son Tom is in hospital."))
	late := h.call(t, tuesday.Add(time.Hour), "Tom is in a ward by the river.")
	note = "her oldest son"
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Tom is my oldest son."))
	note = ""
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 2), "Tom came home."))
	if got := notes(); got != "her oldest son" {
		t.Errorf("after the fact: %q", got)
	}
	note = "in a ward"
	h.learn(t, late)
	if got := notes(); got != "her oldest son" {
		t.Errorf("after the old call: %q", got)
	}
	note = "lives in Boston"
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 3), "Tom lives in Boston."))
	note = "moved to Chicago"
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 4), "Tom moved to Chicago."))
	if got := notes(); got != "her oldest son; moved to Chicago" {
		t.Errorf("after the news: %q", got)
	}
}

// A relation that stands on no fact gets the one that says it, and ends by one
// that speaks against it.
func TestARelationWithoutAFactEndsAsWell(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	text := map[string]string{"in Dover": "Ann works in Dover", "Chicago": "Tom moved to Chicago"}
	h.model.on(TaskFacts, func(task Task) (any, error) {
		for words, f := range text {
			if strings.Contains(task.User, words) && !strings.Contains(task.User, "Oh yes") {
				return FactsAnswer{Facts: []FactAnswer{fact(f, "person", 1)}}, nil
			}
		}
		return FactsAnswer{}, nil
	})
	h.model.on(TaskNames, func(task Task) (any, error) {
		if strings.Contains(task.User, "Chicago") {
			return NamesAnswer{}, nil
		}
		if strings.Contains(task.User, "Ann") {
			return NamesAnswer{
				Entities:  []EntityAnswer{{Name: "Ann", Kind: "person", Turns: []int{1}}, {Name: "Dover", Kind: "place", Turns: []int{1}}},
				Relations: []RelationAnswer{{From: "Ann", Label: "works in", To: "Dover", Turns: []int{1}}},
			}, nil
		}
		return NamesAnswer{
			Entities: []EntityAnswer{{Name: "Tom", Kind: "person", Turns: []int{1}}, {Name: "Boston", Kind: "place", Turns: []int{1}}},
			Relations: []RelationAnswer{
				{From: "Tom", Label: "lives in", To: "Boston", Turns: []int{1}}, {From: "PERSON", Label: "son", To: "Tom", Turns: []int{1}},
			},
		}, nil
	})
	h.learn(t, h.call(t, tuesday, "Tom, my son, is in Boston."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Tom moved to Chicago."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 2), "Oh yes, Ann works in Dover."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 3), "Ann works in Dover."))
	if diff := cmp.Diff([]string{"son", "works_in Ann works in Dover"}, h.column(t, `select trim(label || ' ' || coalesce(f.text, '')) from memory_relations r
		left join memory_facts f on f.id = r.fact_id where r.valid_to is null order by label`)); diff != "" {
		t.Error(diff)
	}
	if got := h.column(t, "select label || ' ' || (valid_to at time zone 'UTC')::date from memory_relations where valid_to is not null"); !cmp.Equal(got, []string{"lives_in 2026-11-04"}) {
		t.Errorf("history: %q", got)
	}
}

func TestPromisesComeDueAndAreSettled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskPromises, func(task Task) (any, error) {
		if !strings.Contains(task.User, "eye visit") {
			return PromisesAnswer{}, nil
		}
		return PromisesAnswer{Promises: []PromiseAnswer{
			{Text: "how the eye visit went", Kind: "appointment", Repeat: "never", Turns: []int{1}},
			{Text: "Susan's birthday", Kind: "birthday", Repeat: "never", Turns: []int{2}},
			{Text: "the trip to the moon", Kind: "follow_up", Repeat: "never", Turns: []int{1}},
			{Text: "Ann's birthday", Kind: "birthday", Repeat: "yearly", Turns: []int{3}}, // no day
		}}, nil
	})
	c := h.call(t, tuesday, "I have an eye visit at the clinic on Friday.", "My daughter Susan's birthday is the 12th of March.", "Ann's birthday was nice.")
	h.learn(t, c)
	want := []string{"how the eye visit went|2026-11-06|", "Susan's birthday|2027-03-12|FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=12"}
	if diff := cmp.Diff(want, h.column(t, "select text || '|' || due_on || '|' || recurrence from memory_promises order by due_on")); diff != "" {
		t.Fatal(diff)
	}
	due := func(at time.Time) []DuePromise {
		t.Helper()
		r, err := h.Recollect(t.Context(), h.who, at, 5)
		if err != nil {
			t.Fatal(err)
		}
		return r.Promises
	}
	if d := due(tuesday.AddDate(0, 0, 1)); len(d) != 0 {
		t.Errorf("due too early: %v", d)
	}
	saturday := tuesday.AddDate(0, 0, 4)
	d := due(saturday)
	if len(d) != 1 || d[0].Line(saturday) != "how the eye visit went (yesterday)" {
		t.Fatalf("due: %v", d)
	}

	// A call that nobody answers leaves it for the next one.
	use := func(said ...string) {
		t.Helper()
		c := h.call(t, saturday, said...)
		if _, err := h.st.UseMemoryPromises(t.Context(), h.who.ID, c.ID, saturday, []uuid.UUID{d[0].ID}); err != nil {
			t.Fatal(err)
		}
		if again := due(saturday); len(again) != 0 {
			t.Errorf("offered twice: %v", again)
		}
		h.learn(t, c)
	}
	use()
	if again := due(saturday); len(again) != 1 {
		t.Fatalf("lost: %v", again)
	}
	use("a: How did your visit go, with the eyes?", "Very well.")
	if got := h.column(t, "select status from memory_promises order by due_on"); !cmp.Equal(got, []string{"kept", "open"}) {
		t.Errorf("status: %q", got)
	}
	if d := due(time.Date(2027, 3, 12, 15, 0, 0, 0, time.UTC)); len(d) != 1 || d[0].Kind != "birthday" {
		t.Errorf("birthday: %v", d)
	}
	h.learn(t, h.call(t, saturday, "Don't mention Susan."))
	if d := due(time.Date(2027, 3, 12, 15, 0, 0, 0, time.UTC)); len(d) != 0 {
		t.Errorf("raised: %v", d)
	}
}

func TestSummaryOfAPerson(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) {
		c.Summaries = SummarySettings{ThresholdTokens: 60, MinTurnsSince: 6, MaxSummaryTokens: 20}
	})
	var told []string
	answer := "Margaret grows flowers."
	h.model.on(TaskSummary, func(task Task) (any, error) {
		if task.System == personTask {
			told = append(told, task.User)
			return SummaryAnswer{Summary: answer}, nil
		}
		return SummaryAnswer{Summary: "They talked."}, nil
	})
	count := func() int { return len(h.column(t, "select text from memory_summaries")) }
	h.learn(t, h.call(t, tuesday, chatter(4)...))
	if count() != 0 {
		t.Fatal("summed up after a few words")
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), append(chatter(6), "My brother drinks.", "Don't mention my brother.")...))
	if count() != 1 || strings.Contains(told[0], "SUMMARY SO FAR") || strings.Contains(told[0], "drinks") {
		t.Fatalf("%d summaries; told: %q", count(), told)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 2), "Hello.", "Goodbye."))
	if count() != 1 {
		t.Error("made anew after a few words")
	}
	answer = strings.Repeat("Margaret grows many flowers. ", 8)
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 3), chatter(8)...))
	if len(told) != 2 || !strings.Contains(told[1], "SUMMARY SO FAR\n«Margaret grows flowers.»") {
		t.Fatalf("told: %q", told)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 4), chatter(8)...))
	if len(told) != 3 || strings.Contains(told[2], "SUMMARY SO FAR") {
		t.Fatalf("an expired summary is gone on from: %q", told[2])
	}
	sum, ok, err := h.st.PersonSummary(t.Context(), nil, h.who.ID)
	if err != nil || !ok || sum.Turns != 4+8+2+8+8 || sum.FromTurn == uuid.Nil {
		t.Errorf("summary %+v, %t, %v", sum, ok, err)
	}
}

// A summary that is not true any more is not waited with until enough is new.
func TestASummaryExpiresWithItsFacts(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.Summaries = SummarySettings{ThresholdTokens: 60, MinTurnsSince: 6} })
	h.model.on(TaskFacts, func(task Task) (any, error) {
		var out FactsAnswer
		for text, words := range map[string]string{"Tom is in hospital": "is in hospital", "Tom came home": "came home"} {
			if at := lines(task, words); len(at) > 0 {
				out.Facts = append(out.Facts, fact(text, "health", at...))
			}
		}
		return out, nil
	})
	h.model.on(TaskSummary, func(task Task) (any, error) {
		if strings.Contains(task.User, "came home") {
			return SummaryAnswer{Summary: "Tom came home."}, nil
		}
		return SummaryAnswer{Summary: "Tom is in hospital."}, nil
	})
	summary := func() string {
		t.Helper()
		r, err := h.Recollect(t.Context(), h.who, tuesday.AddDate(0, 0, 9), 10)
		if err != nil {
			t.Fatal(err)
		}
		return r.Summary
	}
	h.learn(t, h.call(t, tuesday, append(chatter(8), "Tom is in hospital.")...))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Hello."))
	if got, want := summary(), "Tom is in hospital. (as of Tuesday 3 November 2026)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 2), "Tom came home."))
	if got, want := summary(), "Tom came home. (as of Thursday 5 November 2026)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 3), "Hello."))
	if got := h.column(t, "select text from memory_summaries"); len(got) != 2 {
		t.Errorf("summaries: %q", got)
	}
}
