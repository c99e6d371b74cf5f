package safety

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/alerts"
)

var (
	flagSets = flag.String("flags", "", "files of utterances to read in place of those of strangers, named by their language: en.x.tsv,es.y.tsv")
	showMiss = flag.Bool("show", false, "print what was heard otherwise")
)

// told is an utterance of a stranger: what it tells of, and whether an alarm is wanted.
type told struct {
	kind, expect, said string
}

// strangers reads a file of utterances. In the name of the file its language comes first.
func strangers(tb testing.TB, path string) (language string, all []told) {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 4 {
			tb.Fatalf("%s: %q has %d fields, want 4", path, line, len(f))
		}
		all = append(all, told{f[0], f[1], f[3]})
	}
	return filepath.Base(path)[:2], all
}

// heardIn returns the red flags in an utterance of somebody who speaks a language, and what is asked about.
func heardIn(language, said string) (all, doubts []redFlag) {
	return in("", language, said)
}

// score is how many of a set were heard as they should be.
type score struct{ right, all int }

func (s *score) add(right bool) {
	s.all++
	if right {
		s.right++
	}
}

func (s *score) share() float64 { return float64(s.right) / float64(max(s.all, 1)) }

func (s *score) String() string {
	if s.all == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %.1f%%", s.right, s.all, 100*s.share())
}

// result is what came of a set: recall by kind, false alarms by kind of near miss.
type result struct {
	recall, alarms map[string]*score
	urgent         score // recall on tiers 3 and 4
	near, ordinary score // false alarms

	urgentAsked, nearAsked, ordinaryAsked score // asked about instead
}

func evaluate(tb testing.TB, language string, set []told) *result {
	tb.Helper()
	r := &result{recall: make(map[string]*score), alarms: make(map[string]*score)}
	at := func(by map[string]*score, kind string) *score {
		if by[kind] == nil {
			by[kind] = new(score)
		}
		return by[kind]
	}
	for _, u := range set {
		heard, doubts := heardIn(language, u.said)
		asked := len(heard) == 0 && len(doubts) > 0 && doubts[0].tier() >= alerts.Urgent
		if u.expect == "flag" {
			found := slices.ContainsFunc(heard, func(f redFlag) bool { return f.kind == u.kind || f.tier() >= kinds[u.kind].tier })
			at(r.recall, u.kind).add(found)
			if kinds[u.kind].tier >= 3 {
				r.urgent.add(found)
				r.urgentAsked.add(asked)
			}
			if !found && !asked && *showMiss {
				l := languages[language]
				e, why := l.evidence(l.Tokens(english.Scan(u.said)), true), []string{}
				for _, parts := range e.found[u.kind] {
					why = append(why, u.said[e.toks[parts[0].From].Start:e.toks[parts[0].To-1].End]+": "+e.excused(u.kind, parts))
				}
				fmt.Printf("%s MISSED %s: %s (excused: %q)\n", language, u.kind, u.said, slices.Compact(why))
			}
			continue
		}
		alarm := len(heard) > 0
		at(r.alarms, u.kind).add(alarm)
		if u.kind == "ordinary" {
			r.ordinary.add(alarm)
			r.ordinaryAsked.add(asked)
		} else {
			r.near.add(alarm)
			r.nearAsked.add(asked)
		}
		if alarm && *showMiss {
			fmt.Printf("%s FALSE %s: %s: %s %q\n", language, u.kind, u.said, heard[0].kind, heard[0].why)
		}
	}
	return r
}

// BenchmarkFlags prints how what strangers say is heard, by kind and language.
func BenchmarkFlags(b *testing.B) {
	files := strings.Split(*flagSets, ",")
	if *flagSets == "" {
		var err error
		if files, err = filepath.Glob("testdata/unlearned/*.tsv"); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, path := range files {
			language, set := strangers(b, path)
			r := evaluate(b, language, set)
			fmt.Fprintf(out, "\n%s\trecall\tfalse alarms\n", filepath.Base(path))
			for _, kind := range slices.Sorted(func(yield func(string) bool) {
				for kind := range kinds {
					if !yield(kind) {
						return
					}
				}
			}) {
				if r.recall[kind] != nil || r.alarms[kind] != nil {
					fmt.Fprintf(out, "%s\t%s\t%s\n", kind, text(r.recall[kind]), text(r.alarms[kind]))
				}
			}
			fmt.Fprintf(out, "tiers 3 and 4\t%s\t\nnear misses\t\t%s\nordinary\t\t%s\n", &r.urgent, &r.near, &r.ordinary)
			fmt.Fprintf(out, "asked about\t%s\t%s near, %s ordinary\n", &r.urgentAsked, &r.nearAsked, &r.ordinaryAsked)
		}
		_ = out.Flush()
	}
}

func text(s *score) string {
	if s == nil {
		return "-"
	}
	return s.String()
}

// What nobody learned from is heard no worse than it was.
func TestUnlearned(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/unlearned/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		language, set := strangers(t, path)
		recall, alarms := .90, .04
		if strings.Contains(path, "third") { // told sideways, most of it
			recall, alarms = .74, .07
		}
		if r := evaluate(t, language, set); r.urgent.all > 0 && r.urgent.share() < recall || r.near.all > 0 && r.near.share() > alarms || r.ordinary.share() > .04 {
			t.Errorf("%s: tiers 3 and 4 %v, near misses %v, ordinary %v", path, &r.urgent, &r.near, &r.ordinary)
		}
	}
}
