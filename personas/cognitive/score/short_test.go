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

func parse(tb testing.TB, line string) spoken {
	tb.Helper()
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		tb.Fatalf("%q has %d columns", line, len(f))
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
				tb.Fatal(err)
			}
			s.facts.Now = now
		case "born":
			s.facts.Born = value
		}
	}
	var err error
	if s.points, err = strconv.Atoi(f[3]); err != nil {
		tb.Fatal(err)
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

func TestWhy(t *testing.T) {
	t.Parallel()
	const thursday = "now=2026-11-26T10:30"
	tests := map[string]string{
		"weekday\t\t" + thursday + "\t1\tTuesday, no, Thursday":                      "Tuesday corrected, Thursday",
		"weekday\t\t" + thursday + "\t1\tThe nurse came Wednesday so it's Thursday.": "Wednesday talk, Thursday",
		"weekday\t\t" + thursday + "\t0\tFriday":                                     "Friday wrong",
		"weekday\t\t" + thursday + "\t1\tChoose day. No, Thursday":                   "Choose day corrected, Thursday",
		"weekday\t\t" + thursday + "\t1\tthurs":                                      "thurs variant",
		"digits_forward\t592\t\t1\tfive eight, no, five nine two":                    "five eight corrected, five nine two",
		"digits_forward\t592\t\t1\tfifty nine to":                                    "fifty nine to variant",
		"digits_forward\t592\t\t0\tfive two nine":                                    "five two nine wrong",
		"place\t\taddress=3 Hill Row, Stirling\t1\tSterling":                         "Sterling variant",
		"birth_date\t\tborn=1941-03-29\t1\tOh, the 29th of March, 1941, it was":      "29th of March, 1941",
		"age\t\t" + thursday + " born=1941-03-29\t1\tnearly eighty-six":              "eighty-six variant",
	}
	for line, want := range tests {
		s := parse(t, line)
		var got []string
		for _, e := range score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts).Evidence {
			got = append(got, strings.TrimSpace(e.Quote+" "+e.Why))
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s: %q, want %q", line, all, want)
		}
	}
}

// What rules can make nothing of may be asked once more; who does not know is not asked again.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"weekday\t\tnow=2026-11-26T10:30\t0\tThe day after the nurse.":             true,
		"weekday\t\tnow=2026-11-26T10:30\t0\tThursday or Friday.":                  true,
		"weekday\t\tnow=2026-11-26T10:30\t0\tYesterday was Wednesday.":             true,
		"weekday\t\tnow=2026-11-26T10:30\t0\tI really don't know.":                 false,
		"weekday\t\tnow=2026-11-26T10:30\t0\tFriday.":                              false,
		"weekday\t\tnow=2026-11-26T10:30\t0\t":                                     false,
		"birth_date\t\tborn=1941-03-29\t0\tThe twenty-ninth of March.":             true,
		"birth_date\t\tborn=1941-03-29\t0\tThe thirtieth of March.":                false,
		"age\t\tnow=2026-11-26T10:30\t0\tEighty-five.":                             true,
		"place\t\t\t0\tIn Leeds":                                                   true,
		"time\t\tnow=2026-11-26T10:30\t0\tAfter breakfast.":                        true,
		"time\t\tnow=2026-11-26T10:30\t0\tI couldn't tell you.":                    false,
		"digits_forward\t592\t\t0\tPardon?":                                        true,
		"digits_forward\t592\t\t0\tThey've gone.":                                  false,
		"place\t\taddress=3 Hill Row, Stirling\t0\tI'm in Glasgow at my sister's.": false,
	}
	for line, want := range tests {
		s := parse(t, line)
		if got := score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts); got.Unclear != want || got.Points != 0 {
			t.Errorf("%s: %+v, want unclear %t", line, got, want)
		}
	}
}

func TestSouthernSeasons(t *testing.T) {
	t.Parallel()
	sydney, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, "season\t\t\t1\tIt's winter here.")
	for month, want := range map[time.Month]int{time.July: 1, time.January: 0} {
		s.facts.Now = time.Date(2026, month, 25, 10, 0, 0, 0, sydney)
		if got := score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts); got.Points != want {
			t.Errorf("winter in %s: %+v", month, got)
		}
	}
}

// Every list that is read out is understood as it was read.
func TestDigitsAsReadOut(t *testing.T) {
	t.Parallel()
	l, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"digits_forward", "digits_back"} {
		task, _ := l.Task(id, "en-GB")
		for _, f := range task.Forms {
			for _, it := range f.Items {
				back := it.Backward
				it.Backward = false
				if got := score.Item(task, f, it, []score.Said{{Text: it.Say}}, score.Facts{}); got.Points != 1 || got.Level != it.Level {
					t.Errorf("%s %s %s: %q: %+v", id, f.ID, it.ID, it.Say, got)
				}
				it.Backward = true
				if got := score.Item(task, f, it, []score.Said{{Text: it.Say}}, score.Facts{}); got.Points != 0 {
					t.Errorf("%s %s %s: %q backward: %+v", id, f.ID, it.ID, it.Say, got)
				}
				if back != (id == "digits_back") {
					t.Errorf("%s %s: backward %t", id, it.ID, back)
				}
			}
		}
	}
}

func FuzzShort(f *testing.F) {
	data, err := os.ReadFile("testdata/short.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		f.Add(cols[0], cols[1], cols[4])
	}
	f.Fuzz(func(t *testing.T, ask, content, said string) {
		if strings.ContainsAny(ask+content+said, "\t\n") {
			return
		}
		s := parse(t, strings.Join([]string{ask, content, "now=2026-11-26T10:30 born=1941-03-29 address=12 Mill Lane, Harrogate", "0", said}, "\t"))
		check(t, s, score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts))
	})
}

// Of a long talk, the end is read.
func TestLongTalk(t *testing.T) {
	t.Parallel()
	s := parse(t, "weekday\t\tnow=2026-11-26T10:30\t1\t"+strings.Repeat("Friday, no, ", 5000)+"Thursday.")
	if got := score.Item(tasks.Task{}, tasks.Form{}, s.item, s.said, s.facts); got.Points != 1 || len(got.Evidence) > 400 {
		t.Errorf("%d points by %d quotes", got.Points, len(got.Evidence))
	}
}
