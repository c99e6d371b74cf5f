package learn

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/people"
)

func TestFactsNeedSourcesAndTheirWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.call(t, tuesday,
		"a: How is Tom?",
		"My son Tom went to hospital yesterday.",
		"a: You have a lovely dog, I am told.",
		"I grow roses in the garden.")
	h.model.on(TaskFacts, facts(
		fact("Margaret's son Tom went to hospital yesterday", "health", 2),
		fact("Margaret grows roses in the garden", "like", 4, 99),
		fact("Margaret has a lovely dog", "pet", 3),                // only nAIber said so
		fact("Margaret grows tulips for the church", "like", 4),    // not what was said
		fact("Margaret's son Peter went to hospital", "health", 2), // another name
		fact("Margaret grows roses", "like"),                       // no source
		fact("", "like", 4),
	))
	h.learn(t, c)
	want := []string{"Margaret's son Tom went to hospital on Monday 2 November 2026", "Margaret grows roses in the garden"}
	if diff := cmp.Diff(want, h.known(t)); diff != "" {
		t.Fatal(diff)
	}
	from := h.column(t, "select (valid_from at time zone 'America/New_York')::text from memory_facts where text like '%Tom%'")
	if diff := cmp.Diff([]string{"2026-11-02 00:00:00"}, from); diff != "" {
		t.Error(diff)
	}
	sources := h.column(t, "select t.text from memory_fact_sources s join memory_turns t on t.id = s.turn_id join memory_facts f on f.id = s.fact_id where f.text like '%Tom%'")
	if diff := cmp.Diff([]string{"My son Tom went to hospital yesterday."}, sources); diff != "" {
		t.Error(diff)
	}
	// What was learned is found with the turns that it comes from.
	if extra := strings.Join(h.column(t, "select extra from memory_windows"), "\n"); !strings.Contains(extra, "grows roses in the garden") {
		t.Errorf("windows have %q", extra)
	}
}

func TestNewsClosesWhatWasTrue(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "came home") {
			return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom came home", "health", 1)}}, nil
		}
		dog := fact("Margaret looks after Tom's dog because Tom is in hospital", "routine", 1)
		dog.Because = []int{1}
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom is in hospital", "health", 1), dog}}, nil
	})
	h.learn(t, h.call(t, tuesday, "My son Tom is in hospital, so I look after Tom's dog, because Tom is in hospital."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 7), "My son Tom came home."))

	closed := h.column(t, `select f.text || ' <- ' || c.text || ' ' || (f.valid_to at time zone 'UTC')::date from memory_facts f
		join memory_facts c on c.id = f.closed_by where f.closed_at is not null`)
	if diff := cmp.Diff([]string{"Margaret's son Tom is in hospital <- Margaret's son Tom came home 2026-11-10"}, closed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Margaret looks after Tom's dog because Tom is in hospital"}, h.column(t, "select text from memory_facts where stale")); diff != "" {
		t.Error(diff)
	}
	r, err := h.Recollect(t.Context(), h.who, tuesday.AddDate(0, 0, 8), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Facts) != 1 || r.Facts[0].Text != "Margaret's son Tom came home" {
		t.Errorf("known: %v", r.Facts)
	}
}

func TestModelsVerdictsAreHeldToRules(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "parrot") {
			return FactsAnswer{Facts: []FactAnswer{fact("Margaret's neighbour Ann keeps a parrot in the garden", "person", 1)}}, nil
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom is in hospital", "health", 1), fact("Margaret likes the garden", "like", 2)}}, nil
	})
	h.model.on(TaskRevision, func(Task) (any, error) { // ends whatever it is shown
		return RevisionAnswer{Verdicts: []VerdictAnswer{{New: 1, Verdict: "DELETE", Old: []int{1, 2, 3, 77}}, {New: 9, Verdict: "PASS", Old: []int{1}}}}, nil
	})
	h.learn(t, h.call(t, tuesday, "My son Tom is in hospital.", "I like the garden."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "My neighbour Ann keeps a parrot in the garden."))
	if got := h.known(t); len(got) != 3 {
		t.Errorf("known: %q", got)
	}
	if h.model.times(TaskRevision) == 0 {
		t.Error("the model was not asked")
	}
}

func TestSaidAgainIsKnownOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, facts(fact("Margaret grows roses", "like", 1)))
	h.model.on(TaskRevision, func(Task) (any, error) { return nil, ErrBadAnswer }) // rules alone
	h.learn(t, h.call(t, tuesday, "I grow roses."))
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "I grow roses."))
	if got := h.column(t, "select text from memory_facts"); len(got) != 1 {
		t.Errorf("facts: %q", got)
	}
	if got := h.column(t, "select turn_id::text from memory_fact_sources"); len(got) != 2 {
		t.Errorf("%d sources", len(got))
	}
}

