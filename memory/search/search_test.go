package search_test

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
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestWordsAreJoinedByOr(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "The postman's wife baked scones.")...)
	got := memtest.Texts(h.Ask(t, in, "Could you remind me what the dog did in that enormous thunderstorm?", memtest.Only(search.ListKeyword)).Hits)
	if !slices.Equal(got, []string{"My dog chased a squirrel."}) {
		t.Errorf("found %q", got)
	}
}

func TestMeaningFindsOtherWords(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "The puppy bit me.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "We had scones.")...)
	if got := h.Ask(t, in, "terrier", memtest.Only(search.ListKeyword)); len(got.Hits) != 0 {
		t.Errorf("by words alone: %q", memtest.Texts(got.Hits))
	}
	got := h.Ask(t, in, "terrier", memtest.Only(search.ListVector))
	if len(got.Hits) == 0 || got.Hits[0].Text != "The puppy bit me." || !slices.Equal(got.Hits[0].Lists, []string{search.ListVector}) {
		t.Errorf("by meaning: %+v", got.Hits)
	}
	set := search.DefaultSettings()
	set.Similarity = 0.99
	if got := h.Ask(t, in, "terrier", func(q *search.Query) { q.Settings = &set }); len(got.Hits) != 0 {
		t.Errorf("what only the vectors found must be close: %q", memtest.Texts(got.Hits))
	}
	if got := h.Ask(t, in, "puppy", func(q *search.Query) { q.Settings = &set }); len(got.Hits) == 0 {
		t.Error("what the words found need not be close")
	}
}

func TestListWithoutWeightCostsNothing(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	before := h.Embedder.Calls
	h.Ask(t, in, "dog", memtest.Only(search.ListKeyword))
	if h.Embedder.Calls != before {
		t.Error("the question was embedded for a list without weight")
	}
}

func TestAnswerBesideItsQuestion(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "call", memtest.November, "a: Good morning.", "Hello dear.", "a: Who looks after the garden?", "My neighbour does.",
		"a: Have you eaten?", "Porridge.", "a: Goodbye.", "Goodbye.")...)
	got := h.Ask(t, in, "garden", memtest.Only(search.ListKeyword), func(q *search.Query) { q.Limit = 2 })
	want := []string{"Who looks after the garden?", "My neighbour does."}
	if !slices.Equal(memtest.Texts(got.Hits), want) {
		t.Fatalf("found %q, want %q", memtest.Texts(got.Hits), want)
	}
	if s := got.Hits[1].Source; s[0] != got.Hits[1].ID || len(s) != 3 || got.Hits[1].Speaker != calls.RoleUser {
		t.Errorf("hit %+v", got.Hits[1])
	}
	all := h.Ask(t, in, "garden", memtest.Only(search.ListKeyword))
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
		t.Errorf("found %q, want the five turns around it", memtest.Texts(all.Hits))
	}
}

// TestBeginningsCompete has news told first thing in a call found before a remark
// in the midst of another.
func TestBeginningsCompete(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "The surgeon replaced my knee.", "a: Oh my.", "Well.", "a: Rest now.", "I do.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "Morning.", "a: Hello.", "The knee of my trousers is torn.", "a: Oh.", "Well.")...)
	got := h.Ask(t, in, "Who replaced the knee?", memtest.Only(search.ListKeyword), func(q *search.Query) { q.Limit = 1 }).Hits
	if len(got) != 1 || got[0].Text != "The surgeon replaced my knee." {
		t.Errorf("found %q", memtest.Texts(got))
	}
}

