package score_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

var (
	answerFiles = flag.String("answers", "testdata/answers/*.tsv", "files of labelled answers")
	show        = flag.Bool("show", false, "print what is scored otherwise than labelled")
)

// labelled is a line of a labelled set: testdata/answers/README.md says what stands in it.
type labelled struct {
	task, line string
	form       tasks.Form
	item       tasks.Item
	facts      score.Facts
	points     int
	said       []score.Said
}

func labelledAnswers(tb testing.TB, file string) (out []labelled) {
	tb.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) != 5 {
			tb.Fatalf("%s: %d columns: %s", file, len(f), line)
		}
		l := labelled{task: f[0], line: strings.TrimSpace(line), facts: facts(tb, f[2]), said: timed(tb, f[4])}
		if l.points, err = strconv.Atoi(f[3]); err != nil {
			tb.Fatalf("%s: %v: %s", file, err, line)
		}
		l.form, l.item = asked(tb, f[0], f[1])
		out = append(out, l)
	}
	return out
}

// asked returns the item that a task and its content stand for, and its form.
func asked(tb testing.TB, task, content string) (f tasks.Form, it tasks.Item) {
	tb.Helper()
	it = tasks.Item{ID: task, Max: 1}
	switch task {
	case "recall":
		it.Kind, it.Of, it.Max = tasks.Recall, "words", 3
		f.Items = []tasks.Item{{ID: "words", Kind: tasks.Register, Words: strings.Split(content, ",")}}
	case "digits_forward", "digits_back":
		it.Kind, it.Digits, it.Level, it.Backward = tasks.Digits, content, len(content), task == "digits_back"
	case "category":
		it.Kind, it.Category, it.Seconds, it.Max = tasks.Fluency, content, 60, 0
	case "letter":
		it.Kind, it.Letter, it.Seconds, it.Max = tasks.Fluency, content, 60, 0
	case "story":
		it.Kind = tasks.Story
		for i, unit := range strings.Split(content, " / ") {
			it.Ideas = append(it.Ideas, tasks.Idea{ID: strconv.Itoa(i), Any: strings.Split(unit, " ~ ")})
		}
		it.Max = len(it.Ideas)
	case "reason":
		it.Kind, it.Max = tasks.Reason, 2
		question, rest, _ := strings.Cut(content, "] ")
		it.Say = strings.TrimPrefix(question, "[")
		for i, unit := range strings.Split(rest, " / ") {
			points, wordings, _ := strings.Cut(unit, ": ")
			n, err := strconv.Atoi(strings.TrimSpace(points))
			if err != nil {
				tb.Fatalf("%v: %s", err, content)
			}
			it.Ideas = append(it.Ideas, tasks.Idea{ID: strconv.Itoa(i), Any: strings.Split(wordings, " ~ "), Points: n})
		}
	default:
		it.Kind, it.Ask = tasks.Question, task
	}
	f.Items = append(f.Items, it)
	return f, it
}

