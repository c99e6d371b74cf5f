package reader

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a number in the reply that could be the answer.
type candidate struct {
	value      float64
	from, to   int // tokens
	confidence float64
	strong     bool   // marked as an answer: "a seven", "seven out of ten", "I'd say seven"
	past       bool   // said of another day
	now        bool   // expressly said of now
	hearsay    bool   // said by somebody else: "the doctor says eight"
	final      bool   // a total: "one and one, so two"; or what to write down: "put me down for six"
	bound      int    // 1: the answer lies above it, -1: below
	others     bool   // chosen among different values
	unit       string // the unit to record, if the question has none of its own
	why        string
}

// doubt lowers the confidence of a number that may just as well mean something else.
func (c *candidate) doubt(why string) {
	c.confidence, c.strong, c.why = min(c.confidence, doubtful), false, why
}

// candidate returns the number of n words at token i as a candidate. Its confidence depends on
// whether words before it lead to an answer and whether it stands alone.
func (r numeric) candidate(value float64, i, n int, why string) candidate {
	c := candidate{value: value, from: i, to: i + n, why: why}
	switch alone := !r.follows(c.from); {
	case r.bare(c.from, c.to):
		c.strong, c.confidence = true, certain
	case r.plainBefore(c.from) && !alone, alone && r.plainUntilPause(c.to):
		c.strong, c.confidence = true, sure
	default:
		c.confidence = likely
	}
	from, to := r.clause(c.from)
	first, last := from, to // the words that say its time; those between two numbers go with the second
	for k := from; k < to; k++ {
		switch another := k < c.from || k >= c.to; {
		case !another || !r.isNumberWord(k):
		case k < c.from:
			first = k + 1
		default:
			last = c.to
		}
	}
	night := r.asksOf(cue.SleepTopic)
	for k := first; k < last; k++ {
		thisNight := night && r.in(k, cue.LastIn) && r.starts(k, cue.NotToday)
		c.now = c.now || thisNight || r.starts(k, cue.Today) && !r.in(k-1, cue.SinceThan)
		c.past = c.past || !thisNight && r.starts(k, cue.Earlier) && (!r.in(k, cue.Was) || !c.strong || k < c.from)
	}
	if r.follows(c.to) {
		n, _ := r.match(c.to, cue.Today)
		switch {
		case c.past && (r.isNumberWord(c.to+n) || r.in(c.to+n, cue.A) && r.isNumberWord(c.to+n+1)): // "it was eight, now a four"
		case n > 0:
			c.now, c.past = true, false // "six today five yesterday"
		case r.in(c.to, cue.YesterdayLast):
			c.now, c.past = false, true
		}
	}
	for k := from; k < c.from; k++ {
		c.hearsay = c.hearsay || r.in(k, cue.TheyAre) || r.in(k, cue.Others) && r.any(k+1, c.from, cue.Tells)
	}
	k := c.from - 1
	for k > 0 && r.toks[k].plain && !r.in(k, cue.So) && r.follows(k) {
		k--
	}
	_, put := r.qualifier(cue.PutDown, c.from)
	c.final = put || r.in(k, cue.So) && k > 0
	if r.inQuestion(c.from) {
		c.confidence, c.strong = doubtful, false
	}
	return c
}

// inQuestion reports whether the sentence around i asks something: "what would you call a seven?".
// "Seven?" alone is an uncertain answer.
func (r *text) inQuestion(i int) bool {
	from, to := r.around(i, i+1, hard)
	for r.toks[from].aside && from < i {
		from++
	}
	return r.toks[to-1].asked && r.in(from, cue.QuestionWords)
}

// plainBefore reports whether the word before i leads to an answer.
func (r *text) plainBefore(i int) bool { return i > 0 && r.toks[i-1].plain }

func (r *text) plainUntilPause(i int) bool {
	for ; r.follows(i); i++ {
		if !r.toks[i].plain {
			return false
		}
	}
	return true
}

// denied reports whether a number is named only to be ruled out: "not a seven", "not as high as an
// eight", "nine and not ten".
func (r numeric) denied(i int) bool {
	for k := i - 1; k >= 0 && i-k <= 6 && r.follows(k+1); k-- {
		if r.in(k, cue.Negs) && (!r.in(k, cue.No) || r.in(k-1, cue.And) && k == r.backOver(i, cue.A)) {
			return true // but "five, no, six"
		}
		if _, grade := r.value(k, cue.Ends); grade && k == i-1 && !r.in(k-1, cue.A) || !r.in(k, cue.SoftNegs) && !r.in(k, cue.BeforeDenied) {
			return false // "not bad five" does not rule out five
		}
	}
	return false
}

