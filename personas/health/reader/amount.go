package reader

import (
	"math"
	"slices"
)

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
	measured := q.measured(r.lx) || slices.ContainsFunc(cs, func(c candidate) bool { return c.unit != "" })
	if !measured && r.addedUp(cs) {
		return Reading{Status: Unclear, Why: "several amounts"}
	}
	c, ok := r.settle(cs, meanWithin(2, !measured))
	if !ok {
		return Reading{Status: Unclear, Why: c.why}
	}
	if c.past && !c.strong && !measured {
		c.confidence = math.Min(c.confidence, 0.74)
	}
	got := r.wordReading(q, math.Round(c.value*100)/100, c.confidence, c.from, c.to, c.why)
	got.Value.Unit = c.unit
	return got
}

// addedUp reports whether two amounts are told that make one together: "once last night
// and once this morning".
func (r *reply) addedUp(cs []candidate) bool {
	if slices.ContainsFunc(cs, func(c candidate) bool { return c.final }) {
		return false // "two in the morning and two at night, so four"
	}
	for i := 1; i < len(cs); i++ {
		if cs[i].from-cs[i-1].to < 2 {
			continue
		}
		if r.at(cs[i].from-1) == "and" && r.at(cs[i-1].from-1) != "between" {
			return i == len(cs)-1
		}
	}
	parts := 0
	for i := range r.toks {
		if _, n := r.number(i, false); n > 0 {
			if m, _ := r.match(i+n, cue.PartOfDay); m > 1 && r.before(i+n) == run {
				parts++
			}
		}
	}
	return parts > 1 // "two in the morning and two at night"
}

// measured reports whether the unit is a measure, so that halves make sense.
func (q Question) measured(lx *Lexicon) bool {
	_, ok := lx.units[q.Unit]
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
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
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
		} else if r.qualifier(cue.Inexact, c.from) {
			c.confidence, c.strong, c.why = 0.5, false, "inexact"
		}
		if r.onCondition(c) || r.compared(c.to) || r.waking(q, c.from) {
			c.confidence, c.strong = 0.5, false
		}
		if r.ofOthers(c.from) || c.why == "count" && r.ofThings(q, c.from) || r.spent(q, c) || r.thereAre(c.from) {
			c.confidence, c.strong = math.Min(c.confidence, 0.5), false
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
	if v, n := r.halfHour(q, i); n > 0 {
		c := candidate{value: v, from: i, to: i + n, why: "unit"}
		r.mark(&c)
		c.confidence, c.strong = math.Max(c.confidence, 0.85), true
		return c, true
	}
	if n, v := r.match(i, cue.Counts); n > 0 {
		c := candidate{value: valueOf(v), from: i, to: i + n, why: "count"}
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
		if r.in(c.from-1, cue.LossAndGain) || r.in(c.from-2, cue.LossAndGain) {
			return candidate{}, false
		}
		c.to = at + 1
		c.strong, c.why, c.confidence = true, "unit", math.Max(c.confidence, 0.9)
		r.convert(q, &c, r.at(at))
		return c, true
	}
	if !q.measured(r.lx) && r.ofThese(c.to) > 0 {
		c.to += r.ofThese(c.to)
		c.strong, c.confidence = true, math.Max(c.confidence, 0.85)
		return c, true
	}
	if r.foreignAmount(c) {
		return candidate{}, false
	}
	return c, true
}

// ofThese is the length of "of them" and "of the eleven" at i where they end the
// thought: "two of them" counts what was asked about, "two of them live in Leeds"
// does not.
func (r *reply) ofThese(i int) int {
	if r.at(i) != "of" || r.before(i) != run || r.before(i+1) != run {
		return 0
	}
	var n int
	switch r.at(i + 1) {
	case "them", "those", "these":
		n = 2
	case "the", "your":
		_, m := r.number(i+2, false)
		if m == 0 && (r.at(i+2) == "list" || r.at(i+2) == "lot") {
			m = 1
		}
		if m == 0 {
			return 0
		}
		n = 2 + m
	default:
		return 0
	}
	if r.plainUntilPause(i+n) || r.in(i+n, cue.Joiners) {
		return n
	}
	return 0
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
		if r.at(at) == "pairs" || r.at(at) == "of" && r.in(at+1, cue.OtherThings) {
			return -1 // "two pairs of glasses", "one of those meals"
		}
		if r.isUnit(q, r.at(at)) {
			return at
		}
		if r.in(at, cue.Joiners) || r.in(at, cue.AfterNumber) && r.at(at) != "of" || r.isNumberWord(at) {
			return -1
		}
	}
	return -1
}

func (r *reply) isUnit(q Question, word string) bool {
	if word == q.Unit || word+"s" == q.Unit {
		return true
	}
	if q.Unit == "" {
		return q.accepts(r.lx, word)
	}
	if _, ok := r.lx.alike[q.Unit+" "+word]; ok {
		return true
	}
	want, ok := r.lx.units[q.Unit]
	got, known := r.lx.units[word]
	return ok && known && want.dim == got.dim
}

// convert carries a value over to the question's unit, with what follows in a
// smaller one: "eleven stone four", "two hours twenty minutes".
func (r *reply) convert(q Question, c *candidate, word string) {
	got, ok := r.lx.units[word]
	want := r.lx.units[q.Unit]
	if q.Unit == "" {
		want, c.unit = r.lx.units[got.code], got.code // stones have no code of their own: they are told in pounds
	}
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
	case got.dim == "mass" && got.factor == poundsInStone || got.dim == "time" && got.factor == 60:
		if v, n := r.number(k, false); n > 0 && r.before(k) != hard {
			small, named := r.lx.units[r.at(k+n)]
			switch {
			case named && small.dim == got.dim && small.factor < got.factor && v*small.factor < got.factor:
				base, c.to = base+v*small.factor, k+n+1
			case r.before(k) == run && got.dim == "mass" && v < poundsInStone && k == c.to:
				base, c.to = base+v, k+n
			}
		}
	}
	c.value = math.Round(base/want.factor*100) / 100
	if got.factor != want.factor {
		c.confidence = math.Min(c.confidence, 0.85)
	}
}

// poundsInStone is how many pounds one stone holds.
const poundsInStone = 14

// accepts reports whether a number for q may be given in what word measures, where q
// has no unit of its own. A time is never meant.
func (q Question) accepts(lx *Lexicon, word string) bool {
	got, ok := lx.units[word]
	if !ok || got.code == "" {
		return false
	}
	if len(q.Units) == 0 {
		return got.dim == "mass" || got.dim == "share"
	}
	return slices.ContainsFunc(q.Units, func(name string) bool { return lx.units[name].code == got.code })
}

// halfHour reads "half an hour", "an hour and a half", "an hour", "a week".
func (r *reply) halfHour(q Question, i int) (float64, int) {
	want, ok := r.lx.units[q.Unit]
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
	got, ok := r.lx.units[r.at(k+1)]
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
