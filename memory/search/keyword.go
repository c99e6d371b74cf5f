package search

import (
	"math"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/memories"
)

const (
	// maxMatches limits how many windows the index is asked for: some microseconds each.
	// Rare words find windows; common ones only help to rank.
	maxMatches = 400
	// maxTerms limits how many words of a question find windows, the rarest first;
	// maxCommon, how many only help to rank.
	maxTerms, maxCommon = 16, 6
	// matchPool is how many of the best matches per candidate are scored closely.
	matchPool = 2
	// flattening and typicalWords: a window counts for less the more words it has, since it
	// matches any question more easily. A window of three turns of a conversation has about
	// 40 lexemes.
	flattening, typicalWords = 0.3, 40
	// nameShare is the weight of a name that was not said itself, relative to a word that
	// was.
	nameShare = 0.5
	// calledWords multiplies the weight of the list by words if it has names that were not
	// said: "my sister's son" means nothing to vectors.
	calledWords = 1.25
	// maxNames limits how many names are added to a question.
	maxNames = 8
	// maxCallWords is the maximum number of words in a way to call a person: "brother in
	// law".
	maxCallWords = 3
	// maxCallings limits how many ways to call a person are read from a question.
	maxCallings = 200
)

// words sets which windows are wanted: those with words of the question, or with names of
// the people that it means.
func (r *recall) words(seek *memories.Seek) {
	seek.Match.Limit = r.set.Candidates
	said := slices.DeleteFunc(r.Terms, func(t memories.Term) bool {
		return !slices.ContainsFunc(t.Places, func(place int) bool { return r.counts[place] })
	})
	called := slices.DeleteFunc(r.Called, func(t memories.Term) bool {
		return slices.ContainsFunc(said, func(o memories.Term) bool { return o.Lexeme == t.Lexeme })
	})
	if len(said)+len(called) == 0 {
		return
	}
	if rarest(said, called) > maxMatches {
		// Even the rarest word is everywhere, and says little: take the newest windows.
		seek.Newest = append(said, called...)[0].Lexeme
		return
	}
	rare, common := choose(said, called, r.Windows)
	seek.Match.Terms, seek.Match.Common = rare, common
	r.terms = slices.Concat(rare, common)
	seek.Match.Flatten, seek.Match.Typical = flattening, typicalWords
	seek.Match.Pool = r.set.Candidates
	if len(common) > 0 {
		seek.Match.Pool *= matchPool
	}
}

// rarest returns the number of windows with the rarest term. Each list must have its rarest
// term first.
func rarest(lists ...[]memories.Term) int {
	n := math.MaxInt
	for _, l := range lists {
		if len(l) > 0 {
			n = min(n, l[0].Windows)
		}
	}
	return n
}

// choose splits terms, the rarest of each list first and the rarest of all in at most
// maxMatches windows, into those that find windows and those that only help to rank. It
// weighs them by the inverse document frequency of BM25, in which a word in few of all
// windows says more, and lowers the weight of names that were not said.
func choose(said, called []memories.Term, all int) (rare, common []memories.WeightedTerm) {
	matches := 0
	add := func(t memories.Term, share float64) {
		w := memories.WeightedTerm{Term: t, Weight: share * idf(t.Windows, all)}
		switch {
		case matches+t.Windows <= maxMatches && len(rare) < maxTerms:
			matches += t.Windows
			rare = append(rare, w)
		case len(common) < maxCommon:
			common = append(common, w)
		}
	}
	for _, t := range said {
		add(t, 1)
	}
	for _, t := range called {
		add(t, nameShare)
	}
	return rare, common
}

func idf(windows, all int) float64 {
	n, of := float64(windows), float64(max(windows, all))
	return math.Log(1 + (of-n+0.5)/(n+0.5))
}

// callings returns the ways in which a text may call a person: its words, and runs of up to
// three. A possible plural is included without its ending too.
func callings(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(strings.NewReplacer("’s", "", "'s", "").Replace(text)), betweenWords)
	words = words[:min(len(words), maxCallings/maxCallWords)]
	var out []string
	for i := range words {
		for n := 1; n <= maxCallWords && i+n <= len(words); n++ {
			call := strings.Join(words[i:i+n], " ")
			out = append(out, call)
			if one, ok := strings.CutSuffix(call, "s"); ok {
				out = append(out, one)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
