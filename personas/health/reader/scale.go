package reader

import (
	"math"
	"slices"
)

// readScale reads a whole number from the lowest to the highest.
func (r numeric) readScale() Reading {
	cs, outside := r.scaleCandidates()
	if len(cs) == 0 {
		if got, ok := r.same(); ok {
			return got
		}
		if outside {
			return unclear("out of range")
		}
		if got, ok := r.scaleWords(); ok {
			got.Verbal = true
			return got
		}
		return unclear("no number")
	}
	c, ok := r.settle(cs, meanWithin(2, true))
	if !ok {
		return unclear(c.why)
	}
	if c.past && !c.strong {
		c.confidence = min(c.confidence, guess)
	}
	got := r.wordReading(c.value, c.confidence, c.from, c.to, c.why)
	got.Risky = c.others && !c.now
	return got
}

// meanWithin returns a function that replaces two numbers no more than gap apart with their mean,
// rounded half away from zero if round is set, for questions that take only whole numbers.
func meanWithin(gap float64, round bool) func(a, b candidate) (candidate, bool) {
	return func(a, b candidate) (candidate, bool) {
		if math.Abs(a.value-b.value) > gap {
			return candidate{}, false
		}
		c := candidate{
			unit: b.unit, value: (a.value + b.value) / 2, from: a.from, to: b.to, strong: true, past: a.past, now: a.now || b.now,
			confidence: likely, why: "range",
		}
		if round {
			c.value = math.Round(c.value)
		}
		return c, true
	}
}

// scaleCandidates returns the numbers that could be the answer, and whether there was one off the
// scale.
func (r numeric) scaleCandidates() (cs []candidate, outside bool) {
	low, high, _ := r.q.bounds()
	gone := -1 // where the last number that belongs to something else ended
	for i := 0; i < len(r.toks); i++ {
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
		v, n := r.number(i, false)
		why := "number"
		if n == 0 {
			if v, why = r.slip(i); why == "" {
				continue
			}
			n = 1
		}
		c := r.candidate(v, i, n, why)
		c.hearsay = c.hearsay || r.ofOthers(c.from)
		i += n - 1
		total := r.ofTotal(&c, low, high)
		switch why {
		case "slip":
			c.confidence = likely
		case "doubtful slip":
			c.confidence = doubtful
		}
		c.bound = r.inexact(c.from)
		foreign := c.bound == 0 && (r.foreignBefore(c) || r.foreignAfter(c) && (!c.final || r.lx.units[r.at(c.to)].dim != ""))
		if total {
			foreign = c.why == "percent" && r.foreignBefore(c)
		}
		if n := len(cs); foreign && n > 0 && c.from-cs[n-1].to <= 2 && r.fixedBetween(cs[n-1].to, c.from) && r.lx.units[r.at(c.to)].dim == "" {
			foreign = false // "five no six" and an unknown word
		}
		if why == "number" && (foreign || !total && r.rangeFrom(gone, c.from)) {
			if n := len(cs); n > 0 && r.in(c.from-1, cue.ToOr) && r.follows(c.from) && cs[n-1].to == c.from-1 {
				cs[n-1].doubt("range") // "four or five weeks"
			}
			gone = c.to
			continue
		}
		i = max(i, c.to-1)
		if len(cs) > 0 && c.from == cs[len(cs)-1].to && r.follows(c.from) && (c.value < low || c.value > high) {
			cs = cs[:len(cs)-1] // "seven eleven", a telephone number
			continue
		}
		if r.restatesScale(c, low, high) || r.denied(c.from) && c.bound == 0 {
			continue
		}
		if end := r.scaleEnd(c); end != 0 && (c.value == low || c.value == high) {
			if r.turned(end, c.value == high) {
				return nil, false
			}
			continue
		}
		if c.value != math.Trunc(c.value) && c.value > low && c.value < high {
			c.value, c.confidence, c.why = math.Round(c.value), min(c.confidence, stated), "rounded"
		}
		if c.value < low || c.value > high || r.in(c.from-1, cue.Minus) {
			outside = outside || c.strong
			continue
		}
		if c.bound != 0 {
			c.doubt("inexact")
		}
		if r.asksOfScale(c, low, high) {
			continue
		}
		if r.onCondition(c) || r.aboutScale(c) || r.changes(c) {
			c.doubt("if")
		}
		cs = append(cs, c)
	}
	return r.dropOnes(r.dropBounds(cs, low, high)), outside
}

// dropOnes drops "one" if it stands for a thing and another number is given: "the right one six".
func (r numeric) dropOnes(cs []candidate) []candidate {
	one := func(c candidate) bool {
		return r.in(c.from, cue.One) && c.to-c.from == 1 && r.follows(c.from) && r.follows(c.from-1) && r.in(c.from-2, cue.The)
	}
	if !slices.ContainsFunc(cs, func(c candidate) bool { return !one(c) && c.value != 1 }) {
		return cs
	}
	return slices.DeleteFunc(cs, one)
}

