package search

import (
	"errors"
	"fmt"

	"github.com/naiber/naiber/memory"
)

// Settings say how a search weighs its results. A weight of 0 switches a list off; it then
// costs nothing.
type Settings struct {
	KeywordWeight float64
	VectorWeight  float64
	DateWeight    float64 // of the days that a question names: they boost, and never filter
	// RRFK flattens the ranks: the larger it is, the less the first places count more than
	// the others. The paper that proposed the fusion uses 60, for lists of a thousand; for
	// lists of a hundred, 20 finds a little more (see memory/evaluation).
	RRFK float64
	// Candidates is the length of each list of windows before fusion.
	Candidates int
	// Similarity is the minimum cosine of a window that only the vectors found. It keeps
	// out what has nothing to do with a question; a higher value costs relevant windows.
	Similarity float64
	// Limit is how many turns a search returns, Budget how many tokens they may fill,
	// unless the query says otherwise. Long turns are cut to fit.
	Limit  int
	Budget int
}

// DefaultSettings returns the default settings.
func DefaultSettings() Settings {
	return Settings{
		KeywordWeight: 1, VectorWeight: 1, DateWeight: 0.5, RRFK: 20, Candidates: 100,
		Similarity: 0.25, Limit: 15, Budget: 1500,
	}
}

// Upper limits of settings and queries.
const (
	MaxLimit      = 100
	maxCandidates = 1000
	MaxBudget     = 100_000
)

// Validate returns all errors in the settings, joined. Each wraps [memory.ErrInvalid].
func (s Settings) Validate() error {
	var errs []error
	check := func(ok bool, what string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %w", what, memory.ErrInvalid))
		}
	}
	check(s.KeywordWeight >= 0 && s.VectorWeight >= 0 && s.DateWeight >= 0, "weights must not be negative")
	check(s.KeywordWeight+s.VectorWeight > 0, "keywords or vectors must have a weight")
	check(s.RRFK >= 1, "the constant of the rank fusion must be at least 1")
	check(s.Candidates >= 1 && s.Candidates <= maxCandidates, "candidates must be 1 to 1000")
	check(s.Similarity >= -1 && s.Similarity <= 1, "similarity must be -1 to 1")
	check(s.Limit >= 1 && s.Limit <= MaxLimit, "limit must be 1 to 100")
	check(s.Budget >= 1 && s.Budget <= MaxBudget, "budget must be 1 to 100000 tokens")
	return errors.Join(errs...)
}