// TestSpeakersNamedFirst prefers what was said by whom the question names.
func TestSpeakersNamedFirst(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	turns := memtest.Talk(in, "visit", memtest.November, "The garden needs rain.", "The garden wants weeding.", "The garden is too big.")
	for i, name := range []string{"Edith Crane", "Margaret", "Lionel"} {
		turns[i].Name = name
	}
	h.MustKeep(t, turns...)
	for question, want := range map[string]string{
		"What did Edith say of the garden?":       turns[0].Text,
		"What was Margaret's idea of the garden?": turns[1].Text,
		"Did LIONEL mention the garden?":          turns[2].Text,
	} {
		got := h.Ask(t, in, question, memtest.Only(search.ListKeyword), func(q *search.Query) { q.Limit = 1 }).Hits
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("%q finds %q, want %q", question, memtest.Texts(got), want)
		}
	}
}

func TestLimitBudgetExclude(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	for i := range 12 {
		h.MustKeep(t, memtest.Talk(in, fmt.Sprint("call", i), memtest.November.AddDate(0, 0, -i), "The garden again, "+strings.Repeat("well ", 20))...)
	}
	all := h.Ask(t, in, "garden", func(q *search.Query) { q.Limit = 5 }).Hits
	if len(all) != 5 {
		t.Fatalf("found %d turns, want 5", len(all))
	}
	each := english.Tokens(all[0].Text) + 10
	if got := h.Ask(t, in, "garden", func(q *search.Query) { q.BudgetTokens = 3*each + 1 }).Hits; len(got) != 3 {
		t.Errorf("%d turns in a budget for 3", len(got))
	}
	got := h.Ask(t, in, "garden", func(q *search.Query) { q.Exclude = []uuid.UUID{all[0].ID} }).Hits
	if len(got) != 11 || slices.ContainsFunc(got, func(x search.Hit) bool { return x.ID == all[0].ID }) {
		t.Errorf("excluded turn, or too much, is missing or there: %d", len(got))
	}
}

func TestDatesBoostAndNeverFilter(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "then", memtest.November.AddDate(0, 0, -7), "The roses were out.")...)
	h.MustKeep(t, memtest.Talk(in, "later", memtest.November.AddDate(0, 0, -2), "The roses are gone.")...)
	h.MustKeep(t, memtest.Talk(in, "aside", memtest.November.AddDate(0, 0, -7), "I had soup.")...)
	got := h.Ask(t, in, "What did I say of the roses last Tuesday?", memtest.Only(search.ListKeyword))
	want := []string{"The roses were out.", "The roses are gone.", "I had soup."}
	have := memtest.Texts(got.Hits)
	slices.Sort(have)
	sorted := slices.Sorted(slices.Values(want))
	if got.Hits[0].Text != want[0] || !slices.Equal(have, sorted) {
		t.Errorf("found %q", memtest.Texts(got.Hits))
	}
	if !slices.Contains(got.Hits[0].Lists, search.ListDate) || !slices.Contains(got.Hits[0].Lists, search.ListKeyword) {
		t.Errorf("lists %q", got.Hits[0].Lists)
	}
}

func TestDegradesToWords(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	check := func(reason string, times float64) {
		t.Helper()
		got := h.Ask(t, in, "dog")
		if len(got.Hits) != 1 || !slices.Equal(got.Degraded, []string{reason}) || h.DegradedBy(t, reason) != times {
			t.Errorf("%q, degraded by %q, counted %v", memtest.Texts(got.Hits), got.Degraded, h.DegradedBy(t, reason))
		}
	}
	h.Embedder.Fail(memtest.ErrAway)
	check("embedder", 1)
	h.Embedder.Fail(nil)
	h.Vectors.Fail(vectors.ErrUnreachable)
	check("vectors", 1)
	h.Vectors.Fail(memtest.ErrAway) // whatever it is: a key that is refused, say
	check("vectors", 2)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "A fox came by.")...)
	if h.DegradedBy(t, "index") != 1 {
		t.Error("a vector that could not be made is not counted")
	}
	h.Vectors.Fail(nil)
	if got := h.Ask(t, in, "fox"); len(got.Hits) != 1 || len(got.Degraded) != 0 {
		t.Errorf("afterwards %q, %q", memtest.Texts(got.Hits), got.Degraded)
	}
}

