package reader

import (
	"math"
	"math/bits"
	"slices"
)

// readNumber reads an amount in the question's unit. Other units of the same
// dimension are converted: stones to pounds, minutes to hours.
func (r numeric) readNumber() Reading {
	cs, outside := r.amounts()
	if len(cs) == 0 {
		if got, ok := r.same(); ok {
			return got
		}
		if outside {
			return unclear("out of range")
		}
		if got, ok := r.none(); ok && r.q.within(0) {
			return got
		}
		if got, ok := r.weekdays(); ok {
			return got
		}
		return unclear("no number")
	}
	measured := r.q.measured(r.lx) || len(r.q.Units) > 0 || slices.ContainsFunc(cs, func(c candidate) bool { return c.unit != "" })
	if !measured && r.addedUp(cs) {
		sum := 0.0
		for _, c := range cs {
			sum += c.value
		}
		switch {
		case len(cs) > 2 && sum == 2*cs[0].value:
			return r.wordReading(cs[0].value, likely, cs[0].from, cs[0].to, "sum") // "two, one indoors and one out"
		case slices.ContainsFunc(cs, func(c candidate) bool { return c.why != "count" }):
			return unclear("several amounts")
		}
		return r.wordReading(sum, likely, cs[0].from, cs[len(cs)-1].to, "sum") // "once here and twice there"
	}
	c, ok := r.settle(cs, meanWithin(2, !measured))
	if !ok {
		return unclear(c.why)
	}
	got := r.wordReading(math.Round(c.value*100)/100, c.confidence, c.from, c.to, c.why)
	got.Value.Unit, got.Risky = c.unit, c.others || !c.final && r.numbersBesides(c)
	return got
}

// numbersBesides reports whether the reply has another number that could be the answer, or a part of
// it: "three in the night and two since I got up".
func (r numeric) numbersBesides(c candidate) bool {
	_, high, _ := r.q.bounds()
	for i := 0; i < len(r.toks); i++ {
		if i >= c.from && i < c.to {
			continue
		}
		n, count := r.match(i, cue.Counts)
		v := valueOf(count)
		if n == 0 {
			v, n = r.number(i, high >= 100)
		}
		if n == 0 || n == 1 && r.in(i, cue.A) {
			continue
		}
		near := math.Abs(v-c.value) <= c.value/4 // of other measures, numbers far away are of something else
		if r.q.within(v) && (near || !r.q.measured(r.lx) && c.unit == "" && high < 100) && r.lx.units[r.at(i+n)].dim == r.lx.units[r.q.Unit].dim {
			return true
		}
		i += n - 1
	}
	return false
}

// addedUp reports whether the amounts are parts of one total: "once last night and once this
// morning", "two in the morning and two at night".
func (r numeric) addedUp(cs []candidate) bool {
	if slices.ContainsFunc(cs, func(c candidate) bool { return c.final }) {
		return false // "two in the morning and two at night, so four"
	}
	for i := 1; i < len(cs); i++ {
		if cs[i].from-cs[i-1].to >= 2 && r.in(r.backOver(cs[i].from, cue.The), cue.And) && !r.in(cs[i-1].from-1, cue.Between) {
			return i == len(cs)-1
		}
	}
	parts := 0
	for i := range r.toks {
		if _, n := r.number(i, false); n > 0 {
			if m, _ := r.match(i+n, cue.PartOfDay); m > 1 && r.follows(i+n) {
				parts++
			}
		}
	}
	return parts > 1
}

// measured reports whether the question's unit is one of measurement, so that fractions make sense.
func (q Question) measured(lx *Lexicon) bool {
	_, ok := lx.units[q.Unit]
	return ok
}

// none reads "none", or a statement that the event did not happen, as zero.
func (r numeric) none() (Reading, bool) {
	for i := range r.toks {
		if n := r.zeroAt(i); n > 0 {
			return r.wordReading(0, stated, i, i+n, "none"), true
		}
	}
	s, ok := r.telling().statement()
	return r.wordReading(0, likely, s.from, s.to, "none happened"), ok && !s.yes && s.confidence >= SettleAt
}

// weekdays counts the days of the week that are named, if the question counts days or times: "on
// the Monday and the Thursday". A single day may say when, and not how often, so it does not count.
func (r numeric) weekdays() (Reading, bool) {
	if len(r.q.Units) > 0 || r.q.Unit != "" && r.lx.units[r.q.Unit].factor != dayMinutes {
		return Reading{}, false
	}
	days, first, last := 0, 0, 0
	for i := range r.toks {
		day, ok := r.value(i, cue.Weekdays)
		switch {
		case !ok:
			continue
		case r.in(i-1, cue.ForeignBefore) && !r.in(i-1, cue.And), r.negatedBefore(i), r.ofOthers(i):
			return Reading{}, false
		case days == 0:
			first = i
		}
		days, last = days|day, i+1
	}
	n := bits.OnesCount(uint(days))
	return r.wordReading(float64(n), likely, first, last, "weekdays"), n > 1 && r.q.within(float64(n))
}