// qualifier reports whether a phrase of the class stands right before i, but for articles, and
// returns its value.
func (r *text) qualifier(class class, i int) (value string, ok bool) {
	for end := i; end > 0; end-- {
		for k := max(0, end-4); k < end; k++ {
			if n, value := r.match(k, class); n > 0 && k+n == end {
				return value, true
			}
		}
		if !r.in(end-1, cue.A) {
			break
		}
	}
	return "", false
}

// inexact returns the side of the number at i on which the answer lies, according to the words
// right before it: 1 for "more than a six", -1 for "less than a six". For "worse than a six" and
// "not as bad as an eight" it depends on the scale's direction. "Nearly a six" and "not more than a
// six" are close enough: 0.
func (r numeric) inexact(i int) int {
	k := r.backOver(i, cue.A)
	if r.in(k, cue.Than) && r.negatedBefore(k-1) {
		return 0
	}
	if _, nearly := r.qualifier(cue.CloseTo, i); nearly {
		return 0
	}
	switch side, ok := r.qualifier(cue.Inexact, i); {
	case !ok:
		return 0
	case side == above, side == better && r.q.Higher != HigherWorse, side == worse && r.q.Higher != HigherBetter:
		return 1
	}
	return -1
}

// fixedBetween reports whether words between tokens i and j take back what came before.
func (r *text) fixedBetween(i, j int) bool {
	for k := i; k < j; k++ {
		if n, _ := r.match(k, cue.Fix); n > 0 && k+n <= j {
			return true
		}
	}
	return false
}

// rangeBetween reports whether the tokens between two numbers make them a range: "seven or maybe
// eight", "between five and six".
func (r numeric) rangeBetween(a, b candidate) bool {
	for k := a.to; k < b.from; k++ {
		if !r.in(k, cue.And) && !r.in(k, cue.RangeJoins) {
			return false
		}
	}
	switch {
	case r.before(b.from) == hard:
		return false
	case a.to == b.from:
		return r.before(b.from) == soft && math.Abs(a.value-b.value) == 1 || a.value == b.value
	}
	return !r.any(a.to, b.from, cue.And) || r.any(a.from-3, a.from, cue.Between)
}

// settle chooses among candidates that are neither denied nor foreign. The last correction counts,
// a range becomes one candidate, and numbers of today precede those of another day. It returns
// false if it cannot choose.
func (r numeric) settle(cs []candidate, mean func(a, b candidate) (candidate, bool)) (candidate, bool) {
	cs = r.lastFix(cs)
	c, ok := r.choose(cs, mean)
	c.others = !alike(cs) && !c.final
	return c, ok
}

func (r numeric) choose(cs []candidate, mean func(a, b candidate) (candidate, bool)) (candidate, bool) {
	var out []candidate
	for i := 0; i < len(cs); i++ {
		c := cs[i]
		if i+1 < len(cs) && r.rangeBetween(c, cs[i+1]) {
			i++
			var ok bool
			if c, ok = mean(c, cs[i]); !ok {
				c = r.apart(cs[i-1], cs[i])
			}
		} else if i+1 < len(cs) && c.bound*cs[i+1].bound < 0 && (cs[i+1].value-c.value)*float64(c.bound) == 2 {
			i++ // "better than five and short of seven"
			c = candidate{value: (c.value + cs[i].value) / 2, from: c.from, to: cs[i].to, confidence: likely, why: "range"}
		}
		out = append(out, c)
	}
	out = prefer(out, func(c candidate) bool { return !c.past && !c.hearsay || c.final })
	if out[len(out)-1].final {
		out = out[len(out)-1:]
	}
	if last, ok := r.replaced(out); ok {
		return last, true
	}
	if r.conditions(out) {
		return candidate{why: "several conditions"}, false
	}
	for _, holds := range []func(candidate) bool{
		func(c candidate) bool { return !r.toks[c.to-1].asked },
		func(c candidate) bool { return c.strong },
		func(c candidate) bool { return c.now },
	} {
		if !alike(out) {
			out = prefer(out, holds)
		}
	}
	if !alike(out) {
		return candidate{why: "several numbers"}, false
	}
	best := slices.MaxFunc(out, func(a, b candidate) int { return cmp.Compare(a.confidence, b.confidence) })
	if best.hearsay || r.lostAfter(best.to) {
		best.confidence = min(best.confidence, guess)
	}
	return best, best.confidence > 0
}

