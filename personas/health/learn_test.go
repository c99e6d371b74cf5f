package health

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/internal/weights"
	"github.com/naiber/naiber/personas/health/likely"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// decay is how fast weights fade while they are learned: less than where there are more examples.
const decay = 0.02

var learnNow = flag.Bool("learn", false, "learn what replies likely mean and write the weights")

// unlearned are files of replies that weights are measured with, and not learned from.
var unlearned = []string{"en_be_sealed.txt", "en_bf_sealed.txt", "en_bg_sealed.txt", "es_bc_sealed.txt", "es_bd_sealed.txt"}

// corpora are the files that a language's weights are learned from.
func corpora(tb testing.TB, code string) (all []string) {
	tb.Helper()
	for _, pattern := range []string{"testdata/corpus/*.txt", "testdata/strangers/*.txt", "testdata/replies/*.txt"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			tb.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, path := range found {
			if languageOf(path) == code && !slices.Contains(unlearned, filepath.Base(path)) {
				all = append(all, path)
			}
		}
	}
	return all
}

// labelledLine is a line of any of them: question | what it comes to | said. The question of talk
// that answers none is a star.
var labelledLine = regexp.MustCompile(`^([a-z_.]+|\*) +\| +([^|]+?) +\| +([^|]+?)(?: *\|.*)?$`)

// example is a labelled reply; ok is false where it tells of no question that is shipped.
func (h *hearing) example(tb testing.TB, line string, ids map[string]bool, kinds []string) (x weights.Example, ok bool) {
	tb.Helper()
	m := labelledLine.FindStringSubmatch(line)
	if m == nil || !ids[m[1]] {
		return x, false
	}
	r := h.replyTo(tb, m[1], m[3])
	e := r.s.current()
	q := e.question(r.rc.Now)
	want := strings.TrimLeft(strings.TrimSuffix(strings.Fields(m[2])[0], "+end"), "~?")
	switch {
	case want == "exit":
		want = likely.End
	case want == "unclear" || want == "...":
		want = likely.None
	case slices.Contains([]string{"distress", "person", "key", "again", "keypad"}, want):
		return x, false
	case slices.Contains(kinds, want) && want != likely.Given:
	case q.Kind == reader.Boolean || q.Kind == reader.Choice:
		tb.Fatalf("%s: no %q", line, want)
	default:
		want = likely.Given
	}
	x.Is = slices.Index(kinds, want)
	x.Features, x.Among = likely.Evidence(&q, m[3], r.reading(e), r.rc, kinds)
	if !x.Among[x.Is] {
		tb.Fatalf("%s: no %q", line, want)
	}
	return x, true
}

// asked returns line, or for the nth one, if it is talk that answers no question, lines in which it
// is said to some of them.
func (h *hearing) asked(line string, n int) []string {
	talk, ok := strings.CutPrefix(line, "*")
	if !ok {
		return []string{line}
	}
	const each = 8
	var all []string
	for i := range each {
		q := h.questions[(n*5+i*len(h.questions)/each)%len(h.questions)]
		if q.Type != packs.TypeText {
			all = append(all, q.ID+talk)
		}
	}
	return all
}

// kinds are all that a reply may come to.
func (h *hearing) kinds() []string {
	all := []string{likely.None, likely.Refused, likely.Skipped, likely.End, likely.Given, likely.Yes, likely.No}
	for _, q := range h.questions {
		for _, c := range q.Choices {
			if !slices.Contains(all, c.Value) {
				all = append(all, c.Value)
			}
		}
	}
	return all
}

// TestLikely asks that the weights are those of what they were learned from; -learn writes them.
func TestLikely(t *testing.T) {
	for _, code := range []string{"en", "es"} {
		h, sum := hearingIn(t, code), sha256.New()
		kinds, ids := h.kinds(), map[string]bool{}
		for _, q := range h.questions {
			ids[q.ID] = true
		}
		var lines []string
		for _, path := range corpora(t, code) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(raw)
			lines = append(lines, strings.Split(string(raw), "\n")...)
		}
		head := weights.Header{From: hex.EncodeToString(sum.Sum(nil)), Kinds: kinds}
		if !*learnNow {
			if w := likely.Learned(code); w.From != head.From || !slices.Equal(w.Kinds, kinds) {
				t.Errorf("likely/%s.weights is not of its corpus: task learn:heard", code)
			}
			continue
		}
		var set []weights.Example
		for n, line := range lines {
			for _, line := range h.asked(line, n) {
				if x, ok := h.example(t, line, ids, kinds); ok {
					set = append(set, x)
				}
			}
		}
		raw, err := weights.Learn(set, head, decay).File()
		if err == nil {
			err = os.WriteFile("likely/"+code+".weights", raw, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d replies", code, len(set))
	}
}
