package score_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// spoken reads a line of answers: what was asked, with what, the facts, the points and
// what was said.
type spoken struct {
	line   string
	item   tasks.Item
	facts  score.Facts
	points int
	said   []score.Said
}

func parse(t testing.TB, line string) spoken {
	t.Helper()
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		t.Fatalf("%q has %d columns", line, len(f))
	}
	s := spoken{line: line, item: tasks.Item{Kind: tasks.Question, Ask: f[0], Max: 1}}
	if back := f[0] == "digits_back"; back || f[0] == "digits_forward" {
		s.item = tasks.Item{Kind: tasks.Digits, Digits: f[1], Level: len(f[1]), Backward: back, Max: 1}
	}
	facts := f[2]
	if i := strings.Index(facts, "address="); i >= 0 {
		s.facts.Address, facts = facts[i+len("address="):], facts[:i]
	}
	for pair := range strings.FieldsSeq(facts) {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "now":
			now, err := time.Parse("2006-01-02T15:04", value)
			if err != nil {
				t.Fatal(err)
			}
			s.facts.Now = now
		case "born":
			s.facts.Born = value
		}
	}
	var err error
	if s.points, err = strconv.Atoi(f[3]); err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(f[4], " | ") {
		s.said = append(s.said, score.Said{Text: text})
	}
	return s
}

// The answers are our own. A score is between 0 and the highest whatever was said.
func TestShort(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/short.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		s := parse(t, strings.TrimSuffix(line, "\n"))
		got := score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts)
		if got.Points != s.points {
			t.Errorf("%s: %+v", s.line, got)
		}
		check(t, s, got)
	}
}

// check reports what cannot be right about a score, whatever was said.
func check(t *testing.T, s spoken, got score.Score) {
	t.Helper()
	if got.Points < 0 || got.Points > got.Max || got.Max != s.item.Max {
		t.Errorf("%s: %d of %d points", s.line, got.Points, got.Max)
	}
	counting := false
	for _, e := range got.Evidence {
		counting = counting || e.Counts
		if !slices.ContainsFunc(s.said, func(p score.Said) bool { return e.Quote != "" && strings.Contains(p.Text, e.Quote) }) {
			t.Errorf("%s: nobody said %q", s.line, e.Quote)
		}
	}
	if counting != (got.Points > 0) || got.Points > 0 && got.Unclear {
		t.Errorf("%s: points without what they rest on: %+v", s.line, got)
	}
}
