package evaluation

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
)

// variants are the ways of searching that a report compares.
var variants = []struct {
	name            string
	keyword, vector float64
}{{"keyword only", 1, 0}, {"vectors only", 0, 1}, {"fused", 1, 1}}

// BenchmarkRecall prints what each part of the search adds:
//
//	go test ./memory/evaluation -run '^$' -bench Recall -benchtime 1x
func BenchmarkRecall(b *testing.B) {
	elders, e := load(b), embedder(b)
	for range b.N {
		var out strings.Builder
		out.WriteString("\n| memory | search | recall@5 | recall@10 | recall@20 |")
		for _, k := range Kinds {
			fmt.Fprintf(&out, " %s@10 |", k)
		}
		out.WriteString(" named@10 | in other words@10 | old first@10 |\n" + strings.Repeat("|---", 8+len(Kinds)) + "|\n")
		for _, how := range []how{{apart: true}, {}, {apart: true, facts: true}, {facts: true}, {facts: true, names: true}, {model: sandboxModel(b)}, {model: newOnRecord(b, nil)}} {
			h := newHome(b, elders, e, how)
			for _, v := range variants {
				out.WriteString(h.row(b, how, v.name, v.keyword, v.vector))
			}
		}
		out.WriteString("\nforgotten: questions that brought back what was forgotten, in all three; never: turns found a question\n")
		fmt.Fprint(os.Stdout, out.String())
	}
}

// BenchmarkHops prints how many of the turns are found that lie two or three relations away
// from a question, with and without the names that lead there:
//
//	go test ./memory/evaluation -run '^$' -bench Hops -benchtime 1x
func BenchmarkHops(b *testing.B) {
	elders, e := loadFrom(b, "hops"), embedder(b)
	for range b.N {
		var out strings.Builder
		out.WriteString("\n| memory | search | recall@5 | recall@10 | recall@20 |\n|---|---|---|---|---|\n")
		for _, names := range []bool{false, true} {
			h := newHome(b, elders, e, how{names: names})
			of := map[bool]string{false: "windows of three turns", true: "and names"}[names]
			for _, v := range variants {
				fmt.Fprintf(&out, "| %s | %s |", of, v.name)
				for _, k := range []int{5, 10, 20} {
					fmt.Fprintf(&out, " %.3f |", h.ask(b, settings(k, v.keyword, v.vector), nil).Recall())
				}
				out.WriteString("\n")
			}
		}
		fmt.Fprint(os.Stdout, out.String())
	}
}

// row asks everything three times, for 5, 10 and 20 turns.
func (h *home) row(b *testing.B, how how, name string, keyword, vector float64) string {
	b.Helper()
	var tallies []Tally
	var named, other Tally // of ten turns, in the end
	for _, k := range []int{5, 20, 10} {
		named, other = Tally{}, Tally{}
		tallies = append(tallies, h.ask(b, settings(k, keyword, vector), func(e Elder, _ memory.Scope, q Question, r Result, _ search.Found) {
			if e.InOtherWords(q) {
				other.Add(q.Kind, r)
			} else {
				named.Add(q.Kind, r)
			}
		}))
	}
	of := "windows of three turns"
	if how.apart {
		of = "single turns"
	}
	if how.facts {
		of += ", with facts"
	}
	if how.names {
		of += " and names"
	}
	switch m := how.model.(type) {
	case pupil:
		of += ", with facts and names as the sandbox's own extraction learns them"
	case *onRecord:
		of += ", with facts and names as a model's recorded answers learn them"
		if m.missing > 0 {
			of += fmt.Sprintf(" (%d answers are missing)", m.missing)
		}
	}
	row := fmt.Sprintf("| %s | %s | %.3f | %.3f | %.3f |", of, name, tallies[0].Recall(), tallies[2].Recall(), tallies[1].Recall())
	for _, k := range Kinds {
		s := tallies[2][k]
		switch k {
		case Forgotten:
			row += fmt.Sprintf(" %d |", tallies[0].Leaked()+tallies[1].Leaked()+tallies[2].Leaked())
		case Never:
			row += fmt.Sprintf(" %.1f |", float64(s.Hits)/float64(s.Questions))
		default:
			row += fmt.Sprintf(" %.3f |", tallies[2].Recall(k))
		}
	}
	return row + fmt.Sprintf(" %.3f | %.3f | %d of %d |\n", named.Recall(), other.Recall(), tallies[2][Changed].OldFirst, tallies[2][Changed].Questions)
}
