package wishes

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

var (
	sets     = flag.String("wishes", "testdata/strangers/*.tsv", "files of utterances to read, named by their language: en.x.tsv")
	showMiss = flag.Bool("show", false, "print what was heard otherwise")
)

// weekdays are the weekdays as files of utterances name them.
var weekdays = strings.NewReplacer("monday", "MO", "tuesday", "TU", "wednesday", "WE", "thursday", "TH", "friday", "FR", "saturday", "SA", "sunday", "SU", "until_", "until:")

// heardAs returns what an utterance is heard as, named as in files of utterances.
func heardAs(language, said string) string {
	t := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
	t.Line.Person, t.Line.Call = people.Person{Language: language}, calls.Call{Type: calls.CallGeneral}
	if safety.OptsOut(t) && !Hears(t) {
		return "stop"
	}
	if w, ok := hear(t, said, ""); ok {
		return strings.Join(w.kinds(), " ")
	}
	return "none"
}

// outcome is how a set was heard: wishes as what they are, as others or not at all, and what
// is none as one.
type outcome struct{ wishes, right, others, ordinary, alarms int }

func (o outcome) String() string {
	return fmt.Sprintf("heard right %d/%d (%.1f%%), as another wish %d, heard in ordinary talk %d/%d (%.1f%%)",
		o.right, o.wishes, 100*float64(o.right)/float64(max(o.wishes, 1)), o.others, o.alarms, o.ordinary, 100*float64(o.alarms)/float64(max(o.ordinary, 1)))
}

func evaluate(tb testing.TB, path string) (o outcome) {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	language := filepath.Base(path)[:2]
	for line := range strings.Lines(string(raw)) {
		want, said, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			tb.Fatalf("%s: %q has no tab", path, line)
		}
		want = weekdays.Replace(want)
		got := heardAs(language, said)
		if got != want && *showMiss {
			fmt.Printf("%s want %s, got %s: %s\n", language, want, got, said)
		}
		switch {
		case want == "none":
			o.ordinary++
			if got != want {
				o.alarms++
			}
			continue
		case got == want:
			o.right++
		case got != "none":
			o.others++
		}
		o.wishes++
	}
	return o
}

// BenchmarkWishes prints how what strangers say is heard.
func BenchmarkWishes(b *testing.B) {
	paths, err := filepath.Glob(*sets)
	if err != nil || len(paths) == 0 {
		b.Fatal("no files", err)
	}
	for b.Loop() {
		for _, path := range paths {
			fmt.Printf("%s: %s\n", filepath.Base(path), evaluate(b, path))
		}
	}
}
