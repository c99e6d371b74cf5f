package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// only returns settings with one list.
func only(name string) func(*search.Query) {
	set := search.DefaultSettings()
	set.Similarity = 0.1
	if name == search.ListKeyword {
		set.VectorWeight = 0
	} else {
		set.KeywordWeight = 0
	}
	return func(q *search.Query) { q.Settings = &set }
}

func TestWordsAreJoinedByOr(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	h.keep(t, talk(in, "two", november, "The postman's wife baked scones.")...)
	got := texts(h.ask(t, in, "Could you remind me what the dog did in that enormous thunderstorm?", only(search.ListKeyword)).Hits)
	if !slices.Equal(got, []string{"My dog chased a squirrel."}) {
		t.Errorf("found %q", got)
	}
}

func TestMeaningFindsOtherWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "The puppy bit me.")...)
	h.keep(t, talk(in, "two", november, "We had scones.")...)
	if got := h.ask(t, in, "terrier", only(search.ListKeyword)); len(got.Hits) != 0 {
		t.Errorf("by words alone: %q", texts(got.Hits))
	}
	got := h.ask(t, in, "terrier", only(search.ListVector))
	if len(got.Hits) == 0 || got.Hits[0].Text != "The puppy bit me." || !slices.Equal(got.Hits[0].Lists, []string{search.ListVector}) {
		t.Errorf("by meaning: %+v", got.Hits)
	}
	set := search.DefaultSettings()
	set.Similarity = 0.99
	if got := h.ask(t, in, "terrier", func(q *search.Query) { q.Settings = &set }); len(got.Hits) != 0 {
		t.Errorf("what only the vectors found must be close: %q", texts(got.Hits))
	}
	if got := h.ask(t, in, "puppy", func(q *search.Query) { q.Settings = &set }); len(got.Hits) == 0 {
		t.Error("what the words found need not be close")
	}
}

func TestListWithoutWeightCostsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	before := h.emb.calls
	h.ask(t, in, "dog", only(search.ListKeyword))
	if h.emb.calls != before {
		t.Error("the question was embedded for a list without weight")
	}
}

func TestAnswerBesideItsQuestion(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "call", november, "a: Good morning.", "Hello dear.", "a: Who looks after the garden?", "My neighbour does.",
		"a: Have you eaten?", "Porridge.", "a: Goodbye.", "Goodbye.")...)
	got := h.ask(t, in, "garden", only(search.ListKeyword), func(q *search.Query) { q.Limit = 2 })
	want := []string{"Who looks after the garden?", "My neighbour does."}
	if !slices.Equal(texts(got.Hits), want) {
		t.Fatalf("found %q, want %q", texts(got.Hits), want)
	}
	if s := got.Hits[1].Source; s[0] != got.Hits[1].ID || len(s) != 3 || got.Hits[1].Speaker != calls.RoleUser {
		t.Errorf("hit %+v", got.Hits[1])
	}
	all := h.ask(t, in, "garden", only(search.ListKeyword))
	seen := map[uuid.UUID]bool{}
	for _, hit := range all.Hits {
		if seen[hit.ID] {
			t.Errorf("%q comes twice", hit.Text)
		}
		seen[hit.ID] = true
		if hit.Block != 0 {
			t.Errorf("%q is not in the one stretch of conversation", hit.Text)
		}
	}
	if len(all.Hits) != 5 {
		t.Errorf("found %q, want the five turns around it", texts(all.Hits))
	}
}