// amounts returns the numbers that could be the answer, and whether there was one out of range.
func (r numeric) amounts() (cs []candidate, outside bool) {
	_, high, _ := r.q.bounds()
	pairs := high >= 100
	counted := false
	for i := 0; i < len(r.toks); i++ {
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
		c, ok := r.amount(i, pairs)
		if !ok && len(cs) > 0 && r.in(i, cue.Another) && r.in(i-1, cue.And) && !r.q.measured(r.lx) {
			c, ok = r.candidate(1, i, 1, "count"), true // "one in March and another in May"
			cs[0].why = c.why
		}
		if !ok {
			continue
		}
		i = c.to - 1
		if c.bound = r.inexact(c.from); r.denied(c.from) && c.bound == 0 || r.namesMeasure(c) || r.starts(c.from-2, cue.AllBut) {
			continue
		}
		if !r.q.within(c.value) {
			outside = true
			continue
		}
		if c.bound != 0 {
			c.doubt("inexact")
		}
		if r.onCondition(c) || r.changes(c) || r.waking(c.from) ||
			r.ofOthers(c.from) || c.why == "count" && r.ofThings(c.from) || r.spent(c) || r.thereAre(c.from) {
			c.doubt(c.why)
		}
		counted = counted || c.why == "unit"
		cs = append(cs, c)
	}
	if counted {
		cs = prefer(cs, func(c candidate) bool { return c.why == "unit" || c.final || r.joinsUnit(cs, c) || r.mendsUnit(cs, c) })
	}
	return cs, outside
}

// waking reports whether the clause is about being awake while the question is about sleep.
func (r numeric) waking(i int) bool {
	from, _ := r.clause(i)
	return r.any(from, i, cue.Awake) && r.asksOf(cue.SleepTopic)
}

// asksOf reports whether the question's topic has a word of the class.
func (r asked) asksOf(class class) bool {
	return slices.ContainsFunc(r.q.Topic, func(t string) bool { return r.lx.is(t, class) })
}

// joinsUnit reports whether c begins a range whose end has a unit: the "two" of "two or three
// glasses".
func (r numeric) joinsUnit(cs []candidate, c candidate) bool {
	return slices.ContainsFunc(cs, func(d candidate) bool { return d.why == "unit" && d.from > c.to && r.rangeBetween(c, d) })
}

// mendsUnit reports whether c corrects an amount that has a unit: "five goes, no, I tell a lie, six".
func (r numeric) mendsUnit(cs []candidate, c candidate) bool {
	return slices.ContainsFunc(cs, func(d candidate) bool { return d.why == "unit" && d.to < c.from && r.fixedBetween(d.to, c.from) })
}

// amount reads the amount that begins at i, with its unit.
func (r numeric) amount(i int, pairs bool) (candidate, bool) {
	if v, n := r.halfHour(i); n > 0 {
		c := r.candidate(v, i, n, "unit")
		c.confidence, c.strong = max(c.confidence, stated), true
		return c, true
	}
	if n, v := r.match(i, cue.Counts); n > 0 {
		c := r.candidate(valueOf(v), i, n, "count")
		return c, !r.q.measured(r.lx) && (!r.follows(c.to) || !r.starts(c.to, cue.OnceUpon))
	}
	v, n := r.number(i, pairs)
	worth, why := float64(sure), "number"
	if place, ok := r.value(i, cue.Places); ok && n == 0 && r.in(i-1, cue.My) && !r.q.measured(r.lx) && (r.ends(i+1) || r.unitAt(i+1) >= 0) {
		v, n, worth, why = float64(place), 1, likely, "place" // "I'm on my third"
	}
	if n == 0 {
		if v, why = r.slip(i); why != "slip" {
			return candidate{}, false
		}
		n, worth = 1, likely
	}
	c := r.candidate(v, i, n, why)
	if at := r.unitAt(c.to); at >= 0 {
		if r.any(c.from-2, c.from, cue.LossAndGain) && (r.q.Unit != "" || len(r.q.Units) > 0) {
			return candidate{}, false
		}
		c.to = at + 1
		c.strong, c.why, c.confidence = true, "unit", max(c.confidence, worth)
		r.convert(&c, r.at(at))
		return c, true
	}
	if why != "number" {
		c.confidence = min(c.confidence, likely)
		return c, true
	}
	if r.follows(c.to) && r.in(c.to, cue.OverBy) && c.value >= 60 && r.follows(c.to+1) {
		if low, m := r.number(c.to+1, false); m > 0 && low >= 30 && low < c.value { // "one eighteen over seventy four"
			c.to, c.strong = c.to+1+m, true
			return c, true
		}
	}
	if n := r.ofThese(c.to); n > 0 && (!r.q.measured(r.lx) || r.isUnit(r.at(c.to+n-1)) || c.value > 1 && r.isNumberWord(c.to+2)) {
		c.to, c.strong, c.confidence = c.to+n, true, max(c.confidence, stated)
		return c, true
	}
	return c, !r.foreignAmount(c)
}