// onCondition reports whether the number holds only under a condition or is only wished for: "I'd
// be a ten if you got me out of here", "without the tablets it would be a ten", "I used to be a
// ten", "I wish it was a ten".
func (r numeric) onCondition(c candidate) bool {
	from, to := r.clause(c.from)
	for k := from; k < to && r.any(from, c.from, cue.WouldBe); k++ {
		if r.in(k, cue.Unless) && !r.toks[k].aside && !r.starts(k, cue.IfYouAsk) {
			return true
		}
	}
	return r.any(from, c.from, cue.WishedFor)
}

// changes reports whether a number says by how much something changes or differs: "knock two off
// top marks", "two less than yesterday".
func (r numeric) changes(c candidate) bool {
	return r.follows(c.to) && r.starts(c.to, cue.Difference) || r.any(c.from-3, c.from, cue.Changes)
}

// aboutScale reports whether a number describes the scale or an earlier time: "so ten is the best",
// "did you say ten", "it was eight before the operation".
func (r numeric) aboutScale(c candidate) bool {
	k := r.backOver(c.from, cue.A)
	return r.follows(c.to) && (r.starts(c.to, cue.BeforeThen) || r.in(c.to, cue.Means) && r.in(c.to+1, cue.OfScale)) ||
		r.follows(c.from) && r.in(k-1, cue.You) && r.in(k, cue.Said)
}

// asksOfScale reports whether a number is an end of the scale that the person asks about: "is ten
// the celestial end?", "from one up, or from ten down?".
func (r numeric) asksOfScale(c candidate, low, high float64) bool {
	from, to := r.around(c.from, c.to, hard)
	return r.toks[to-1].asked && (c.value == low || c.value == high) && to-from > 4 && !r.alone(c.from, c.to)
}

// scaleEnd returns the end of the scale that a number is said to be, as the cues number the ends,
// or 0 if none: "ten being the worst", "is ten good or bad?".
func (r numeric) scaleEnd(c candidate) int {
	k := c.to
	if !r.follows(k) {
		return 0
	}
	asks := r.in(c.from-1, cue.Means) && r.opens(c.from-1)
	if r.in(k, cue.Anyone) && r.in(k+1, cue.Means) {
		k++ // "would be"
	}
	if r.in(k, cue.Means) {
		k++
	} else if !asks && !r.in(k, cue.The) {
		return 0
	}
	for r.in(k, cue.The) || r.in(k, cue.A) {
		k++
	}
	end, _ := r.value(k, cue.Ends)
	return end
}

// turned reports whether the person has the scale upside down: the end that they take its highest
// or lowest number for is the other one in the question, so that no number they say is an answer.
func (r numeric) turned(end int, highest bool) bool {
	switch {
	case end == 2 || end == -2:
		return highest != (end == 2)
	case r.q.Higher == "":
		return false
	}
	return highest != (r.q.Higher == HigherBetter) == (end == 1)
}

// dropBounds drops a repetition of the scale itself: "from one to ten? Seven."
func (r numeric) dropBounds(cs []candidate, low, high float64) []candidate {
	for i := 0; i+1 < len(cs); i++ {
		if cs[i].value == low && cs[i+1].value == high && r.rangeBetween(cs[i], cs[i+1]) {
			return slices.Delete(cs, i, i+2)
		}
	}
	return cs
}

// slip returns the number that speech recognition most likely misheard as the word at token i,
// which makes no sense as itself: it is all that was said, or follows an article.
func (r numeric) slip(i int) (float64, string) {
	if v, ok := r.value(i, cue.Slips); ok && (r.bare(i, i+1) || r.admitsNumber(i)) {
		return float64(v), "slip"
	}
	if v, ok := r.value(i, cue.Doubtful); ok && len(r.toks) == 1 {
		return float64(v), "doubtful slip"
	}
	return 0, ""
}

// admitsNumber reports whether only a number makes sense in place of the word at token i: "won out
// of ten", "a fore", "fore hours".
func (r numeric) admitsNumber(i int) bool {
	if !r.follows(i+1) && !r.in(i-1, cue.A) || r.in(i-1, cue.Selves) {
		return false
	}
	if n, _ := r.match(i+1, cue.OutOf); n > 1 && r.isNumberWord(i+1+n) {
		return true
	}
	if !r.in(i, cue.NumberOnly) {
		return false
	}
	return r.in(i-1, cue.A) && r.follows(i) && r.ends(i+1) ||
		r.follows(i+1) && r.isUnit(r.at(i+1)) && !r.in(i, cue.ForOn) && !r.in(i, cue.To)
}

