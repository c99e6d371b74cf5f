package packs

import (
	"slices"

	"github.com/naiber/naiber/store/checks"
)

// Result is the score of an instrument. If an item is missing there is no total, because a total of
// some of the items is not the published score. A partial screen is positive if the answers given
// already reach the positive cut-off, as the missing ones could only add to them.
type Result struct {
	checks.Score

	AtLeast int      // the least total that the answers given allow
	Missing []string // the items without an answer
	Next    string   // the continuation to ask, if no item is missing
}

// Score scores an instrument from answers by question id. It ignores answers to other questions; an
// answer that the item does not accept counts as missing. For a pack without scoring it returns an
// empty result.
func Score(p Pack, answers map[string]Value) Result {
	r := Result{Score: checks.Score{Pack: p.ID, Version: p.Version, Title: p.Title, Of: len(p.Items)}}
	if p.Scoring == nil {
		return r
	}
	low, high := p.totals()
	r.Highest = high
	sum := 0
	for _, it := range p.Items {
		v, ok := answers[it.ID]
		if !ok || !it.Accepts(v) {
			r.Missing = append(r.Missing, it.ID)
			least, _, _ := p.points(it)
			sum += least
			continue
		}
		r.Answered++
		sum += p.score(it, v)
	}
	if loss := p.Scoring.Loss; loss != nil {
		n, ok := loss.score(answers[loss.Before], answers[loss.Now])
		switch {
		case ok:
			sum += n
		case !slices.Contains(r.Missing, loss.Before) && !slices.Contains(r.Missing, loss.Now):
			r.Missing = append(r.Missing, loss.ID) // two weights that cannot be compared
		}
	}
	r.AtLeast = min(max(low, sum), high)
	band := p.Scoring.band(r.AtLeast)
	r.Positive = band.Positive
	if len(r.Missing) == 0 {
		total := r.AtLeast
		r.Total, r.Band, r.Meaning, r.Next = &total, band.Label, band.Meaning, band.Next
	}
	return r
}

// band returns the highest cut-off that a total reaches.
func (s *Scoring) band(total int) Cutoff {
	var found Cutoff
	for _, c := range s.Cutoffs {
		if total >= c.At {
			found = c
		}
	}
	return found
}

// score returns the points of an answer that the item accepts.
func (p Pack) score(it Item, v Value) int {
	if p.partOfLoss(it.ID) {
		return 0
	}
	n := 0
	switch it.Type {
	case TypeBoolean:
		if v.Bool {
			n = 1
		}
	case TypeScale:
		n = int(v.Number)
	case TypeNumber:
		if v.Number >= float64(it.ScoreAt) {
			n = 1
		}
	case TypeChoice:
		c, _ := it.Choice(v.Text)
		n = points(c)
	default:
	}
	return n
}

// points returns the range of an item's points, and reports whether it has any.
func (p Pack) points(it Item) (low, high int, ok bool) {
	if p.partOfLoss(it.ID) {
		return 0, 0, false
	}
	if it.Type == TypeNumber {
		return 0, 1, it.ScoreAt > 0
	}
	return it.Bounds()
}

// totals returns the lowest and the highest possible total of the instrument.
func (p Pack) totals() (low, high int) {
	for _, it := range p.Items {
		l, h, _ := p.points(it)
		low, high = low+l, high+h
	}
	if p.Scoring.Loss != nil {
		high++
	}
	if p.Scoring.Method == MethodAny {
		return 0, 1
	}
	return low, high
}

func (p Pack) partOfLoss(id string) bool {
	return p.Scoring != nil && p.Scoring.Loss != nil && (id == p.Scoring.Loss.Before || id == p.Scoring.Loss.Now)
}

// otherUnit is the ratio from which two weights of one person can't be in the same unit: a kilogram
// is 2.2 pounds, and nobody's weight changes by half in a year.
const otherUnit = 1.5

// sameMeasure reports whether two measurements are in the same unit. If a unit was not named, they
// are taken to be, unless they are too far apart.
func sameMeasure(a, b Value) bool {
	if a.Unit != "" && b.Unit != "" {
		return a.Unit == b.Unit
	}
	return max(a.Number, b.Number) < otherUnit*min(a.Number, b.Number)
}

// score compares two measurements. It returns false if that is impossible: one is missing or not
// positive, or the units differ.
func (l *Loss) score(before, now Value) (int, bool) {
	if before.Type != TypeNumber || now.Type != TypeNumber || before.Number <= 0 || now.Number <= 0 {
		return 0, false
	}
	if !sameMeasure(before, now) {
		return 0, false
	}
	if (before.Number-now.Number)*100 > l.Above*before.Number {
		return 1, true
	}
	return 0, true
}