// ofThese returns the length of "of them" or "of the eleven" at i if it ends the thought, else 0:
// "two of them" counts what was asked about, "two of them live in Leeds" does not.
func (r numeric) ofThese(i int) int {
	n := 0
	switch {
	case !r.in(i, cue.Of):
	case r.in(i+1, cue.OfThese):
		n = 2
	case r.in(i+1, cue.OfThe):
		_, m := r.number(i+2, false)
		n = 2 + max(m, 1)
	}
	if r.ends(i + n) {
		return n
	}
	return 0
}

// foreignAmount reports whether a number is foreign, like foreign, but accepts "I had five", as
// amounts are often given like that. "At five" says when, not how much.
func (r numeric) foreignAmount(c candidate) bool {
	if r.in(c.from-1, cue.HadSome) {
		return r.foreignAfter(c)
	}
	return r.in(c.from-1, cue.At) && r.follows(c.from) || r.foreign(c)
}

// unitAt returns the token after a number at which the question's unit, or one that can be
// converted to it, stands, or -1. An adjective may stand between.
func (r numeric) unitAt(k int) int {
	for at := k; at < k+3 && at < len(r.toks) && r.follows(at); at++ {
		switch {
		case r.starts(at, cue.OtherThings):
			return -1 // "two pairs of glasses", "one of those meals"
		case r.isUnit(r.at(at)):
			return at
		case r.in(at, cue.Joiners), r.in(at, cue.AfterNumber) && !r.in(at, cue.Of), r.isNumberWord(at):
			return -1
		}
	}
	return -1
}

func (r numeric) isUnit(word string) bool {
	if word == r.q.Unit || slices.ContainsFunc(r.lx.endings[cue.Plural], func(e string) bool { return word+e == r.q.Unit }) {
		return true
	}
	if r.q.Unit == "" {
		_, times := r.lx.alike[timesUnit+" "+word]
		return r.q.accepts(r.lx, word) || r.q.Kind == Number && len(r.q.Units) == 0 && (times || r.q.about(word))
	}
	if _, ok := r.lx.alike[r.q.Unit+" "+word]; ok {
		return true
	}
	want, ok := r.lx.units[r.q.Unit]
	got, known := r.lx.units[word]
	return ok && known && want.dim == got.dim
}

// convert converts a value to the question's unit, together with an amount in a smaller unit that
// follows: "eleven stone four", "two hours twenty minutes".
func (r numeric) convert(c *candidate, word string) {
	got, ok := r.lx.units[word]
	want := r.lx.units[r.q.Unit]
	if r.q.Unit == "" {
		want, c.unit = r.lx.units[got.code], got.code // stones have no code of their own: they are given in pounds
	}
	if !ok || want.factor == 0 {
		return
	}
	base := c.value * got.factor
	k := c.to
	if r.in(k, cue.And) {
		k++
	}
	v, n := r.number(k, false)
	small := r.lx.units[r.at(k+n)]
	half, _ := r.match(k, cue.AHalf)
	switch {
	case half > 0 && k > c.to:
		base, c.to = base+got.factor/2, k+half
	case n == 0 || r.before(k) == hard:
	case small.dim == got.dim && v*small.factor < got.factor:
		base, c.to = base+v*small.factor, k+n+1
	case r.follows(k) && got.dim == "mass" && got.factor == poundsInStone && v < poundsInStone && k == c.to:
		base, c.to = base+v, k+n
	}
	c.value = math.Round(base/want.factor*100) / 100
}

// timesUnit is the name of times in the cues.
const timesUnit = "times"

// poundsInStone is the number of pounds in a stone.
const poundsInStone = 14

// accepts reports whether an answer to q, which has no unit of its own, may be given in the unit
// that word names. It never accepts units of time.
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

// halfHour reads an amount of a unit that has an article or a fraction: "half an hour", "media
// hora", "a fifth of an hour", "an hour and a half", "a week". It returns the amount in the
// question's unit and its length in tokens.
func (r numeric) halfHour(i int) (float64, int) {
	want, ok := r.lx.units[r.q.Unit]
	k, v := i, 1.0
	count, at := 1.0, i
	if r.in(i, cue.A) {
		at = i + 1
	} else if m, n := r.number(i, false); n > 0 {
		count, at = m, i+n
	}
	if parts, ok := r.value(at, cue.Parts); ok {
		if k, v = at+1, count/float64(parts); r.in(k, cue.Of) {
			k++
		}
	}
	if r.in(k, cue.A) {
		k++
	}
	got, named := r.lx.units[r.at(k)]
	if !ok || k == i || !named || got.dim != want.dim {
		return 0, 0
	}
	k++
	if n, _ := r.match(k+1, cue.AHalf); v == 1 && r.in(k, cue.And) && n > 0 {
		k, v = k+1+n, 1.5
	}
	return v * got.factor / want.factor, k - i
}

// about reports whether a word belongs to the question's topic or is its unit.
func (q Question) about(word string) bool {
	return word != "" && (word == q.Unit || slices.Contains(q.Topic, subject(word)))
}
