package evaluation

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// TestSet holds the set to what it promises.
func TestSet(t *testing.T) {
	t.Parallel()
	all := load(t)
	if len(all) < 10 {
		t.Errorf("%d people, want at least 10", len(all))
	}
	kinds, questions := map[Kind]int{}, 0
	answerable, inOtherWords := 0, 0
	for _, e := range all {
		if len(e.Calls) < 15 {
			t.Errorf("%s: %d calls, want at least 15", e.Name, len(e.Calls))
		}
		checkCalls(t, e)
		checkQuestions(t, e)
		for _, q := range e.Questions {
			kinds[q.Kind]++
			questions++
			if q.Kind.Answerable() {
				answerable++
			}
			if q.Kind.Answerable() && e.InOtherWords(q) {
				inOtherWords++
			}
		}
	}
	if questions < 300 {
		t.Errorf("%d questions, want at least 300", questions)
	}
	// Most people name what they ask for; a good many do not.
	if share := float64(inOtherWords) / float64(answerable); share < 0.25 || share > 0.4 {
		t.Errorf("%d of %d questions are in other words than an answer to them, want a quarter to two fifths", inOtherWords, answerable)
	}
	for _, k := range Kinds {
		if kinds[k] < 20 {
			t.Errorf("%d questions of kind %s, want at least 20", kinds[k], k)
		}
	}
}

func checkCalls(t *testing.T, e Elder) {
	t.Helper()
	tags := map[string]bool{}
	last := time.Time{}
	for _, c := range e.Calls {
		day := c.At.Format(time.DateOnly)
		if !c.At.After(last) || !c.At.Before(e.Asked) {
			t.Errorf("%s: the call of %s is out of order", e.Name, day)
		}
		last = c.At
		if n := len(c.Turns); n < fewestTurns || n > mostTurns {
			t.Errorf("%s, %s: %d turns", e.Name, day, n)
		}
		for i, x := range c.Turns {
			if want := []calls.Role{calls.RoleAssistant, calls.RoleUser}[i%2]; x.Role != want || x.Text == "" || strings.Contains(x.Text, "{") {
				t.Errorf("%s, %s: turn %d is %s: %q", e.Name, day, i, x.Role, x.Text)
			}
			if x.Tag != "" && tags[x.Tag] {
				t.Errorf("%s: tag %s stands twice", e.Name, x.Tag)
			}
			tags[x.Tag] = true
		}
	}
	named := slices.Clone(e.Forget)
	for _, f := range e.Facts {
		named = append(named, f.From...)
	}
	for _, q := range e.Questions {
		named = append(append(named, q.Gold...), q.Old...)
	}
	for _, tag := range named {
		if !tags[tag] {
			t.Errorf("%s: there is no tag %s", e.Name, tag)
		}
	}
}

func checkQuestions(t *testing.T, e Elder) {
	t.Helper()
	said := map[string]string{}
	for _, c := range e.Calls {
		for _, x := range c.Turns {
			said[x.Tag] = x.Text
		}
	}
	for _, q := range e.Questions {
		forgets := slices.ContainsFunc(append(slices.Clone(q.Gold), q.Old...), func(tag string) bool { return slices.Contains(e.Forget, tag) })
		switch {
		case len(q.Gold) == 0 != (q.Kind == Never):
			t.Errorf("%s: %q is answered by %v", e.Name, q.Text, q.Gold)
		case forgets != (q.Kind == Forgotten):
			t.Errorf("%s: %q, of kind %s, asks for what is forgotten: %t", e.Name, q.Text, q.Kind, forgets)
		case len(q.Old) > 0 != (q.Kind == Changed), (q.Kind == Several || q.Kind == Dependent) && len(q.Gold) < 2:
			t.Errorf("%s: %q is not of kind %s", e.Name, q.Text, q.Kind)
		}
		for _, tag := range q.Gold {
			if run := sameWords(q.Text, said[tag]); run > 4 {
				t.Errorf("%s: %q has %d words in a row from %q", e.Name, q.Text, run, said[tag])
			}
		}
	}
}

// sameWords is the longest run of words that two texts share.
func sameWords(a, b string) int {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	x, y := words(a), words(b)
	best := 0
	for i := range x {
		for j := range y {
			n := 0
			for i+n < len(x) && j+n < len(y) && x[i+n] == y[j+n] {
				n++
			}
			best = max(best, n)
		}
	}
	return best
}