func facts(tb testing.TB, text string) (out score.Facts) {
	tb.Helper()
	text, out.Address, _ = strings.Cut(text, "address=")
	for field := range strings.FieldsSeq(text) {
		var err error
		switch key, value, _ := strings.Cut(field, "="); key {
		case "now":
			out.Now, err = time.Parse("2006-01-02T15:04", value)
		case "born":
			out.Born = value
		default:
			err = fmt.Errorf("unknown fact %q", key)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// timed returns the pieces of an answer, with the time of each where one is given.
func timed(tb testing.TB, text string) (out []score.Said) {
	tb.Helper()
	for p := range strings.SplitSeq(text, " | ") {
		s := score.Said{Text: p}
		if before, seconds, ok := strings.Cut(p, "@"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(seconds), "s"))
			if err != nil {
				tb.Fatalf("%v: %s", err, text)
			}
			s.Text, s.After = strings.TrimSpace(before), time.Duration(n)*time.Second
		}
		out = append(out, s)
	}
	return out
}

// fared is how answers were scored: how many as labelled, and the points that were labelled
// and missed or given besides.
type fared struct{ all, exact, points, off int }

func fares(tb testing.TB, file string) map[string]*fared {
	tb.Helper()
	out := map[string]*fared{"": {}}
	for _, l := range labelledAnswers(tb, file) {
		got := score.Item(tasks.Task{ID: l.task}, l.form, l.item, l.said, l.facts)
		if out[l.task] == nil {
			out[l.task] = &fared{}
		}
		for _, f := range []*fared{out[""], out[l.task]} {
			f.all++
			f.points += l.points
			if off := max(got.Points-l.points, l.points-got.Points); off == 0 {
				f.exact++
			} else {
				f.off += off
			}
		}
		if *show && got.Points != l.points {
			fmt.Printf("%d: %s\n\t%s\n", got.Points, l.line, why(got))
		}
	}
	return out
}

// leastExact is what share of each open file must be scored as labelled, in percent.
var leastExact = map[string]int{"open.tsv": 98, "second.tsv": 92, "more.tsv": 90, "third.tsv": 95, "fourth.tsv": 90}

// What was labelled by a stranger is scored alike. The task eval:cognitive prints the figures.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for file, least := range leastExact {
		if got := fares(t, filepath.Join("testdata/answers", file))[""]; got.all < 140 || got.exact*100 < least*got.all {
			t.Errorf("%s: %d of %d as labelled", file, got.exact, got.all)
		}
	}
}

// mostOfOthers is what share of a story's ideas may be found in the fullest answer to another
// one; the answers of these files share words by chance.
const mostOfOthers = 0.05

// What is told best of one story has next to no ideas of another.
func TestOtherStories(t *testing.T) {
	t.Parallel()
	fullest := map[string]labelled{} // by the first idea
	for file := range leastExact {
		for _, l := range labelledAnswers(t, filepath.Join("testdata/answers", file)) {
			if l.task == "story" && l.points >= fullest[l.item.Ideas[0].Any[0]].points {
				fullest[l.item.Ideas[0].Any[0]] = l
			}
		}
	}
	names := slices.Sorted(maps.Keys(fullest))
	given, ideas := 0, 0
	for i := range names { // against the next five
		for k := 1; k <= 5; k++ {
			l, other := fullest[names[i]], fullest[names[(i+k)%len(names)]]
			given += score.Item(tasks.Task{ID: "story"}, other.form, other.item, l.said, l.facts).Points
			ideas += other.item.Max
		}
	}
	if share := float64(given) / float64(max(ideas, 1)); ideas < 1000 || share > mostOfOthers {
		t.Errorf("%.4f of %d ideas", share, ideas)
	}
}

// BenchmarkAnswers prints how labelled answers are scored: see the task eval:cognitive.
func BenchmarkAnswers(b *testing.B) {
	files, err := filepath.Glob(*answerFiles)
	if err != nil || len(files) == 0 {
		b.Fatalf("%s: no files (%v)", *answerFiles, err)
	}
	for _, file := range files {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".tsv"), func(b *testing.B) {
			var got map[string]*fared
			for b.Loop() {
				got = fares(b, file)
			}
			var rows []string
			for task, f := range got {
				if task != "" {
					rows = append(rows, fmt.Sprintf("%-14s %4d answers %6.1f %% exact %6.1f %% of points", task, f.all, f.share(), f.near()))
				}
			}
			slices.Sort(rows)
			fmt.Println("\n" + strings.Join(rows, "\n"))
			b.ReportMetric(float64(got[""].all), "answers")
			b.ReportMetric(got[""].share(), "%_exact")
			b.ReportMetric(got[""].near(), "%_of_points")
		})
	}
}

// share is how many were scored as labelled, in percent.
func (f *fared) share() float64 { return 100 * float64(f.exact) / float64(max(f.all, 1)) }

// near is how many of the points labelled are left after those that are off, in percent.
func (f *fared) near() float64 { return 100 - 100*float64(f.off)/float64(max(f.points, 1)) }
