package evaluation

import (
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/search"
)

// Result is what a search made of one question.
type Result struct {
	// Recall is the share of the answering turns that were found.
	Recall float64
	// Missed are the tags that were not.
	Missed []string
	// OldFirst says that what is true no longer stands in front of what is, or
	// alone.
	OldFirst bool
	// Leaked says that something was found that had been forgotten.
	Leaked bool
	// Hits is how many turns were found in all, right or not.
	Hits int
}

// Score compares what was found with what answers a question. ids are the turns
// of the tags, gone those that had been forgotten.
func Score(q Question, ids map[string]uuid.UUID, gone []uuid.UUID, hits []search.Hit) Result {
	place := map[uuid.UUID]int{}
	for i, h := range hits {
		place[h.ID] = i
	}
	r := Result{Hits: len(hits)}
	r.Leaked = slices.ContainsFunc(hits, func(h search.Hit) bool { return slices.Contains(gone, h.ID) })
	first := func(tags []string) int {
		best := len(hits)
		for _, tag := range tags {
			if i, ok := place[ids[tag]]; ok {
				best = min(best, i)
			}
		}
		return best
	}
	r.OldFirst = len(q.Old) > 0 && first(q.Old) < first(q.Gold)
	if !q.Kind.Answerable() {
		return r
	}
	for _, tag := range q.Gold {
		if _, ok := place[ids[tag]]; !ok {
			r.Missed = append(r.Missed, tag)
		}
	}
	r.Recall = 1 - float64(len(r.Missed))/float64(len(q.Gold))
	return r
}

// Tally adds results up, by kind.
type Tally map[Kind]*Sum

// Sum is what the questions of one kind, or of all, came to.
type Sum struct {
	Questions, OldFirst, Leaked, Hits int
	recall                            float64
}

// Add counts a result.
func (t Tally) Add(k Kind, r Result) {
	s := t[k]
	if s == nil {
		s = &Sum{}
		t[k] = s
	}
	s.Questions++
	s.Hits += r.Hits
	s.recall += r.Recall
	if r.OldFirst {
		s.OldFirst++
	}
	if r.Leaked {
		s.Leaked++
	}
}

// Recall is the mean over questions of kinds; none means all that have an answer.
func (t Tally) Recall(kinds ...Kind) float64 {
	var sum, n float64
	for k, s := range t {
		if slices.Contains(kinds, k) || len(kinds) == 0 && k.Answerable() {
			sum, n = sum+s.recall, n+float64(s.Questions)
		}
	}
	return sum / max(n, 1)
}

// Leaked counts the questions that brought up what had been forgotten.
func (t Tally) Leaked() int {
	n := 0
	for _, s := range t {
		n += s.Leaked
	}
	return n
}
