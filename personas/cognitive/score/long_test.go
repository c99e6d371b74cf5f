package score_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// pieces are what was said, apart by " | ".
func pieces(text string) (out []score.Said) {
	for p := range strings.SplitSeq(text, " | ") {
		out = append(out, score.Said{Text: p})
	}
	return out
}

// why returns the quotes of an answer, each with why it counts or not: "+" counts.
func why(s score.Score) string {
	var out []string
	for _, e := range s.Evidence {
		mark := "-"
		if e.Counts {
			mark = "+"
		}
		out = append(out, mark+e.Why+" "+e.Quote)
	}
	return strings.Join(out, "; ")
}

// remember is a form that has its words remembered.
func remember(kind tasks.Kind, words ...string) (tasks.Form, tasks.Item) {
	f := tasks.Form{ID: "a", Items: []tasks.Item{
		{ID: "words", Kind: tasks.Register, Words: words}, {ID: "recall", Kind: tasks.Recall, Of: "words", Max: len(words)},
	}}
	return f, f.Items[slices.IndexFunc(f.Items, func(it tasks.Item) bool { return it.Kind == kind })]
}

func TestRecall(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		words, said string
		points      int
		why         string
	}{
		{"apple table penny", "apple table penny", 3, "+ apple; + table; + penny"},
		{"apple table penny", "There was apple and, er, a table, and the penny", 3, "+ apple; + table; + penny"},
		{"apple table penny", "Penny. | | Apples", 2, "+ Penny; +variant Apples"},
		{"apple table penny", "appel tabel peni", 3, "+variant appel; +variant tabel; +variant peni"},
		{"apple table penny", "apple cable penny", 2, "+ apple; -intrusion cable; + penny"},
		{"apple table penny", "apple apple table", 2, "+ apple; -repeated apple; + table"},
		{"apple table penny", "apple, chair, no, not chair, table", 2, "+ apple; -corrected chair; -corrected chair; + table"},
		{"apple table penny", "apple, penny, no, I mean table", 2, "+ apple; -corrected penny; + table"},
		{"tent two dog", "ten to", 2, "+variant ten to; +variant ten to"},
		{"carpet lemon dog", "car pet lemon doggy", 3, "+variant car pet; + lemon; +variant doggy"},
		{"bear flower boat", "bare, flour and boats", 3, "+variant bare; +variant flour; +variant boats"},
		{"apple table penny", "I don't remember", 0, ""},
		{"apple table penny", "Oh no idea love", 0, ""},
		{"apple table penny", "", 0, ""},
		{"apple table penny", "I think it was apple and that's all I can remember", 1, "+ apple"},
		{"apple table penny", "the first one was apple, and then my daughter has a dog", 1, "+ apple"},
	} {
		f, it := remember(tasks.Recall, strings.Fields(row.words)...)
		got := score.Item(tasks.Task{ID: "six_item"}, f, it, pieces(row.said), score.Facts{})
		if got.Points != row.points || why(got) != row.why || got.Unclear || got.Max != 3 {
			t.Errorf("%q of %q: %d (%s) unclear %v, want %d (%s)", row.said, row.words, got.Points, why(got), got.Unclear, row.points, row.why)
		}
		_, reg := remember(tasks.Register, strings.Fields(row.words)...)
		if first := score.Item(tasks.Task{ID: "six_item"}, f, reg, pieces(row.said), score.Facts{}); first.Points != 0 || first.Max != 0 || why(first) != row.why {
			t.Errorf("%q said back: %+v", row.said, first)
		}
	}
}

func TestUnclear(t *testing.T) {
	t.Parallel()
	f, it := remember(tasks.Recall, "apple", "table", "penny")
	if got := score.Item(tasks.Task{}, f, it, pieces("what was that"), score.Facts{}); !got.Unclear {
		t.Errorf("a question back: %+v", got)
	}
}

func TestFluency(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		of, said string
		points   int
		why      string
	}{
		{"animals", "dog cat polar bear horse no i said horse", 4, "+ dog; + cat; + polar bear; + horse; -repeated horse"},
		{"animals", "hippo, hippopotamus, cow, bull", 3, "+variant hippo; -repeated hippopotamus; + cow; + bull"},
		{"animals", "a bird, a robin, let me see, does a hen count?", 2, "-repeated bird; + robin; + hen"},
		{"animals", "bird fish", 2, "+ bird; + fish"},
		{
			"animals", "dogs and cats | oh what do you call them | mice | I said that one | my daughter has a rabbit", 3,
			"+variant dogs; +variant cats; +variant mice; -talk rabbit",
		},
		{"animals", "lion table tiger", 2, "+ lion; -intrusion table; + tiger"},
		{"animals", "butter fly rhinosaurus geese", 3, "+variant butter fly; +variant rhinosaurus; +variant geese"},
		{"clothes", "trousers slacks t-shirt and a pair of socks", 3, "+ trousers; -repeated slacks; + t-shirt; +variant socks"},
		{"f", "fish fan four Frank fishing phone for fun", 4, "+ fish; + fan; -intrusion four; + Frank; -repeated fishing; -intrusion phone; + fun"},
		{"s", "some more | sun, sand, so let me see, sunny, Susan, psalm", 2, "+ sun; + sand; -repeated sunny; -intrusion Susan; -intrusion psalm"},
		{"p", "psalm pneumonia", 2, "+ psalm; + pneumonia"},
		{"c", "cat kite king cup", 2, "+ cat; -intrusion kite; -intrusion king; + cup"},
	} {
		it := tasks.Item{ID: "go", Kind: tasks.Fluency, Seconds: 60}
		if it.Category = row.of; len(row.of) == 1 {
			it.Category, it.Letter = "", row.of
		}
		if got := score.Item(tasks.Task{}, tasks.Form{}, it, pieces(row.said), score.Facts{}); got.Points != row.points || why(got) != row.why {
			t.Errorf("%s %q: %d (%s), want %d (%s)", row.of, row.said, got.Points, why(got), row.points, row.why)
		}
	}
}

