package reader_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// wantEach is how many replies there are to be for each kind and status together.
const wantEach = 40

// sets are the labelled replies, with what each has to reach: the reader settles so
// much by itself, and is right in so much of what it settles.
var sets = []struct {
	file           string
	settled, right float64
}{
	{file: "dev.txt", settled: 0.85, right: 0.98},
	{file: "heldout.txt", settled: 0.85, right: 0.98},
	{file: "everyday.txt", settled: 0.96, right: 0.99}, // a little below its first reading
	{file: "cells.txt", settled: 0.85, right: 0.98},
	{file: "es.txt", settled: 0.85, right: 0.98},
	{file: "de.txt", settled: 0.85, right: 0.98},
}

// allLabels are the replies of all sets.
func allLabels(tb testing.TB) []label {
	tb.Helper()
	var out []label
	for _, set := range sets {
		out = append(out, labels(tb, set.file)...)
	}
	return out
}

// label is one reply and what it means.
type label struct {
	line   int
	q      reader.Question
	in     reader.Context
	said   string
	status reader.Status
	value  string
}

func labels(tb testing.TB, file string) []label {
	tb.Helper()
	f, err := os.Open("testdata/replies/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	}()
	var out []label
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		parts := strings.SplitN(lines.Text(), " | ", 3)
		if len(parts) != 3 {
			tb.Fatalf("%s:%d: %q is not question | wanted | said", file, n, lines.Text())
		}
		q, in, ok := questionIn(parts[0], strings.TrimSuffix(file, ".txt"))
		if !ok {
			tb.Fatalf("%s:%d: no question %q", file, n, parts[0])
		}
		l := label{line: n, q: q, in: in, said: parts[2]}
		l.status, l.value = wanted(parts[1], parts[2])
		out = append(out, l)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

func wanted(want, said string) (reader.Status, string) {
	if s := reader.Status(want); s == reader.Refused || s == reader.Skipped || s == reader.Unclear {
		return s, ""
	}
	if v, ok := strings.CutPrefix(want, "key "); ok {
		return reader.Keypad, v
	}
	if want == "text" {
		return reader.Answered, said
	}
	return reader.Answered, want
}

// right reports whether a settled reading is what was meant.
func (l label) right(r reader.Reading) bool {
	if r.Status != l.status {
		return false
	}
	return l.value == "" || r.Value.String() == l.value
}

// tally counts what the reader did with some labelled replies.
type tally struct {
	all, open, settled, right, settledAny int
}

// add counts one reply. Settled is a share of what can be settled: replies that
// are not labelled unclear. Right is a share of all that was settled, unclear ones included.
func (n *tally) add(l label, r reader.Reading) {
	n.all++
	if l.status != reader.Unclear {
		n.open++
		if r.Settled {
			n.settled++
		}
	}
	if r.Settled {
		n.settledAny++
		if l.right(r) {
			n.right++
		}
	}
}

func (n *tally) shares() (settled, right float64) {
	return share(n.settled, n.open), share(n.right, n.settledAny)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (n *tally) String() string {
	settled, right := n.shares()
	return fmt.Sprintf("%3d replies  settles %3d of %3d = %5.1f %%  right %3d of %3d = %5.1f %%",
		n.all, n.settled, n.open, 100*settled, n.right, n.settledAny, 100*right)
}

// TestLabelled prints, for each set, how much the reader settles and how much
// of that is right, and fails below what the figures have to be. With -v every
// reply that it does not settle is listed too.
func TestLabelled(t *testing.T) {
	t.Parallel()
	for _, set := range sets {
		file := set.file
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var whole tally
			by := map[string]*tally{}
			count := func(key string, l label, r reader.Reading) {
				if by[key] == nil {
					by[key] = &tally{}
				}
				by[key].add(l, r)
			}
			for _, l := range labels(t, file) {
				r := reader.Read(l.q, l.said, l.in)
				whole.add(l, r)
				count("kind "+string(l.q.Kind), l, r)
				count("status "+string(l.status), l, r)
				switch {
				case r.Settled && !l.right(r):
					t.Logf("wrong   %s:%d %s: %q: want %s %s, got %s %s (%s, %.2f)", file, l.line, l.q.ID, l.said, l.status, l.value, r.Status, r.Value, r.Why, r.Confidence)
				case !r.Settled && l.status != reader.Unclear:
					t.Logf("open    %s:%d %s: %q: want %s %s, got %s %s (%s, %.2f)", file, l.line, l.q.ID, l.said, l.status, l.value, r.Status, r.Value, r.Why, r.Confidence)
				}
				if l.status == reader.Refused && (r.Status == reader.Answered || r.Status == reader.Keypad) {
					t.Errorf("%s:%d: the refusal %q became the answer %s", file, l.line, l.said, r.Value)
				}
			}
			keys := make([]string, 0, len(by))
			for k := range by {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				t.Logf("%-16s %s", k, by[k])
			}
			t.Logf("%-16s %s", "all", &whole)
			if settled, right := whole.shares(); settled < set.settled || right < set.right {
				t.Errorf("%s: settles %.3f, right in %.3f; want at least %.2f and %.2f", file, settled, right, set.settled, set.right)
			}
		})
	}
}

// TestRefusalStays adds a story with a number, a yes and an option to every labelled
// refusal: none of it may become the answer.
func TestRefusalStays(t *testing.T) {
	t.Parallel()
	for _, l := range allLabels(t) {
		if l.status != reader.Refused || !reader.Read(l.q, l.said, l.in).Settled {
			continue
		}
		for _, said := range []string{
			l.said + " I've got seven grandchildren.", "Yes, well. " + l.said, l.said + " Seven of you have asked me.", "Good morning. " + l.said,
			l.said + " It's three o'clock.",
		} {
			if r := reader.Read(l.q, said, l.in); r.Status == reader.Answered || r.Status == reader.Keypad {
				t.Errorf("Read(%s, %q) = %s %s", l.q.ID, said, r.Status, r.Value)
			}
		}
	}
}

// TestLabelledEnough keeps the set large enough to mean something: enough replies for
// each kind and status together, but that no key answers a text.
func TestLabelledEnough(t *testing.T) {
	t.Parallel()
	type cell struct {
		kind   reader.Kind
		status reader.Status
	}
	cells := map[cell]int{}
	for _, l := range allLabels(t) {
		cells[cell{l.q.Kind, l.status}]++
	}
	for _, k := range []reader.Kind{reader.Scale, reader.Boolean, reader.Choice, reader.Number, reader.Text, reader.Time} {
		for _, s := range []reader.Status{reader.Answered, reader.Refused, reader.Skipped, reader.Unclear, reader.Keypad} {
			if n := cells[cell{k, s}]; n < wantEach && (k != reader.Text || s != reader.Keypad) {
				t.Errorf("%d replies to %s questions that are %s, want %d", n, k, s, wantEach)
			}
		}
	}
}