// ofTotal reads "out of ten", "/10" and "percent" behind a number, and converts numbers out of
// other totals to this scale.
func (r numeric) ofTotal(c *candidate, low, high float64) bool {
	if !r.follows(c.to) {
		return false
	}
	if n, _ := r.match(c.to, cue.Percent); n > 0 {
		c.to += n
		r.carry(c, 100, low, high, "percent")
		return true
	}
	k, _ := r.match(c.to, cue.OutOf)
	onTotal := k == 0 && r.in(c.to, cue.OnTotal)
	if onTotal {
		k = 1
	}
	if k == 0 || r.in(c.to, cue.Of) && (r.in(c.from, cue.One) || r.in(c.from-1, cue.Selves)) {
		return false // "I'm one of ten"
	}
	k += c.to
	total, n := r.number(k, false)
	if n == 0 || total <= 0 || onTotal && (total != high || c.value > total) {
		return false // "eight on ten", but "one on one leg"
	}
	c.to = k + n
	r.carry(c, total, low, high, "out of")
	return true
}

func (r numeric) carry(c *candidate, total, low, high float64, why string) {
	c.strong, c.why = true, why
	c.confidence = max(c.confidence, certain)
	switch {
	case total == high:
	case c.value > total:
		c.value = high + 1
	default:
		c.value, c.confidence = math.Round(c.value/total*high), fair
		if c.value < low {
			c.value, c.confidence = low, guess
		}
	}
}

// foreign reports whether a number belongs to something other than the answer: an age, a time, a
// count of something.
func (r numeric) foreign(c candidate) bool { return r.foreignBefore(c) || r.foreignAfter(c) }

// foreignAfter reports whether the word behind a number shows that it is foreign: a thing that is
// counted, or a part of the day.
func (r numeric) foreignAfter(c candidate) bool {
	if c.to >= len(r.toks) || !r.follows(c.to) {
		return false
	}
	if r.in(c.to, cue.PastHour) && (r.isNumberWord(c.to+1) || r.noon(c.to+1)) {
		return true // "ten past nine"
	}
	if r.starts(c.to, cue.PartOfDay) {
		return !c.strong || r.in(c.to, cue.OClock)
	}
	if r.q.Kind == Scale && r.in(c.to, cue.PerTime) && r.lx.units[r.at(c.to+1)].dim == "time" {
		return true // "one an hour"
	}
	if r.in(c.to, cue.Of) || c.to-c.from == 1 && r.in(c.from, cue.One) && r.in(c.to, cue.Anyone) {
		return true // "one of those days", "one should ask"; "of ten" has been read already
	}
	return !r.in(c.to, cue.AfterNumber) && !r.toks[c.to].plain && !r.isNumberWord(c.to) && !r.starts(c.to, cue.Fix)
}

func (r numeric) foreignBefore(c candidate) bool {
	if !r.follows(c.from) || c.from == 0 {
		return false
	}
	one := r.in(c.from, cue.One) && c.to-c.from == 1
	k := c.from - 1
	switch {
	case r.in(k, cue.Or) && c.from > 1 && r.follows(k) && !r.numberIn(k-4, k):
		return true // "a minute or two"
	case r.starts(r.backOver(c.from, cue.A)-1, cue.ThroughTo), r.starts(k, cue.PartHours):
		return true // "I slept through to nine", "half eight"
	case r.in(k, cue.Oh) && r.in(k-1, cue.InYear):
		return true // "in oh nine"
	case r.starts(k-1, cue.GoWith):
		return false
	case r.in(r.backOver(c.from, cue.A), cue.Than) && r.numberIn(c.from-8, c.from):
		return true // "more of a six than a seven"
	case r.in(k, cue.At):
		return k > 0 && !r.in(k-1, cue.BeforeAt) // "at nine", but "put it at", "I'm at"
	case one && !r.in(k, cue.OneAfter) && !r.plainBefore(c.from):
		return true
	case r.in(c.from, cue.One) && r.in(k, cue.The) && !r.isNumberWord(c.to+1):
		return !r.in(k-1, cue.Only)
	case r.in(k, cue.RangeBefore):
		return false
	case r.in(k, cue.RangeMayBe):
		return !r.in(k-1, cue.Anywhere) && !r.numberIn(k-3, k)
	}
	return r.in(k, cue.ForeignBefore)
}

// numberIn reports whether a number begins at one of tokens i up to j.
func (r *text) numberIn(i, j int) bool {
	for k := max(i, 0); k < j; k++ {
		if r.isNumberWord(k) {
			return true
		}
	}
	return false
}

// rangeFrom reports whether a number completes a range with one that belongs to something else:
// "from nine to four", "two or three cups".
func (r numeric) rangeFrom(gone, i int) bool {
	return gone >= 0 && i == gone+1 && r.in(gone, cue.ToOr) && r.follows(gone)
}

// restatesScale reports whether the number is part of a repetition of the scale.
func (r numeric) restatesScale(c candidate, low, high float64) bool {
	return (c.value == low || c.value == high) && r.follows(c.from) && r.any(c.from-5, c.from, cue.ScaleOf)
}