func TestLate(t *testing.T) {
	t.Parallel()
	it := tasks.Item{Kind: tasks.Fluency, Category: "animals", Seconds: 60}
	got := score.Item(tasks.Task{}, tasks.Form{}, it, []score.Said{{Text: "dog", After: 60 * time.Second}, {Text: "cat", After: 61 * time.Second}}, score.Facts{})
	if want := "+ dog; -late cat"; got.Points != 1 || why(got) != want {
		t.Errorf("late: %d (%s), want %s", got.Points, why(got), want)
	}
}

func idea(points int, wordings ...string) tasks.Idea {
	return tasks.Idea{Any: wordings, Points: points}
}

func TestIdeas(t *testing.T) {
	t.Parallel()
	story := []tasks.Idea{idea(0, "Mary", "Marie"), idea(0, "went to the market"), idea(0, "bought three eggs", "3 eggs"), idea(0, "found her purse"), idea(0, "did not drive")}
	plan := []tasks.Idea{idea(2, "throw it away", "pour it out"), idea(1, "smell it")}
	for _, row := range []struct {
		kind   tasks.Kind
		ideas  []tasks.Idea
		max    int
		said   string
		points int
	}{
		{tasks.Story, story, 5, "Mary went to market, she bought 3 eggs and she found her purse. She didn't drive.", 5},
		{tasks.Story, story, 5, "Well Marie bought some eggs, three eggs, at the market", 3},
		{tasks.Story, story, 5, "she did not find her purse", 0},
		{tasks.Story, story, 5, "she never found her purse but she drove to the market", 1},
		{tasks.Story, story, 5, "I can't remember, she found the purse", 1},
		{tasks.Story, story, 5, "Mary Mary Mary", 1},
		{tasks.Story, story, 5, "four eggs", 0},
		{tasks.Reason, plan, 2, "I'd smell it and then I'd throw it away", 2},
		{tasks.Reason, plan, 2, "I would not throw it away, I'd smell it", 1},
		{tasks.Reason, plan, 2, "drink it", 0},
	} {
		it := tasks.Item{Kind: row.kind, Ideas: row.ideas, Max: row.max}
		if got := score.Item(tasks.Task{}, tasks.Form{}, it, pieces(row.said), score.Facts{}); got.Points != row.points || got.Max != row.max {
			t.Errorf("%q: %d of %d (%s), want %d", row.said, got.Points, got.Max, why(got), row.points)
		}
	}
}

// Whatever is said, points are within their bounds and what they rest on was said.
func FuzzLong(f *testing.F) {
	for _, s := range []string{"apple table penny", "dog | cat no i said cat", "Ä’s \xff ten to", "she didn't, no", "half a dozen eggs"} {
		f.Add(s)
	}
	form, recall := remember(tasks.Recall, "tent", "two", "carpet")
	items := []tasks.Item{
		recall, form.Items[0],
		{Kind: tasks.Fluency, Category: "animals", Max: 3},
		{Kind: tasks.Fluency, Category: "none"},
		{Kind: tasks.Fluency, Letter: "s"},
		{Kind: tasks.Story, Max: 1, Ideas: []tasks.Idea{idea(0, "tent", "half a dozen eggs"), idea(3, "did not", "a cat")}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		said := pieces(text)
		for _, it := range items {
			s := score.Item(tasks.Task{}, form, it, said, score.Facts{})
			if s.Points < 0 || s.Max > 0 && s.Points > s.Max {
				t.Errorf("%s of %q: %d of %d", it.Kind, text, s.Points, s.Max)
			}
			for _, e := range s.Evidence {
				if e.Quote == "" || !slices.ContainsFunc(said, func(p score.Said) bool { return strings.Contains(p.Text, e.Quote) }) {
					t.Errorf("%s of %q: %q was not said", it.Kind, text, e.Quote)
				}
			}
		}
	})
}