// What was in doubt, or over, holds again when it is said again: not by what was
// said before that, and not where a plan is only remembered.
func TestSaidAgainHoldsAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	later := tuesday.AddDate(0, 0, 7)
	const dog, home, trip = "Margaret looks after Tom's dog because Tom is in hospital", "Margaret's son Tom came home", "Susan visits Boston"
	h.model.on(TaskFacts, func(task Task) (any, error) {
		var out FactsAnswer
		for text, words := range map[string]string{"Margaret's son Tom is in hospital": "Tom is in hospital", home: "came home", "Margaret rests her knee": "rest my knee", trip: "visits Boston"} {
			if at := lines(task, words); len(at) > 0 {
				out.Facts = append(out.Facts, fact(text, "health", at...))
			}
		}
		slices.SortFunc(out.Facts, func(a, b FactAnswer) int { return strings.Compare(b.Text, a.Text) })
		for i, f := range out.Facts {
			if at := lines(task, "week"); f.Text == "Margaret rests her knee" && len(at) > 0 {
				out.Facts[i].TrueUntil = new("2026-11-05")
			}
			if f.Text == trip {
				out.Facts[i].Kind, out.Facts[i].TrueUntil = "plan", new("2026-11-05")
				if len(lines(task, "indeed")) > 0 {
					out.Facts[i].TrueUntil = nil
				}
			}
		}
		if at := lines(task, "dog"); len(at) > 0 {
			upon := fact(dog, "routine", at...)
			for i, f := range out.Facts {
				if strings.HasSuffix(f.Text, "hospital") {
					upon.Because = []int{i + 1}
				}
			}
			out.Facts = append(out.Facts, upon)
		}
		return out, nil
	})
	told := func(at time.Time) []string {
		t.Helper()
		r, err := h.Recollect(t.Context(), h.who, at, 10)
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		for _, f := range r.Facts {
			out = append(out, f.Text)
		}
		slices.Sort(out)
		return out
	}
	h.learn(t, h.call(t, tuesday, "My son Tom is in hospital.", "I look after Tom's dog because Tom is in hospital.", "I rest my knee for a week.", "Susan visits Boston."))
	between := h.call(t, tuesday.AddDate(0, 0, 1), "I look after Tom's dog because of the hospital.")
	h.learn(t, h.call(t, later, "My son Tom came home."))
	h.learn(t, between) // said before he came home
	if diff := cmp.Diff([]string{home}, told(later.AddDate(0, 0, 1))); diff != "" {
		t.Error(diff)
	}
	h.learn(t, h.call(t, later.AddDate(0, 0, 1), "I look after Tom's dog, as when Tom was in the hospital.", "I rest my knee.", "Susan visits Boston indeed."))
	want := []string{dog, home, "Margaret rests her knee"}
	slices.Sort(want)
	if diff := cmp.Diff(want, told(later.AddDate(0, 0, 2))); diff != "" {
		t.Error(diff)
	}
}

func TestAnEarlierCallReadLaterIsHistory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "came home") {
			return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom lives at home", "person", 1)}}, nil
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret's son Tom lives in Boston", "person", 1)}}, nil
	})
	first := h.call(t, tuesday, "My son Tom lives in Boston.")
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "My son Tom came home and lives at home."))
	h.learn(t, first)
	if diff := cmp.Diff([]string{"Margaret's son Tom lives at home"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutConsentNothingIsKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	walter := h.person(t, "Walter", people.ScopeCalls)
	h.model.on(TaskFacts, facts(fact("Walter grows roses", "like", 1)))
	h.learn(t, h.callOf(t, walter, tuesday, "I grow roses. Don't mention my brother."))
	if got := h.everything(t); len(got) != 0 {
		t.Errorf("kept: %q", got)
	}
	if h.model.asked != nil {
		t.Error("the model was told")
	}
}

func TestWhatIsNeverToBeStoredIsNot(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) { // makes it up, if it was not told
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret's brother drinks", "worry", lines(task, "")...), fact("Margaret grows roses", "like", lines(task, "roses")...)}}, nil
	})
	h.model.on(TaskNames, func(task Task) (any, error) {
		return NamesAnswer{Entities: []EntityAnswer{{Name: "my brother", Kind: "person", Turns: lines(task, "")}}}, nil
	})
	h.learn(t, h.call(t, tuesday, "My brother drinks.", "I grow roses.", "Please don't remember anything about my brother."))
	if diff := cmp.Diff([]string{"brothernever_store"}, h.column(t, "select topic || rule from memory_limits")); diff != "" {
		t.Error(diff)
	}
	for _, row := range h.everything(t) {
		if strings.Contains(row, "brother") && !strings.HasPrefix(row, "limit ") {
			t.Errorf("kept: %s", row)
		}
	}
	// A later call cannot bring it back.
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "My brother drinks.", "I grow roses."))
	if diff := cmp.Diff([]string{"Margaret grows roses"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
}

func TestForgetThat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.call(t, tuesday, "a: How are you?", "I owe my neighbour a lot of money.", "a: Oh dear.", "Please forget that.", "a: Of course.", "I grow roses.")
	h.learn(t, c)
	if diff := cmp.Diff([]string{"How are you?", "Of course.", "I grow roses."}, h.column(t, "select text from memory_turns order by seq")); diff != "" {
		t.Error(diff)
	}
	if len(h.eraser.asked) != 1 || len(h.eraser.asked[0].Turns) != 3 || len(h.eraser.asked[0].Utterances) != 4 {
		t.Errorf("asked to forget: %+v", h.eraser.asked)
	}
}

