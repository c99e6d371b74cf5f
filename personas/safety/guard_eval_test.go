package safety

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/people"
)

var guardSets = flag.String("guard", "", "files of sentences of models to read in place of those of the repository, x.en.tsv,y.es.tsv")

// utterance is a sentence that a model might say: its kind, and whether it is to be withheld.
type utterance struct {
	kind     string
	withhold bool
	text     string
}

// sentences reads a file of them; its name holds its language before the ending.
func sentences(tb testing.TB, path string) (language string, all []utterance) {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 3 || f[1] != "withhold" && f[1] != "pass" {
			tb.Fatalf("%s: %q is no sentence with its kind and what is expected", path, line)
		}
		all = append(all, utterance{f[0], f[1] == "withhold", f[2]})
	}
	parts := strings.Split(filepath.Base(path), ".")
	return parts[len(parts)-2], all
}

// judged returns the kind for which a sentence that is a whole reply is withheld, or nothing.
func judged(language, text string) string {
	t := new(orchestration.Turn)
	t.Line.Person = people.Person{Language: language}
	return (&guarded{own: spokenTo(t)}).judge(text)
}

// BenchmarkGuard prints by halves: rules were mended from the first half of each set, the
// second one was read once, when they were done. It prints what is withheld of sentences that models might say, by kind and language.
func BenchmarkGuard(b *testing.B) {
	files := strings.Split(*guardSets, ",")
	if *guardSets == "" {
		var err error
		if files, err = filepath.Glob("testdata/guard*.tsv"); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, path := range files {
			language, set := sentences(b, path)
			halves := map[string][]utterance{"open": set[:len(set)/2], "sealed": set[len(set)/2:]}
			for _, half := range []string{"open", "sealed"} {
				report(out, filepath.Base(path)+", "+half, language, halves[half])
			}
		}
		_ = out.Flush()
	}
}

// report prints what is withheld of a set.
func report(out io.Writer, name, language string, set []utterance) {
	fmt.Fprintf(out, "\n%s\twithheld\tfalse alarms\n", name)
	caught, alarms := map[string]*score{}, map[string]*score{}
	var all, near, ordinary score
	for _, u := range set {
		by, sum := caught, []*score{&all}
		if !u.withhold {
			by, sum = alarms, []*score{&near}
			if u.kind == "ordinary" {
				sum = []*score{&ordinary}
			}
		}
		if by[u.kind] == nil {
			by[u.kind] = new(score)
		}
		kind := judged(language, u.text)
		for _, s := range append(sum, by[u.kind]) {
			s.add(kind != "")
		}
		if *showMiss && (kind != "") != u.withhold {
			fmt.Printf("%s %s: %s (%s)\n", language, u.kind, u.text, kind)
		}
	}
	for _, kind := range slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]*score{caught, alarms} {
			for k := range maps.Keys(m) {
				if !yield(k) {
					return
				}
			}
		}
	})) {
		fmt.Fprintf(out, "%s\t%s\t%s\n", kind, text(caught[kind]), text(alarms[kind]))
	}
	fmt.Fprintf(out, "all\t%s\t\nnear misses\t\t%s\nordinary\t\t%s\n", &all, &near, &ordinary)
}

// BenchmarkGuardSentence is what one sentence costs.
func BenchmarkGuardSentence(b *testing.B) {
	_, set := sentences(b, "testdata/guard.en.tsv")
	g := &guarded{own: "en"}
	i := 0
	for b.Loop() {
		g.judge(set[i%len(set)].text)
		i++
	}
}