func TestNothingOfWhoDoesNotConsent(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	in.Project = uuid.New()
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	if got := h.Ask(t, memory.Scope{Project: in.Project}, "dog"); len(got.Hits) != 1 {
		t.Fatalf("the project sees %q", memtest.Texts(got.Hits))
	}
	if _, err := h.Store.RevokeConsent(t.Context(), in.Person, people.ScopeMemory, "Margaret", "by telephone"); err != nil {
		t.Fatal(err)
	}
	for _, scope := range []memory.Scope{{Person: in.Person}, {Project: in.Project}, in} {
		if got := h.Ask(t, scope, "dog"); len(got.Hits) != 0 {
			t.Errorf("found %q without consent", memtest.Texts(got.Hits))
		}
		if got, err := h.List(t.Context(), scope, memory.Turn{}, 10); len(got) != 0 || err != nil {
			t.Errorf("listed %v, %v without consent", got, err)
		}
	}
	if _, err := h.Search(t.Context(), search.Query{Text: "dog"}); !errors.Is(err, memory.ErrEmptyScope) {
		t.Errorf("nobody's memory: %v", err)
	}
	if got := h.Ask(t, memory.Scope{Person: store.NewPersonID()}, "dog"); len(got.Hits) != 0 {
		t.Errorf("an unknown person's memory: %q", memtest.Texts(got.Hits))
	}
}

func TestLimitsAreKept(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "a: How is your brother?", "Still in prison, the poor soul.", "a: I see.", "The prison roses are nice.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November, "My prison days, as a warden.")...)
	if got := h.Ask(t, in, "prison"); !slices.Contains(memtest.Texts(got.Hits), "Still in prison, the poor soul.") {
		t.Fatalf("found %q", memtest.Texts(got.Hits))
	}
	past, ahead := memtest.November.Add(-time.Hour), memtest.November.Add(time.Hour)
	h.Limit(t, in, memories.CoolDown, "warden", &past)
	h.Limit(t, in, memories.CoolDown, "brothers", &ahead)
	got := memtest.Texts(h.Ask(t, in, "prison").Hits)
	slices.Sort(got)
	if !slices.Equal(got, []string{"I see.", "My prison days, as a warden.", "The prison roses are nice."}) {
		t.Errorf("found %q", got)
	}
	late := h.Ask(t, in, "prison", func(q *search.Query) { q.Now = memtest.November.AddDate(0, 0, 1) })
	if !slices.Contains(memtest.Texts(late.Hits), "Still in prison, the poor soul.") {
		t.Errorf("after the cool-down: %q", memtest.Texts(late.Hits))
	}
}

func TestForgotten(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in, other := h.Margaret(t), h.Margaret(t)
	ids := h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "a: Hello.", "My dog is called Biscuit.", "a: Nice.", "Yes.")...).IDs
	if n, err := h.Delete(t.Context(), other, ids...); n != 0 || err != nil {
		t.Fatalf("somebody else deleted %d, %v", n, err)
	}
	if n, err := h.Delete(t.Context(), in, ids[1], uuid.New()); n != 1 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	for _, list := range []string{search.ListKeyword, search.ListVector} {
		for _, hit := range h.Ask(t, in, "What is my dog Biscuit called?", memtest.Only(list)).Hits {
			if strings.Contains(hit.Text, "Biscuit") {
				t.Errorf("%s: %q", list, hit.Text)
			}
		}
	}
	if got := h.Column(t, "select text from memory_windows union all select text from memory_turns union all select lexeme from memory_terms"); slices.ContainsFunc(got,
		func(s string) bool { return strings.Contains(strings.ToLower(s), "biscuit") }) {
		t.Errorf("it is still there: %q", got)
	}
	left, err := h.Vectors.IDs(t.Context(), vectors.Scope{Person: in.Person.UUID})
	if windows := h.Column(t, "select id::text from memory_windows"); err != nil || len(left) != len(windows) {
		t.Errorf("%d vectors of %d windows, %v", len(left), len(windows), err)
	}
	h.CheckTerms(t)
}