func TestForgetATopicReachesEarlierCalls(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.learn(t, h.call(t, tuesday, "My brother drinks.", "I grow roses."))
	c := h.call(t, tuesday.AddDate(0, 0, 1), "My brother fell.", "Could you forget what I told you about my brother?", "It is a sunny day.")
	h.eraser.err = errors.New("away")
	if err := h.Learn(t.Context(), c); err == nil {
		t.Fatal("a request that was not carried out counts as done")
	}
	h.eraser.err = nil
	h.learn(t, c)
	if diff := cmp.Diff([]string{"I grow roses.", "It is a sunny day."}, h.column(t, "select text from memory_turns order by at, seq")); diff != "" {
		t.Error(diff)
	}
}

// What is to be forgotten of a day, or altogether, is not kept first.
func TestForgetADayAndAll(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		say  []string
		want ForgetRequest
		left []string
	}{
		"today":      {[]string{"My brother drinks.", "Forget what I said today.", "I grow roses."}, ForgetRequest{Day: "2026-11-03"}, []string{"I grow roses."}},
		"yesterday":  {[]string{"My brother drinks.", "Forget what I said yesterday."}, ForgetRequest{Day: "2026-11-02"}, []string{"My brother drinks."}},
		"on Tuesday": {[]string{"Forget what I said on Tuesday."}, ForgetRequest{Day: "2026-10-27"}, []string{}},
		"all":        {[]string{"My brother drinks.", "Forget me.", "a: " + ForgetAllQuestion("en"), "Yes.", "a: Then I will."}, ForgetRequest{All: true}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.learn(t, h.call(t, tuesday, row.say...))
			if diff := cmp.Diff(row.left, h.column(t, "select text from memory_turns order by seq")); diff != "" {
				t.Error(diff)
			}
			if len(h.eraser.asked) != 1 || h.eraser.asked[0].Day != row.want.Day || h.eraser.asked[0].All != row.want.All {
				t.Errorf("asked to forget: %+v", h.eraser.asked)
			}
		})
	}
}

func TestModelAwayKeepsTurns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, facts(fact("Margaret grows roses", "like", 1)))
	h.model.on(TaskSummary, func(Task) (any, error) { return SummaryAnswer{Summary: "Margaret grows roses."}, nil })
	h.model.away(errAway)
	c := h.call(t, tuesday, "I grow roses. Don't mention my brother.")
	if err := h.Learn(t.Context(), c); !errors.Is(err, errAway) {
		t.Fatalf("err = %v", err)
	}
	if got := h.column(t, "select text from memory_turns"); len(got) != 1 {
		t.Errorf("turns: %q", got)
	}
	if got := h.column(t, "select topic from memory_limits"); !slices.Equal(got, []string{"brother"}) {
		t.Errorf("limits: %q", got)
	}
	h.model.away(nil)
	h.learn(t, c)
	if diff := cmp.Diff([]string{"Margaret grows roses"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
}

func TestALimitOnWhatWasOnlyPointedAt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.call(t, tuesday, "a: How is your brother?", "Don't bring that up again.", "a: Of course not.")
	h.model.away(errAway)
	if err := h.Learn(t.Context(), c); !errors.Is(err, errAway) {
		t.Fatalf("err = %v", err)
	}
	if got := h.column(t, "select text from memory_turns"); len(got) != 3 {
		t.Errorf("kept while the model is away: %q", got)
	}
	h.model.away(nil)
	h.model.on(TaskTopic, func(Task) (any, error) { return TopicAnswer{Topic: "Your brother"}, nil })
	h.learn(t, c)
	h.model.on(TaskTopic, func(Task) (any, error) { return TopicAnswer{Topic: "the war"}, nil }) // nobody spoke of it
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "a: How is your sister?", "Don't bring that up again."))
	if diff := cmp.Diff([]string{"brother never_raise"}, h.column(t, "select topic || ' ' || rule from memory_limits")); diff != "" {
		t.Error(diff)
	}
}