func TestLimitBudgetExclude(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	for i := range 12 {
		h.keep(t, talk(in, fmt.Sprint("call", i), november.AddDate(0, 0, -i), "The garden again, "+strings.Repeat("well ", 20))...)
	}
	all := h.ask(t, in, "garden", func(q *search.Query) { q.Limit = 5 }).Hits
	if len(all) != 5 {
		t.Fatalf("found %d turns, want 5", len(all))
	}
	each := english.Tokens(all[0].Text) + 10
	if got := h.ask(t, in, "garden", func(q *search.Query) { q.BudgetTokens = 3*each + 1 }).Hits; len(got) != 3 {
		t.Errorf("%d turns in a budget for 3", len(got))
	}
	got := h.ask(t, in, "garden", func(q *search.Query) { q.Exclude = []uuid.UUID{all[0].ID} }).Hits
	if len(got) != 11 || slices.ContainsFunc(got, func(x search.Hit) bool { return x.ID == all[0].ID }) {
		t.Errorf("excluded turn, or too much, is missing or there: %d", len(got))
	}
}

func TestDatesBoostAndNeverFilter(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "then", november.AddDate(0, 0, -7), "The roses were out.")...)
	h.keep(t, talk(in, "later", november.AddDate(0, 0, -2), "The roses are gone.")...)
	h.keep(t, talk(in, "aside", november.AddDate(0, 0, -7), "I had soup.")...)
	got := h.ask(t, in, "What did I say of the roses last Tuesday?", only(search.ListKeyword))
	want := []string{"The roses were out.", "The roses are gone.", "I had soup."}
	have := texts(got.Hits)
	slices.Sort(have)
	sorted := slices.Sorted(slices.Values(want))
	if got.Hits[0].Text != want[0] || !slices.Equal(have, sorted) {
		t.Errorf("found %q", texts(got.Hits))
	}
	if !slices.Contains(got.Hits[0].Lists, search.ListDate) || !slices.Contains(got.Hits[0].Lists, search.ListKeyword) {
		t.Errorf("lists %q", got.Hits[0].Lists)
	}
}

func TestDegradesToWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	check := func(reason string, times float64) {
		t.Helper()
		got := h.ask(t, in, "dog")
		if len(got.Hits) != 1 || !slices.Equal(got.Degraded, []string{reason}) || h.degradedBy(t, reason) != times {
			t.Errorf("%q, degraded by %q, counted %v", texts(got.Hits), got.Degraded, h.degradedBy(t, reason))
		}
	}
	h.emb.fail(errAway)
	check("embedder", 1)
	h.emb.fail(nil)
	h.shelf.fail(vectors.ErrUnreachable)
	check("vectors", 1)
	h.shelf.fail(errAway) // whatever it is: a key that is refused, say
	check("vectors", 2)
	h.keep(t, talk(in, "two", november, "A fox came by.")...)
	if h.degradedBy(t, "index") != 1 {
		t.Error("a vector that could not be made is not counted")
	}
	h.shelf.fail(nil)
	if got := h.ask(t, in, "fox"); len(got.Hits) != 1 || len(got.Degraded) != 0 {
		t.Errorf("afterwards %q, %q", texts(got.Hits), got.Degraded)
	}
}

func TestNothingOfWhoDoesNotConsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	in.Project = uuid.New()
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	if got := h.ask(t, memory.Scope{Project: in.Project}, "dog"); len(got.Hits) != 1 {
		t.Fatalf("the project sees %q", texts(got.Hits))
	}
	if _, err := h.st.RevokeConsent(t.Context(), in.Person, people.ScopeMemory, "Margaret", "by telephone"); err != nil {
		t.Fatal(err)
	}
	for _, scope := range []memory.Scope{{Person: in.Person}, {Project: in.Project}, in} {
		if got := h.ask(t, scope, "dog"); len(got.Hits) != 0 {
			t.Errorf("found %q without consent", texts(got.Hits))
		}
		if got, err := h.List(t.Context(), scope, memory.Turn{}, 10); len(got) != 0 || err != nil {
			t.Errorf("listed %v, %v without consent", got, err)
		}
	}
	if _, err := h.Search(t.Context(), search.Query{Text: "dog"}); !errors.Is(err, memory.ErrEmptyScope) {
		t.Errorf("nobody's memory: %v", err)
	}
	if got := h.ask(t, memory.Scope{Person: store.NewPersonID()}, "dog"); len(got.Hits) != 0 {
		t.Errorf("an unknown person's memory: %q", texts(got.Hits))
	}
}

func TestLimitsAreKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "a: How is your brother?", "Still in prison, the poor soul.", "a: I see.", "The prison roses are nice.")...)
	h.keep(t, talk(in, "two", november, "My prison days, as a warden.")...)
	if got := h.ask(t, in, "prison"); !slices.Contains(texts(got.Hits), "Still in prison, the poor soul.") {
		t.Fatalf("found %q", texts(got.Hits))
	}
	past, ahead := november.Add(-time.Hour), november.Add(time.Hour)
	h.limit(t, in, memories.CoolDown, "warden", &past)
	h.limit(t, in, memories.CoolDown, "brothers", &ahead)
	got := texts(h.ask(t, in, "prison").Hits)
	slices.Sort(got)
	if !slices.Equal(got, []string{"I see.", "My prison days, as a warden.", "The prison roses are nice."}) {
		t.Errorf("found %q", got)
	}
	late := h.ask(t, in, "prison", func(q *search.Query) { q.Now = november.AddDate(0, 0, 1) })
	if !slices.Contains(texts(late.Hits), "Still in prison, the poor soul.") {
		t.Errorf("after the cool-down: %q", texts(late.Hits))
	}
}

func TestForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in, other := h.margaret(t), h.margaret(t)
	ids := h.keep(t, talk(in, "one", november, "a: Hello.", "My dog is called Biscuit.", "a: Nice.", "Yes.")...).IDs
	if n, err := h.Delete(t.Context(), other, ids...); n != 0 || err != nil {
		t.Fatalf("somebody else deleted %d, %v", n, err)
	}
	if n, err := h.Delete(t.Context(), in, ids[1], uuid.New()); n != 1 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	for _, list := range []string{search.ListKeyword, search.ListVector} {
		for _, hit := range h.ask(t, in, "What is my dog Biscuit called?", only(list)).Hits {
			if strings.Contains(hit.Text, "Biscuit") {
				t.Errorf("%s: %q", list, hit.Text)
			}
		}
	}
	if got := h.column(t, "select text from memory_windows union all select text from memory_turns union all select lexeme from memory_terms"); slices.ContainsFunc(got,
		func(s string) bool { return strings.Contains(strings.ToLower(s), "biscuit") }) {
		t.Errorf("it is still there: %q", got)
	}
	left, err := h.shelf.IDs(t.Context(), vectors.Scope{Person: in.Person.UUID})
	if windows := h.column(t, "select id::text from memory_windows"); err != nil || len(left) != len(windows) {
		t.Errorf("%d vectors of %d windows, %v", len(left), len(windows), err)
	}
	h.checkTerms(t)
}

func TestList(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "First.", "Second.", "Third.")...)
	page, err := h.List(t.Context(), in, memory.Turn{}, 2)
	if err != nil || len(page) != 2 || page[0].Text != "Third." {
		t.Fatalf("%v, %v", page, err)
	}
	if rest, err := h.List(t.Context(), in, page[1], 2); err != nil || len(rest) != 1 || rest[0].Text != "First." {
		t.Errorf("%v, %v", rest, err)
	}
	if _, err := h.List(t.Context(), memory.Scope{}, memory.Turn{}, 2); !errors.Is(err, memory.ErrEmptyScope) {
		t.Errorf("nobody's: %v", err)
	}
}

func TestMovedSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	session, from, to := uuid.New(), uuid.New(), uuid.New()
	h.keep(t, talk(memory.Scope{Session: session, Project: from}, "chat", november, "My dog chased a squirrel.")...)
	if err := h.Move(t.Context(), session, to); err != nil {
		t.Fatal(err)
	}
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{search.ListKeyword, search.ListVector} {
		if got := h.ask(t, memory.Scope{Project: from}, "dog", only(list)); len(got.Hits) != 0 {
			t.Errorf("%s: the old project sees %q", list, texts(got.Hits))
		}
		if got := h.ask(t, memory.Scope{Project: to}, "dog", only(list)); len(got.Hits) != 1 {
			t.Errorf("%s: the new project sees %q", list, texts(got.Hits))
		}
	}
	h.checkTerms(t)
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.Vectors, c.Embedder = nil, nil })
	for language, row := range map[string]struct{ config, said, asked string }{
		"de-AT": {"german", "Meine Katzen schlafen.", "Katze"},
		"tlh":   {"simple", "qagh wIsop", "qagh"},
	} {
		p := h.person(t, "Greta", people.ScopeMemory)
		p.Language = language
		if _, err := h.st.UpdatePerson(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		in := memory.Scope{Person: p.ID}
		h.keep(t, talk(in, "one", november, row.said)...)
		if got := h.column(t, "select config from memory_windows where person_id = $1", p.ID.UUID); !slices.Equal(got, []string{row.config}) {
			t.Errorf("%s is read as %q", language, got)
		}
		if got := h.ask(t, in, row.asked); len(got.Hits) != 1 {
			t.Errorf("%s: found %q", language, texts(got.Hits))
		}
	}
}

// What is long is cut to what answers the question, at a sentence, and marked;
// what is short stays whole.
func TestLongTurnsAreCutToTheBudget(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	filler := strings.Repeat("We sat by the window for a while. ", 200)
	h.keep(t, talk(in, "letter", november, filler+"The garden needs a new spade before spring. "+filler)...)
	for i := range 14 {
		h.keep(t, talk(in, fmt.Sprint("call", i), november.AddDate(0, 0, i-20), fmt.Sprintf("Letter %d about the garden. ", i)+filler)...)
	}
	h.keep(t, talk(in, "short", november.AddDate(0, 0, -30), "The garden is green.")...)
	got := h.ask(t, in, "What does the garden need, a spade?", func(q *search.Query) { q.Limit, q.BudgetTokens = 15, 1500 }).Hits
	if len(got) != 15 {
		t.Fatalf("found %d turns, want 15", len(got))
	}
	tokens := 0
	for _, hit := range got {
		tokens += english.Tokens(hit.Text) + 10
		if long := hit.Conversation != "short"; long != strings.HasSuffix(hit.Text, ". …") {
			t.Errorf("cut, and where: %q", hit.Text)
		}
		if hit.Conversation == "letter" && !strings.HasPrefix(hit.Text, "… ") {
			t.Errorf("cut at the beginning, and not marked: %q", hit.Text)
		}
	}
	if tokens > 1500 || tokens < 1000 {
		t.Errorf("%d tokens in a budget of 1500", tokens)
	}
	if all := strings.Join(texts(got), "\n"); !strings.Contains(all, "spade before spring") || !strings.Contains(all, "The garden is green.") {
		t.Errorf("what answers is cut away: %q", all)
	}
}

func TestSearchByMeaningAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	in := h.margaret(t)
	h.keep(t, talk(in, "one", november, "My dog chased a squirrel.")...)
	h.do(t, "alter table memory_terms rename to memory_terms_away")
	if got := h.ask(t, in, "puppy"); len(got.Hits) != 1 || !slices.Equal(got.Degraded, []string{"keywords"}) {
		t.Errorf("found %q, without %v", texts(got.Hits), got.Degraded)
	}
	if n := h.degradedBy(t, "keywords"); n != 1 {
		t.Errorf("counted %g times", n)
	}
	h.emb.fail(errAway)
	if got, err := h.Search(t.Context(), search.Query{Scope: in, Text: "puppy"}); !errors.Is(err, errAway) {
		t.Errorf("without either: %q, %v", texts(got.Hits), err)
	}
}
