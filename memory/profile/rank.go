package profile

import (
	"cmp"
	"slices"

	"github.com/naiber/naiber/internal/english"
)

// rank returns up to limit facts, those that share words with the query first, and at most
// rest that share none.
func rank(facts []fact, query string, limit, rest int) []string {
	type scored struct {
		fact
		meets int
	}
	q := english.Content(query)
	all := make([]scored, 0, len(facts))
	for _, f := range facts {
		all = append(all, scored{f, english.Common(q, f.words)})
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(b.meets-a.meets, cmp.Compare(b.base, a.base))
	})
	var out []string
	for _, s := range all {
		if len(out) == limit {
			break
		}
		if s.meets == 0 {
			if rest == 0 {
				continue
			}
			rest--
		}
		out = append(out, s.text)
	}
	return out
}
