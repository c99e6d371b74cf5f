package memory

import (
	"context"
	"math"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
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
)

// words returns the windows that have words of the question, or names of whom
// the question means, best first.
func (s *Service) words(ctx context.Context, q Query, set Settings, config string, names <-chan []string) ([]uuid.UUID, error) {
	if set.KeywordWeight == 0 {
		return nil, nil
	}
	terms, all, err := s.cfg.Store.MemoryTerms(ctx, q.Scope, config, gist(q.Text, config))
	if err != nil {
		return nil, err
	}
	called, err := s.calledTerms(ctx, q.Scope, config, <-names, terms)
	if err != nil || len(terms)+len(called) == 0 {
		return nil, err
	}
	if rarest(terms, called) > maxMatches {
		// Even the rarest word is everywhere, so it says little: the newest will do.
		return s.cfg.Store.NewestMemoryWindows(ctx, q.Scope, append(terms, called...)[0].Lexeme, set.Candidates)
	}
	rare, common := choose(terms, called, all)
	pool := set.Candidates
	if len(common) > 0 {
		pool *= matchPool
	}
	return s.cfg.Store.MatchMemoryWindows(ctx, q.Scope, store.MemoryMatch{
		Terms: rare, Common: common, Flatten: flattening, Typical: typicalWords,
		Pool: pool, Limit: set.Candidates,
	})
}

// rarest is in how many windows the rarest term stands, the rarest of each list first.
func rarest(lists ...[]store.MemoryTerm) int {
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
func choose(said, called []store.MemoryTerm, all int) (rare, common []store.WeightedTerm) {
	matches := 0
	add := func(t store.MemoryTerm, share float64) {
		w := store.WeightedTerm{MemoryTerm: t, Weight: share * idf(t.Windows, all)}
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