// apart returns a range that is too wide to be an answer. If its ends are at most three apart and
// words such as "between" introduce it, its middle may be read back: "anything between three and
// six".
func (r numeric) apart(a, b candidate) candidate {
	c := candidate{from: a.from, to: b.to, why: "too far apart"}
	if math.Abs(a.value-b.value) <= 3 && (r.any(a.from-3, a.from, cue.Between) || r.in(a.from-2, cue.Anywhere)) {
		c.value, c.confidence = math.Round((a.value+b.value)/2), guess
	}
	return c
}

// replaced returns the last of several values if it replaces the others though no word says so:
// "seven, hmm, five if I'm honest", "four. Six now the sun is out". Each value must stand in a
// clause of its own without a place or a time: "nine at my sister's, four here" has no answer.
func (r numeric) replaced(cs []candidate) (candidate, bool) {
	if alike(cs) {
		return candidate{}, false
	}
	last, others := cs[len(cs)-1], cs[:len(cs)-1]
	from, to := r.around(last.from, last.to, soft)
	if !r.onlyPlain(last.to, to) && !last.now || last.confidence < SettleAt || r.toks[last.to-1].asked || r.lostAfter(last.to) {
		return candidate{}, false
	}
	for r.starts(from, cue.Particles) {
		from++ // "yes, five"
	}
	was, again := others[0], false
	for _, c := range others {
		again = again || c.value == last.value
		if c.value != last.value && (c.value != was.value || !r.alone(c.from, c.to)) || c.why == "unit" && last.why == "unit" {
			return candidate{}, false
		}
	}
	bare := to-others[len(others)-1].to == last.to-last.from // "eight. Six."
	if was.value == last.value || bare || !r.onlyPlain(from, last.from) || !again && !r.onlyPlain(others[len(others)-1].to, from) {
		return candidate{}, false
	}
	last.confidence, last.why = likely, "replaced"
	return last, true
}

// conditions reports whether a later value is limited to a place, a time or a part: "four for the
// hip and eight for the hand", "two, three when I walk".
func (r numeric) conditions(cs []candidate) bool {
	for i, c := range cs {
		if i == 0 || c.value == cs[i-1].value || c.now || c.final || c.confidence < SettleAt {
			continue
		}
		lead := c.from
		for r.follows(lead) && r.toks[lead-1].plain {
			lead--
		}
		if _, end := r.clause(c.from); !r.onlyPlain(c.to, end) && (!r.follows(lead) || r.in(lead, cue.Joiners)) {
			return true
		}
	}
	return false
}

// lostAfter reports whether the words from token i on take the answer back without giving another:
// "nine… no, I don't know".
func (r *text) lostAfter(i int) bool {
	for ; i < len(r.toks); i++ {
		n, why := r.match(i, cue.Lost)
		if n > 0 && why == "not known" && !r.in(i, cue.ItDepends) && !r.in(i+n, cue.WhatFollows) {
			return true
		}
	}
	return false
}

// lastFix drops the numbers that were taken back.
func (r numeric) lastFix(cs []candidate) []candidate {
	for i := len(cs) - 1; i > 0; i-- {
		if cs[i].value != cs[i-1].value && r.fixedBetween(cs[i-1].to, cs[i].from) && !cs[i].past && !cs[i].hearsay {
			last := cs[i:]
			last[0].strong, last[0].why = true, "corrected"
			last[0].confidence = max(last[0].confidence, stated)
			return last
		}
	}
	return cs
}

// prefer returns the elements for which holds is true, or all if there are none.
func prefer[T any](cs []T, holds func(T) bool) []T {
	out := slices.DeleteFunc(slices.Clone(cs), func(c T) bool { return !holds(c) })
	if len(out) == 0 {
		return cs
	}
	return out
}

// alike reports whether all candidates have the same value.
func alike(cs []candidate) bool {
	return !slices.ContainsFunc(cs, func(c candidate) bool { return c.value != cs[0].value })
}
