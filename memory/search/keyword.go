package search

import (
	"math"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/memories"
)

const (
	// maxMatches bounds how many windows the index is asked for: some
	// microseconds each. Rare words find them; common ones only help to rank.
	maxMatches = 400
	// maxTerms bounds how many words of a question take part, the rarest first.
	maxTerms, maxCommon = 16, 6
	// matchPool is how many of the best matches per candidate are looked at closely.
	matchPool = 2
	// flattening and typicalWords: a window counts for less the more words it
	// has, since it meets any question more easily. A window of three turns of a
	// conversation has some 40 lexemes.
	flattening, typicalWords = 0.3, 40
	// nameShare is what a name weighs that was not said itself, alongside a word that was.
	nameShare = 0.5
	// maxNames bounds how many names a question is widened by.
	maxNames = 8
	// maxCallWords is how many words may call somebody: "brother in law".
	maxCallWords = 3
	// maxCallings bounds how many words of a question may call somebody.
	maxCallings = 200
)

// words says which windows are wanted: those that have words of the question, or
// names of whom the question means.
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
		// Even the rarest word is everywhere, so it says little: the newest will do.
		seek.Newest = append(said, called...)[0].Lexeme
		return
	}
	rare, common := choose(said, called, r.Windows)
	seek.Match.Terms, seek.Match.Common = rare, common
	seek.Match.Flatten, seek.Match.Typical = flattening, typicalWords
	seek.Match.Pool = r.set.Candidates
	if len(common) > 0 {
		seek.Match.Pool *= matchPool
	}
}

// rarest is in how many windows the rarest term stands, the rarest of each list first.
func rarest(lists ...[]memories.Term) int {
	n := math.MaxInt
	for _, l := range lists {
		if len(l) > 0 {
			n = min(n, l[0].Windows)
		}
	}
	return n
}

// choose splits terms, the rarest of each list first and the rarest of all in few
// windows, into those that find windows and those that only help to rank, and
// weighs them: a word that stands
// in few of all windows says more (the inverse document frequency of BM25), and a
// name that was not said for less.
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

// callings are the words of a text, and up to three that follow each other, as
// somebody may be called by them. What may be a plural is there without its end too.
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
