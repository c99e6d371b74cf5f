package appliance_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store/parts"
)

var (
	numberFiles = flag.String("numbers", "testdata/numbers/*.tsv", "files of said numbers")
	show        = flag.Bool("show", false, "print what was not understood")
)

// saidNumber is a line of a labelled set: a kind, a channel, what was meant ("-" for
// nothing; alternatives apart by commas) and what was said.
type saidNumber struct {
	kind, channel string
	meant         []string
	said          string
}

func saidNumbers(tb testing.TB, file string) (out []saidNumber) {
	tb.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) == 4 && !strings.HasPrefix(line, "#") {
			out = append(out, saidNumber{f[0], f[1], strings.Split(f[2], ","), f[3]})
		}
	}
	return out
}

// labelled is the catalogue that the labelled sets speak of.
func labelled(tb testing.TB) *shelf {
	tb.Helper()
	raw, err := os.ReadFile("testdata/numbers/catalogue.txt")
	if err != nil {
		tb.Fatal(err)
	}
	s := &shelf{}
	for line := range strings.Lines(string(raw)) {
		switch kind, number, _ := strings.Cut(strings.TrimSpace(line), "\t"); kind {
		case "model":
			s.parts = append(s.parts, parts.Part{Model: number})
		case "part":
			s.parts = append(s.parts, parts.Part{Number: number})
		}
	}
	return s
}

// What came of a said number.
const (
	once     = "right at once"
	first    = "right after one question"
	asking   = "right after several"
	wrong    = "wrong without asking"
	notHeard = "not understood"
)

// mostAsked is how often a caller says no before they give up.
const mostAsked = 3

// understood plays the talk about a number: where the right one is asked back, the answer
// is yes, else no; the number is said once.
func understood(tb testing.TB, cat *shelf, n saidNumber) (came, got string) {
	tb.Helper()
	mode := map[string]string{"phone": "call", "text": "text"}[n.channel]
	s := newStage(tb, mode)
	s.config.Catalogue, s.shelf = cat, cat
	s.open()
	say := func(words string) appliance.State {
		if mode == "text" {
			s.writes(words)
		} else {
			s.says(words)
		}
		return s.peek()
	}
	ask := map[string]string{"model": "Does the part PS3406971 fit?", "part": "Will it fit my KDW482SS?", "email": "Please email me a summary"}
	say(ask[n.kind])
	field := func(st appliance.State) string {
		switch n.kind {
		case "model":
			return st.ProductModel
		case "part":
			return st.PartNumber
		}
		return st.EmailAddress
	}
	is := func(value string) bool {
		for _, m := range n.meant {
			if strings.EqualFold(m, value) || m == "-" && value == "" {
				return true
			}
		}
		return false
	}
	before := field(s.peek())
	st := say(n.said)
	if value := field(st); value != before {
		if is(value) {
			return once, value
		}
		return wrong, value
	}
	for asked := range mostAsked {
		q := st.Asked
		if q == nil || string(q.Kind) != n.kind {
			break
		}
		got = q.Candidates[0]
		if is(got) {
			if st = say("yes"); is(field(st)) || n.kind == "email" && len(s.post.mails) > 0 {
				if asked == 0 {
					return first, got
				}
				return asking, got
			}
			return notHeard, got
		}
		st = say("no")
	}
	if is("") && field(st) == "" {
		return once, ""
	}
	return notHeard, got
}

// evaluated is how a file fares.
func evaluated(tb testing.TB, file string) map[string]int {
	tb.Helper()
	cat, count := labelled(tb), map[string]int{}
	for _, n := range saidNumbers(tb, file) {
		came, got := understood(tb, cat, n)
		count[came]++
		count["all"]++
		if *show && (came == wrong || came == notHeard) {
			tb.Logf("%s: %s %s, meant %s, taken for %q: %s", came, n.kind, n.channel, strings.Join(n.meant, ","), got, n.said)
		}
	}
	return count
}

// Of the open set 95 in a hundred are understood, and what is wrong is not taken
// unasked. The task eval:numbers prints the figures.
func TestNumbers(t *testing.T) {
	t.Parallel()
	count := evaluated(t, "testdata/numbers/open.tsv")
	if all := count["all"]; all < 150 || (count[once]+count[first]+count[asking])*100 < 95*all || count[wrong]*100 > all {
		t.Errorf("of said numbers: %v", count)
	}
}

// BenchmarkNumbers prints how said numbers and addresses are understood: see the task
// eval:numbers.
func BenchmarkNumbers(b *testing.B) {
	files, err := filepath.Glob(*numberFiles)
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".tsv"), func(b *testing.B) {
			var count map[string]int
			for b.Loop() {
				count = evaluated(b, file)
			}
			all := float64(max(count["all"], 1))
			b.ReportMetric(float64(count["all"]), "said")
			b.ReportMetric(100*float64(count[once])/all, "%_right_at_once")
			b.ReportMetric(100*float64(count[once]+count[first])/all, "%_right_after_one_question")
			b.ReportMetric(100*float64(count[once]+count[first]+count[asking])/all, "%_right_after_asking")
			b.ReportMetric(100*float64(count[wrong])/all, "%_wrong_unasked")
		})
	}
}