// TestSame holds the generator to the same calls each time.
func TestSame(t *testing.T) {
	t.Parallel()
	a, b := load(t), load(t)
	in := memory.Scope{Person: store.PersonID{UUID: uuid.MustParse("0198c0de-0000-7000-8000-000000000001")}}
	for i := range a {
		same := func(x, y memory.Turn) bool { return x.Text == y.Text && x.SourceKey == y.SourceKey && x.At.Equal(y.At) }
		if !slices.EqualFunc(a[i].Memories(in, false), b[i].Memories(in, false), same) {
			t.Errorf("%s: not the same talk twice", a[i].Name)
		}
		if ids := a[i].Tagged(in); len(ids) < 30 {
			t.Errorf("%s: %d tagged turns", a[i].Name, len(ids))
		}
	}
}

func TestLinesThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"nobody knows this", "n a turn before any call", "person Ada | Ada", "person Ada | Ada | Middle/Earth", "call tomorrow",
		"call 2026-01-02 10:00\ne#x", "fact F1 health | x | text", "close F1 F2 2026-01-01", "depends F1 F2", "ask riddle x | why?", "ask single x",
	} {
		if e, err := parse(text); err == nil {
			t.Errorf("%q was read as %+v", text, e)
		}
	}
	for _, text := range []string{"", "n before any part", "greeting\ne an answer to nothing", "hello"} {
		if _, err := parseTalk(text); err == nil {
			t.Errorf("%q was read as small talk", text)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	ids := map[string]uuid.UUID{}
	hits := func(tags ...string) []search.Hit {
		var out []search.Hit
		for _, tag := range tags {
			out = append(out, search.Hit{Turn: memory.Turn{ID: ids[tag]}})
		}
		return out
	}
	for _, tag := range []string{"a", "b", "c", "d"} {
		ids[tag] = uuid.New()
	}
	for name, c := range map[string]struct {
		q    Question
		hits []search.Hit
		want Result
	}{
		"all":             {Question{Kind: Several, Gold: []string{"a", "b"}}, hits("b", "c", "a"), Result{Recall: 1, Hits: 3}},
		"half":            {Question{Kind: Several, Gold: []string{"a", "b"}}, hits("b"), Result{Recall: 0.5, Hits: 1, Missed: []string{"a"}}},
		"the old first":   {Question{Kind: Changed, Gold: []string{"a"}, Old: []string{"b"}}, hits("b", "a"), Result{Recall: 1, Hits: 2, OldFirst: true}},
		"the new first":   {Question{Kind: Changed, Gold: []string{"a"}, Old: []string{"b"}}, hits("a", "b"), Result{Recall: 1, Hits: 2}},
		"the old alone":   {Question{Kind: Changed, Gold: []string{"a"}, Old: []string{"b"}}, hits("b"), Result{Hits: 1, OldFirst: true, Missed: []string{"a"}}},
		"forgotten":       {Question{Kind: Forgotten, Gold: []string{"d"}}, hits("c"), Result{Hits: 1}},
		"not forgotten":   {Question{Kind: Forgotten, Gold: []string{"d"}}, hits("d"), Result{Hits: 1, Leaked: true}},
		"nothing to find": {Question{Kind: Never}, hits("a"), Result{Hits: 1}},
	} {
		got := Score(c.q, ids, []uuid.UUID{ids["d"]}, c.hits)
		if got.Recall != c.want.Recall || got.Hits != c.want.Hits || got.OldFirst != c.want.OldFirst || got.Leaked != c.want.Leaked ||
			!slices.Equal(got.Missed, c.want.Missed) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	all := Tally{}
	all.Add(Single, Result{Recall: 1, Hits: 2})
	all.Add(Several, Result{Recall: 0.5, Leaked: true})
	all.Add(Never, Result{Hits: 4})
	if all.Recall() != 0.75 || all.Recall(Several) != 0.5 || all.Leaked() != 1 || all[Never].Hits != 4 {
		t.Errorf("tally: %v, %v, %d", all.Recall(), all.Recall(Several), all.Leaked())
	}
}