func TestList(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "First.", "Second.", "Third.")...)
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
	h := memtest.New(t, nil)
	session, from, to := uuid.New(), uuid.New(), uuid.New()
	h.MustKeep(t, memtest.Talk(memory.Scope{Session: session, Project: from}, "chat", memtest.November, "My dog chased a squirrel.")...)
	if err := h.Move(t.Context(), session, to); err != nil {
		t.Fatal(err)
	}
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{search.ListKeyword, search.ListVector} {
		if got := h.Ask(t, memory.Scope{Project: from}, "dog", memtest.Only(list)); len(got.Hits) != 0 {
			t.Errorf("%s: the old project sees %q", list, memtest.Texts(got.Hits))
		}
		if got := h.Ask(t, memory.Scope{Project: to}, "dog", memtest.Only(list)); len(got.Hits) != 1 {
			t.Errorf("%s: the new project sees %q", list, memtest.Texts(got.Hits))
		}
	}
	h.CheckTerms(t)
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.Vectors, c.Embedder = nil, nil })
	for language, row := range map[string]struct{ config, said, asked string }{
		"de-AT": {"german", "Meine Katzen schlafen.", "Katze"},
		"tlh":   {"simple", "qagh wIsop", "qagh"},
	} {
		p := h.Person(t, "Greta", people.ScopeMemory)
		p.Language = language
		if _, err := h.Store.UpdatePerson(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		in := memory.Scope{Person: p.ID}
		h.MustKeep(t, memtest.Talk(in, "one", memtest.November, row.said)...)
		if got := h.Column(t, "select config from memory_windows where person_id = $1", p.ID.UUID); !slices.Equal(got, []string{row.config}) {
			t.Errorf("%s is read as %q", language, got)
		}
		if got := h.Ask(t, in, row.asked); len(got.Hits) != 1 {
			t.Errorf("%s: found %q", language, memtest.Texts(got.Hits))
		}
	}
}

// What is long is cut to what answers the question, at a sentence, and marked;
// what is short stays whole.
func TestLongTurnsAreCutToTheBudget(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	filler := strings.Repeat("We sat by the window for a while. ", 200)
	h.MustKeep(t, memtest.Talk(in, "letter", memtest.November, filler+"The garden needs a new spade before spring. "+filler)...)
	for i := range 13 {
		h.MustKeep(t, memtest.Talk(in, fmt.Sprint("call", i), memtest.November.AddDate(0, 0, i-20), fmt.Sprintf("Letter %d about the garden. ", i)+filler)...)
	}
	h.MustKeep(t, memtest.Talk(in, "short", memtest.November.AddDate(0, 0, -30), "The garden is green.")...)
	got := h.Ask(t, in, "What does the garden need, a spade?", func(q *search.Query) { q.Limit, q.BudgetTokens = 15, 1500 }).Hits
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
	if all := strings.Join(memtest.Texts(got), "\n"); !strings.Contains(all, "spade before spring") || !strings.Contains(all, "The garden is green.") {
		t.Errorf("what answers is cut away: %q", all)
	}
}

func TestSearchByMeaningAlone(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	h.Exec(t, "alter table memory_terms rename to memory_terms_away")
	if got := h.Ask(t, in, "puppy"); len(got.Hits) != 1 || !slices.Equal(got.Degraded, []string{"keywords"}) {
		t.Errorf("found %q, without %v", memtest.Texts(got.Hits), got.Degraded)
	}
	if n := h.DegradedBy(t, "keywords"); n != 1 {
		t.Errorf("counted %g times", n)
	}
	h.Embedder.Fail(memtest.ErrAway)
	if got, err := h.Search(t.Context(), search.Query{Scope: in, Text: "puppy"}); !errors.Is(err, memtest.ErrAway) {
		t.Errorf("without either: %q, %v", memtest.Texts(got.Hits), err)
	}
}
