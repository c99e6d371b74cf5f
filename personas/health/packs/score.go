package packs

import "slices"

// Result is an instrument added up. Where an item is missing there is no total,
// because a total over part of the items is not the published score.
type Result struct {
	Pack    string `json:"pack"`
	Version string `json:"version"`

	Total    *int     `json:"total,omitempty"` // nil unless Complete
	AtLeast  int      `json:"atLeast"`         // what the answers given already amount to
	Highest  int      `json:"highest"`         // the highest total there is
	Complete bool     `json:"complete"`
	Answered int      `json:"answered"`
	Of       int      `json:"of"`
	Missing  []string `json:"missing,omitempty"`

	Band    string `json:"band,omitempty"` // the cut-off's label; empty unless Complete
	Meaning string `json:"meaning,omitempty"`

	// Positive is also set for a partial screen whose given answers reach the
	// positive cut-off already: what is missing could only add to them.
	Positive bool   `json:"positive"`
	Next     string `json:"next,omitempty"` // the continuation to go on with; only when Complete
}

// Score adds up an instrument from answers by question id. Answers to other
// questions are ignored; an answer that the item does not accept counts as
// missing. A pack without scoring gives an incomplete, empty result.
func Score(p Pack, answers map[string]Value) Result {
	r := Result{Pack: p.ID, Version: p.Version, Of: len(p.Items)}
	if p.Scoring == nil {
		return r
	}
	low, high := p.totals()
	r.Highest = high
	sum, count := 0, 0
	for _, it := range p.Items {
		v, ok := answers[it.ID]
		if !ok || !it.Accepts(v) {
			r.Missing = append(r.Missing, it.ID)
			least, _, _ := p.points(it)
			sum += least
			continue
		}
		r.Answered++
		n := p.score(it, v)
		sum += n
		if n > 0 {
			count++
		}
	}
	if loss := p.Scoring.Loss; loss != nil {
		n, ok := loss.score(answers[loss.Before], answers[loss.Now])
		switch {
		case ok:
			sum += n
			count += n
		case !slices.Contains(r.Missing, loss.Before) && !slices.Contains(r.Missing, loss.Now):
			r.Missing = append(r.Missing, loss.ID) // two weights that cannot be compared
		}
	}
	r.AtLeast = max(low, p.Scoring.total(sum, count))
	r.Complete = len(r.Missing) == 0
	band := p.Scoring.band(r.AtLeast)
	r.Positive = band.Positive
	if r.Complete {
		total := r.AtLeast
		r.Total, r.Band, r.Meaning, r.Next = &total, band.Label, band.Meaning, band.Next
	}
	return r
}

func (s *Scoring) total(sum, count int) int {
	switch s.Method {
	case MethodCount:
		return count
	case MethodAny:
		return min(count, 1)
	default:
		return sum
	}
}

// band is the highest cut-off that a total reaches.
func (s *Scoring) band(total int) Cutoff {
	var found Cutoff
	for _, c := range s.Cutoffs {
		if total >= c.At {
			found = c
		}
	}
	return found
}

// score is the points of an answer that it accepts.
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
		c, _ := it.choice(v.Text)
		n = points(c)
	default:
	}
	if slices.Contains(p.Scoring.Reverse, it.ID) {
		low, high, _ := p.points(it)
		n = low + high - n
	}
	return n
}

// points is the range of an item's points, and whether it has any.
func (p Pack) points(it Item) (low, high int, ok bool) {
	if p.partOfLoss(it.ID) {
		return 0, 0, false
	}
	switch it.Type {
	case TypeBoolean:
		return 0, 1, true
	case TypeScale:
		return it.Min, it.Max, true
	case TypeNumber:
		return 0, 1, it.ScoreAt > 0
	case TypeChoice:
		if len(it.Choices) == 0 || it.Choices[0].Score == nil {
			return 0, 0, false
		}
		low, high = points(it.Choices[0]), points(it.Choices[0])
		for _, c := range it.Choices {
			low, high = min(low, points(c)), max(high, points(c))
		}
		return low, high, true
	default:
		return 0, 0, false
	}
}

// totals is the lowest and the highest total of the instrument.
func (p Pack) totals() (low, high int) {
	n := 0
	for _, it := range p.Items {
		l, h, ok := p.points(it)
		if ok {
			low, high, n = low+l, high+h, n+1
		}
	}
	if p.Scoring.Loss != nil {
		high, n = high+1, n+1
	}
	switch p.Scoring.Method {
	case MethodCount:
		return 0, n
	case MethodAny:
		return 0, 1
	default:
		return low, high
	}
}

func (p Pack) partOfLoss(id string) bool {
	return p.Scoring != nil && p.Scoring.Loss != nil && (id == p.Scoring.Loss.Before || id == p.Scoring.Loss.Now)
}

// otherUnit is how far apart two weights of one person are that can't be in the same
// unit: a kilogram is 2.2 pounds, and nobody changes by half in a year.
const otherUnit = 1.5

// sameMeasure reports whether two measurements are in one unit. A unit that was not
// named is taken for the other's, unless they are too far apart for that.
func sameMeasure(a, b Value) bool {
	if a.Unit != "" && b.Unit != "" {
		return a.Unit == b.Unit
	}
	return max(a.Number, b.Number) < otherUnit*min(a.Number, b.Number)
}

// score compares two measurements; it is false where that cannot be done: one is
// missing, nothing was weighed before, or the units differ.
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
