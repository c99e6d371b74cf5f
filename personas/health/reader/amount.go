package reader

import "math"

// readNumber reads an amount in the question's unit. Other units of the same
// dimension are converted: stones to pounds, minutes to hours.
func (r *reply) readNumber(q Question) Reading {
	cs, outside := r.amounts(q)
	if len(cs) == 0 {
		if got, ok := r.same(q); ok {
			return got
		}
		if !outside && q.within(0) {
			if got, ok := r.none(q); ok {
				return got
			}
		}
		why := "no number"
		if outside {
			why = "out of range"
		}
		return Reading{Status: Unclear, Why: why}
	}
	c, ok := r.settle(cs, meanWithin(2, !q.measured(r.lx)))
	if !ok {
		return Reading{Status: Unclear, Why: c.why}
	}
	if c.past && !c.strong && !q.measured(r.lx) {
		c.confidence = math.Min(c.confidence, 0.74)
	}
	return r.wordReading(q, math.Round(c.value*100)/100, c.confidence, c.from, c.to, c.why)
}

// measured reports whether the unit is a measure, so that halves make sense.
func (q Question) measured(lx *Lexicon) bool {
	_, ok := lx.numbers.units[q.Unit]
	return ok
}

// none reads "none" and statements that nothing happened as zero.
func (r *reply) none(q Question) (Reading, bool) {
	for i := range r.toks {
		if n := r.zeroAt(q, i); n > 0 {
			return r.wordReading(q, 0, 0.85, i, i+n, "none"), true
		}
	}
	if s, ok := r.statement(q); ok && !s.yes && s.confidence >= SettleAt {
		return r.wordReading(q, 0, 0.75, s.from, s.to, "none happened"), true
	}
	return Reading{}, false
}

// amounts are the numbers that could be the answer.
func (r *reply) amounts(q Question) (cs []candidate, outside bool) {
	_, high, bounded := q.bounds()
	pairs := bounded && high >= 100
	counted := false
	for i := 0; i < len(r.toks); i++ {
		c, ok := r.amount(q, i, pairs)
		if !ok {
			continue
		}
		i = c.to - 1
		if r.denied(c.from) {
			continue
		}
		if !q.within(c.value) {
			outside = true
			continue
		}
		if r.closeBefore(c.from) || r.notMore(c.from) {
			c.confidence = math.Min(c.confidence, 0.78)
		} else if r.qualifier(&r.lx.numbers.inexact, c.from) {
			c.confidence, c.strong, c.why = 0.5, false, "inexact"
		}
		if r.onCondition(c) || r.compared(c.to) || r.waking(q, c.from) {
			c.confidence, c.strong = 0.5, false
		}
		counted = counted || c.why == "unit"
		cs = append(cs, c)
	}
	if counted {
		cs = prefer(cs, func(c candidate) bool { return c.why == "unit" || r.joinsUnit(cs, c) })
	}
	return cs, outside
}

// compared reports whether an amount is a difference: "two hours less than usual".
func (r *reply) compared(i int) bool {
	return r.before(i) == run && (r.at(i) == "less" || r.at(i) == "more" || r.at(i) == "fewer") && r.at(i+1) == "than"
}

// waking reports whether the clause is about being awake and the question about
// sleep.
func (r *reply) waking(q Question, i int) bool {
	from, _ := r.clause(i)
	for k := from; k < i; k++ {
		if r.at(k) == "awake" && q.about("sleep") {
			return true
		}
	}
	return false
}

// joinsUnit keeps the "two" of "two or three glasses".
func (r *reply) joinsUnit(cs []candidate, c candidate) bool {
	for _, d := range cs {
		if d.why == "unit" && (d.from > c.to && r.rangeBetween(c, d) || c.from > d.to && (r.rangeBetween(d, c) || r.fixedBetween(d.to, c.from))) {
			return true
		}
	}
	return false
}

// amount reads the amount that begins at i, with its unit.
func (r *reply) amount(q Question, i int, pairs bool) (candidate, bool) {
	w := &r.lx.numbers
	if v, n := r.halfHour(q, i); n > 0 {
		c := candidate{value: v, from: i, to: i + n, why: "unit"}
		r.mark(&c)
		c.confidence, c.strong = math.Max(c.confidence, 0.85), true
		return c, true
	}
	if n, v := w.counts.at(r.toks, i); n > 0 {
		c := candidate{value: v, from: i, to: i + n, why: "count"}
		r.mark(&c)
		return c, !q.measured(r.lx) && !r.onceUpon(c.to)
	}
	v, n := r.number(i, pairs)
	why := "number"
	if n == 0 {
		if v, why = r.slip(i); why != "slip" {
			return candidate{}, false
		}
		n = 1
	}
	c := candidate{value: v, from: i, to: i + n, why: why}
	r.mark(&c)
	if why == "slip" {
		c.confidence = math.Min(c.confidence, 0.78)
		return c, true
	}
	if at := r.unitAt(q, c.to); at >= 0 {
		if r.lx.numbers.change[r.at(c.from-1)] || r.lx.numbers.change[r.at(c.from-2)] {
			return candidate{}, false
		}
		c.to = at + 1
		c.strong, c.why, c.confidence = true, "unit", math.Max(c.confidence, 0.9)
		r.convert(q, &c, r.at(at))
		return c, true
	}
	if r.foreignAmount(c) {
		return candidate{}, false
	}
	return c, true
}

