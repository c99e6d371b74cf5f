package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// furtherWindows is what each window beyond the best adds to a turn's score. A turn that
// says what was asked for is in all windows around it, its neighbours only in some.
const furtherWindows = 0.25

// fewWords is the number of words up to which an answer says little without its question.
const fewWords = 8

// candidate is a turn in one of the windows that were found.
type candidate struct {
	Hit
	best, sum float64
	taken     bool
	// before and after are the neighbouring turns, if they were found as well.
	before, after *candidate
}

// collapse turns windows, best first, into turns: each once, the best first until the limit
// is reached or the budget used up. A question is taken with its answer, and a short
// answer with its question. The same question with the same answer appears once. Outdated
// turns come after those that say what is true now. If the turns exceed the budget, the
// longest are cut to the part that answers the question.
func (r *recall) collapse(windows []memories.WindowTurns, rank map[uuid.UUID]ranking, over outdated, exclude []uuid.UUID) []Hit {
	all := candidates(windows, rank)
	for _, id := range exclude {
		delete(all, id)
	}
	r.weigh(all)
	over.overtake(all)
	order := make([]*candidate, 0, len(all))
	for _, c := range all {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(a.Seq, b.Seq), bytes.Compare(a.ID[:], b.ID[:]))
	})
	var taken []*candidate
	heard := map[string]bool{} // texts of the taken ones: small talk recurs word for word
	budget := r.set.Budget     // less what is taken, if it were cut to the minimum
	take := func(unit ...*candidate) bool {
		tokens := 0
		for _, c := range unit {
			tokens += c.around() + min(c.length(), leastCut)
		}
		if len(taken)+len(unit) > r.set.Limit || tokens > budget {
			return false
		}
		budget -= tokens
		for _, c := range unit {
			c.taken, heard[c.Text] = true, true
		}
		taken = append(taken, unit...)
		return true
	}
	for _, c := range order {
		if c.taken {
			continue
		}
		p := c.partner(all)
		if p != nil && heard[c.Text] && heard[p.Text] {
			continue
		}
		if p == nil || !take(c, p) {
			take(c)
		}
	}
	shorten(taken, r.q.Text, r.set.Budget)
	return hits(over.behind(groups(taken)))
}

// candidates returns the turns of windows with their scores.
func candidates(windows []memories.WindowTurns, rank map[uuid.UUID]ranking) map[uuid.UUID]*candidate {
	all := map[uuid.UUID]*candidate{}
	for _, w := range windows {
		r := rank[w.ID]
		var before *candidate
		for _, t := range w.Turns {
			c := all[t.ID]
			if c == nil {
				c = &candidate{Hit: Hit{Turn: t, Source: sourceOf(t.ID, w.Turns), Lists: r.lists}, best: r.score}
				all[t.ID] = c
			}
			c.best, c.sum = max(c.best, r.score), c.sum+r.score
			c.Score = c.best + furtherWindows*(c.sum-c.best)
			if before != nil {
				before.after, c.before = c, before
			}
			before = c
		}
	}
	return all
}

func sourceOf(id uuid.UUID, turns []memories.Turn) []uuid.UUID {
	ids := []uuid.UUID{id}
	for _, t := range turns {
		if t.ID != id {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// partner returns the answer to a question, or the question of a short answer, if it is not
// taken; otherwise nil.
func (c *candidate) partner(all map[uuid.UUID]*candidate) *candidate {
	question, answer := c, c.after
	p := answer
	if c.Speaker == calls.RoleUser {
		question, answer = c.before, c
		p = question
	}
	if p == nil || p.taken || p.Speaker == c.Speaker || all[p.ID] == nil || !strings.Contains(question.Text, "?") ||
		p == question && len(strings.Fields(answer.Text)) > fewWords {
		return nil
	}
	return p
}

// groups returns the taken turns in groups of consecutive turns, the best group first.
func groups(taken []*candidate) [][]*candidate {
	seen := map[uuid.UUID]bool{}
	var all [][]*candidate
	for _, c := range taken { // best first: a group has the rank of its best turn
		if seen[c.ID] {
			continue
		}
		first := c
		for first.before != nil && first.before.taken {
			first = first.before
		}
		var g []*candidate
		for t := first; t != nil && t.taken; t = t.after {
			seen[t.ID] = true
			g = append(g, t)
		}
		all = append(all, g)
	}
	return all
}

func hits(groups [][]*candidate) []Hit {
	var all []Hit
	for i, g := range groups {
		for _, c := range g {
			c.Block = i
			all = append(all, c.Hit)
		}
	}
	return all
}