// onceUpon reports whether "once" before i is no count: "I was once a dancer".
func (r *reply) onceUpon(i int) bool {
	if r.before(i) != run {
		return false
	}
	switch r.at(i) {
	case "a", "an", "upon", "i", "we", "he", "she", "they", "had", "was", "again":
		return true
	case "in":
		return r.at(i+1) == "a"
	}
	return false
}

// foreignAmount is foreign, but lets "I had five" pass: that is how amounts are
// told.
func (r *reply) foreignAmount(c candidate) bool {
	switch r.at(c.from - 1) {
	case "had", "have", "got", "get", "took", "i've", "i'd":
		return r.foreignAfter(c)
	}
	if r.at(c.from-1) == "at" && r.before(c.from) == run {
		return true // when, not how much
	}
	return r.foreign(c)
}

// unitAt is where the question's unit, or one that can be converted to it,
// stands behind a number, or -1. An adjective may stand between.
func (r *reply) unitAt(q Question, k int) int {
	for at := k; at < k+3 && at < len(r.toks) && r.before(at) == run; at++ {
		if r.isUnit(q, r.at(at)) {
			return at
		}
		if r.lx.joiners[r.at(at)] || r.lx.numbers.follow[r.at(at)] && r.at(at) != "of" || r.isNumberWord(at) {
			return -1
		}
	}
	return -1
}

func (r *reply) isUnit(q Question, word string) bool {
	if word == q.Unit || word+"s" == q.Unit {
		return true
	}
	w := &r.lx.numbers
	if _, ok := w.alike[q.Unit+" "+word]; ok {
		return true
	}
	want, ok := w.units[q.Unit]
	got, known := w.units[word]
	return ok && known && want.dim == got.dim
}

// convert carries a value over to the question's unit, with what follows in a
// smaller one: "eleven stone four", "two hours twenty minutes".
func (r *reply) convert(q Question, c *candidate, word string) {
	w := &r.lx.numbers
	got, ok := w.units[word]
	want := w.units[q.Unit]
	if !ok || want.factor == 0 {
		return
	}
	base := c.value * got.factor
	k := c.to
	if r.at(k) == "and" {
		k++
	}
	switch {
	case r.at(k) == "a" && r.at(k+1) == "half" && k > c.to:
		base, c.to = base+got.factor/2, k+2
	case word == "stone" || word == "stones" || got.dim == "time" && got.factor == 60:
		if v, n := r.number(k, false); n > 0 && r.before(k) == run {
			small, named := w.units[r.at(k+n)]
			switch {
			case named && small.dim == got.dim && small.factor < got.factor:
				base, c.to = base+v*small.factor, k+n+1
			case got.dim == "mass" && v < 14 && k == c.to:
				base, c.to = base+v, k+n
			}
		}
	}
	c.value = math.Round(base/want.factor*100) / 100
	if got.factor != want.factor {
		c.confidence = math.Min(c.confidence, 0.85)
	}
}

// halfHour reads "half an hour", "an hour and a half", "an hour", "a week".
func (r *reply) halfHour(q Question, i int) (float64, int) {
	w := &r.lx.numbers
	want, ok := w.units[q.Unit]
	if !ok {
		return 0, 0
	}
	k, v := i, 1.0
	if r.at(k) == "half" {
		k, v = k+1, 0.5
	}
	if r.at(k) != "a" && r.at(k) != "an" {
		return 0, 0
	}
	got, ok := w.units[r.at(k+1)]
	if !ok || got.dim != want.dim {
		return 0, 0
	}
	k += 2
	if v == 1 && r.at(k) == "and" && r.at(k+1) == "a" && r.at(k+2) == "half" {
		return 1.5 * got.factor / want.factor, k + 3 - i
	}
	return v * got.factor / want.factor, k - i
}

// about reports whether a word is one of the question's topic or its unit.
func (q Question) about(word string) bool {
	if word == "" {
		return false
	}
	if word == q.Unit {
		return true
	}
	for _, t := range q.Topic {
		if t == word || t == subject(word) {
			return true
		}
	}
	return false
}
