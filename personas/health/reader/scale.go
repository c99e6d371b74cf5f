package reader

import "math"

// readScale reads a whole number from the lowest to the highest.
func (r *reply) readScale(q Question) Reading {
	cs, outside := r.scaleCandidates(q)
	if len(cs) == 0 {
		if got, ok := r.same(q); ok {
			return got
		}
		if got, ok := r.scaleWords(q); ok && !outside {
			got.Verbal = true
			return got
		}
		if outside {
			return Reading{Status: Unclear, Why: "out of range"}
		}
		return Reading{Status: Unclear, Why: "no number"}
	}
	c, ok := r.settle(cs, meanWithin(2, true))
	if !ok {
		return Reading{Status: Unclear, Why: c.why}
	}
	if c.past && !c.strong {
		c.confidence = math.Min(c.confidence, 0.6)
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Scale, Number: c.value}, Confidence: c.confidence,
		Quote: r.quote(c.from, c.to), Why: c.why,
	}
}

// meanWithin joins two numbers that are no further apart than gap; rounded half
// away from zero where only whole numbers make sense.
func meanWithin(gap float64, round bool) func(a, b candidate) (candidate, bool) {
	return func(a, b candidate) (candidate, bool) {
		if math.Abs(a.value-b.value) > gap {
			return candidate{}, false
		}
		c := candidate{
			unit: b.unit, value: (a.value + b.value) / 2, from: a.from, to: b.to, strong: true, past: a.past, now: a.now || b.now,
			confidence: 0.78, why: "range",
		}
		if round {
			c.value = math.Round(c.value)
		}
		return c, true
	}
}

// scaleCandidates are the numbers that could be the answer, and whether there
// was one off the scale.
func (r *reply) scaleCandidates(q Question) (cs []candidate, outside bool) {
	low, high, _ := q.bounds()
	gone := -1 // where the last foreign number ended
	for i := 0; i < len(r.toks); i++ {
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
		v, n := r.number(i, false)
		slip := ""
		if n == 0 {
			if v, slip = r.slip(i); slip == "" {
				continue
			}
			n = 1
		}
		c := candidate{value: v, from: i, to: i + n, why: "number"}
		r.mark(&c)
		c.hearsay = c.hearsay || r.ofOthers(c.from)
		switch {
		case slip == "slip":
			c.why = slip
			c.confidence = 0.78
		case slip != "":
			c.why, c.confidence = slip, 0.5
		}
		i += n - 1
		if slip == "" && !r.ofTotal(&c, low, high) && (r.foreign(c) || r.rangeFrom(gone, c.from)) {
			gone = c.to
			continue
		}
		i = max(i, c.to-1)
		if len(cs) > 0 && c.from == cs[len(cs)-1].to && r.before(c.from) == run && (c.value < low || c.value > high) {
			cs = cs[:len(cs)-1] // "seven eleven", a telephone number
			continue
		}
		if r.restatesScale(c, low, high) || r.denied(c.from) {
			continue
		}
		if c.value != math.Trunc(c.value) {
			c.value, c.confidence, c.why = math.Round(c.value), math.Min(c.confidence, 0.85), "rounded"
		}
		if c.value < low || c.value > high || r.at(c.from-1) == "minus" {
			outside = outside || c.strong
			continue
		}
		if r.closeBefore(c.from) || r.notMore(c.from) {
			c.confidence, c.strong, c.why = 0.74, true, "near"
		} else if r.qualifier(cue.Inexact, c.from) {
			c.confidence, c.strong, c.why = 0.5, false, "inexact"
		}
		if r.onCondition(c) || r.aboutScale(c) {
			c.confidence, c.strong, c.why = 0.5, false, "if"
		}
		cs = append(cs, c)
	}
	return dropBounds(r, cs, low, high), outside
}

// onCondition reports whether the number holds only if something else did, or is only
// wished for: "I'd be a ten if you got me out of here", "without the tablets it would be a
// ten", "I used to be a ten", "I wish it was a ten".
func (r *reply) onCondition(c candidate) bool {
	from, to := r.clause(c.from)
	would, without := false, false
	for k := from; k < c.from; k++ {
		would = would || r.at(k+1) == "be" && (r.at(k) == "i'd" || r.at(k) == "it'd" || r.at(k) == "would")
		without = without || r.at(k) == "without" || r.at(k) == "if" && !r.toks[k].aside
		if r.at(k) == "used" && r.at(k+1) == "to" || r.at(k) == "wish" || r.in(k, cue.WouldTell) && r.at(k+1) == "to" {
			return true
		}
	}
	for k := c.to; would && k < to; k++ {
		without = without || r.at(k) == "without" || r.at(k) == "if" && !r.toks[k].aside && (r.at(k+1) != "you" || r.at(k+2) != "ask" && r.at(k+2) != "want" && r.at(k+2) != "like")
	}
	return would && without
}

// aboutScale reports whether a number is said of the scale, or of an earlier time: "so ten
// is the best", "did you say ten", "it was eight before the operation".
func (r *reply) aboutScale(c candidate) bool {
	if r.before(c.to) == run && (r.at(c.to) == "is" || r.at(c.to) == "means" || r.at(c.to) == "being") && r.in(c.to+1, cue.OfScale) {
		return true
	}
	if r.before(c.to) == run && r.at(c.to) == "before" && (r.at(c.to+1) == "the" || r.at(c.to+1) == "my" || r.at(c.to+1) == "i") {
		return true
	}
	k := c.from - 1
	for r.at(k) == "a" || r.at(k) == "an" {
		k--
	}
	return r.before(c.from) == run && r.at(k-1) == "you" && (r.at(k) == "say" || r.at(k) == "said" || r.at(k) == "mean")
}

// notMore reports whether "more than" before i is denied: "it can't be more
// than a two".
func (r *reply) notMore(i int) bool {
	for i > 0 && (r.at(i-1) == "a" || r.at(i-1) == "an") {
		i--
	}
	return r.at(i-1) == "than" && r.before(i) == run && r.negatedBefore(i-2)
}

// dropBounds drops the scale itself, said again: "from one to ten? Seven."
func dropBounds(r *reply, cs []candidate, low, high float64) []candidate {
	for i := 0; i+1 < len(cs); i++ {
		if cs[i].value == low && cs[i+1].value == high && r.rangeBetween(cs[i], cs[i+1]) {
			return append(cs[:i:i], cs[i+2:]...)
		}
	}
	return cs
}

// slip is the number that speech recognition most likely misheard, when the
// word makes no sense as itself: it is all that was said, or follows an article.
func (r *reply) slip(i int) (float64, string) {
	if v, ok := r.value(i, cue.Slips); ok && (r.bare(i, i+1) || r.slipAfterArticle(i)) {
		return float64(v), "slip"
	}
	if v, ok := r.value(i, cue.Doubtful); ok && len(r.toks) == 1 {
		return float64(v), "doubtful slip"
	}
	return 0, ""
}

func (r *reply) slipAfterArticle(i int) bool {
	prev := r.at(i - 1)
	end := r.before(i+1) != run || r.at(i+1) == "out"
	return end && r.before(i) == run && (prev == "an" && r.at(i) == "ate" || prev == "a" && (r.at(i) == "for" || r.at(i) == "to" || r.at(i) == "sicks"))
}

// ofTotal reads "out of ten", "/10" and "percent" behind a number, and carries
// other totals over to this scale.
func (r *reply) ofTotal(c *candidate, low, high float64) bool {
	k := c.to
	if k >= len(r.toks) || r.before(k) != run {
		return false
	}
	if r.at(k) == "percent" || r.at(k) == "%" || r.at(k) == "per" && r.at(k+1) == "cent" {
		c.to = k + 1
		if r.at(k) == "per" {
			c.to++
		}
		r.carry(c, 100, low, high, "percent")
		return true
	}
	switch {
	case r.at(k) == "out" && r.at(k+1) == "of":
		k += 2
	case r.at(k) == "of" && (r.at(c.from) == "one" || c.from > 0 && r.in(c.from-1, cue.Selves)):
		return false // "I'm one of ten"
	case r.at(k) == "/" || r.at(k) == "over" || r.at(k) == "of":
		k++
	default:
		return false
	}
	for r.at(k) == "a" || r.at(k) == "possible" || r.at(k) == "the" {
		k++
	}
	total, n := r.number(k, false)
	if n == 0 || total <= 0 {
		return false
	}
	c.to = k + n
	r.carry(c, total, low, high, "out of")
	return true
}

func (r *reply) carry(c *candidate, total, low, high float64, why string) {
	c.strong, c.why = true, why
	c.confidence = math.Max(c.confidence, 0.95)
	if total != high {
		if c.value > total {
			c.value = high + 1
			return
		}
		c.value, c.confidence = math.Round(c.value/total*high), 0.8
		if c.value < low {
			c.value, c.confidence = low, 0.6
		}
	}
}

// foreign reports whether a number belongs to something else in the story: an
// age, a time, a count of something.
func (r *reply) foreign(c candidate) bool { return r.foreignBefore(c) || r.foreignAfter(c) }

// foreignAfter looks at the word behind the number: a thing that is counted, or
// a part of the day.
func (r *reply) foreignAfter(c candidate) bool {
	next := r.at(c.to)
	if next == "" || r.before(c.to) != run {
		return false
	}
	if r.lx.is(next, cue.PastHour) && (r.isNumberWord(c.to+1) || r.noon(c.to+1)) {
		return true // "ten past nine"
	}
	if r.starts(c.to, cue.PartOfDay) {
		return !c.strong || next == "o'clock" || next == "am" || next == "pm"
	}
	if next == "of" {
		return true // "one of those days"; "of ten" was read before
	}
	return !r.lx.is(next, cue.AfterNumber) && !r.toks[c.to].plain && !r.isNumberWord(c.to) && !r.fixAt(c.to)
}

func (r *reply) fixAt(i int) bool {
	n, _ := r.match(i, cue.Fix)
	return n > 0
}

func (r *reply) foreignBefore(c candidate) bool {
	if r.before(c.from) != run || c.from == 0 {
		return false
	}
	prev := r.at(c.from - 1)
	if prev == "or" && c.from > 1 && !r.isNumberWord(c.from-2) && r.before(c.from-1) == run {
		return true // "a minute or two"
	}
	if prev == "to" && r.at(c.from-2) == "through" {
		return true // "I slept through to nine"
	}
	if prev == "at" {
		return !r.plainBefore(c.from) || !r.leadsTo(c.from-1)
	}
	if r.at(c.from) == "one" && c.to-c.from == 1 && !r.lx.is(prev, cue.OneAfter) && !r.plainBefore(c.from) {
		return true
	}
	if r.at(c.from) == "one" && prev == "the" && !r.isNumberWord(c.to+1) {
		return r.at(c.from-2) != "just" && r.at(c.from-2) != "only"
	}
	switch prev {
	case "and", "to", "than", "from", "for", "in", "all":
		return !r.rangeWord(c.from-1) && prev != "and" && prev != "than" && prev != "to"
	}
	return r.lx.is(prev, cue.ForeignBefore) && prev != "number"
}

// rangeFrom reports whether a number goes with one that belongs to something else:
// "from nine to four", "two or three cups".
func (r *reply) rangeFrom(gone, i int) bool {
	return gone >= 0 && i == gone+1 && (r.at(gone) == "to" || r.at(gone) == "or") && r.before(gone) == run
}

// rangeWord reports whether the word at i joins two numbers.
func (r *reply) rangeWord(i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if r.isNumberWord(k) {
			return true
		}
	}
	return false
}

// leadsTo reports whether "at" is part of "put it at", "I'm at", and not of a
// time of day.
func (r *reply) leadsTo(i int) bool {
	switch r.at(i - 1) {
	case "it", "i'm", "it's", "still", "probably", "maybe", "sitting", "hovering", "pain", "energy", "mood", "is", "about", "down", "now":
		return r.before(i) == run
	}
	return i == 0
}

// restatesScale reports whether the number is part of the scale said again.
func (r *reply) restatesScale(c candidate, low, high float64) bool {
	if c.value != low && c.value != high {
		return false
	}
	for k := max(0, c.from-6); k < c.from; k++ {
		if r.at(k) == "scale" && r.at(k+1) == "of" || r.at(k) == "scale" && r.at(k+1) == "from" {
			return c.from-k <= 5 && r.before(c.from) == run
		}
	}
	return false
}

// scaleWords reads answers without a number.
func (r *reply) scaleWords(q Question) (Reading, bool) {
	low, high, _ := q.bounds()
	for i := range r.toks {
		if n, _ := r.match(i, cue.Halfway); n > 0 && (r.at(i) != "half" || r.bare(i, i+n)) && r.standsAlone(i, i+n) {
			return r.wordReading(q, math.Floor(high/2), 0.75, i, i+n, "half"), true
		}
		if n, _ := r.match(i, cue.TopOfScale); n > 0 && r.bare(i, i+n) {
			return r.wordReading(q, high, 0.75, i, i+n, "top"), true
		}
		if n, _ := r.match(i, cue.BottomOfScale); n > 0 && r.bare(i, i+n) {
			return r.wordReading(q, low, 0.75, i, i+n, "bottom"), true
		}
		if n := r.zeroAt(q, i); n > 0 && low <= 1 {
			conf := 0.8
			if low == 1 && !r.noneAtAll(q, i) {
				conf = guessLevel
			}
			return r.wordReading(q, low, conf, i, i+n, "none"), true
		}
	}
	return r.graded(q)
}

// noneAtAll reports whether "no pain" stands at i, and nothing behind it says where or when.
func (r *reply) noneAtAll(q Question, i int) bool {
	return r.at(i) == "no" && q.about(r.at(i+1)) && (r.plainUntilPause(i+2) || r.in(i+2, cue.Joiners) || r.at(i+2) == "at" && r.at(i+3) == "all")
}

// guessLevel is what words for a place on a scale are worth that the question does not give
// to one: enough to be read back.
const guessLevel = 0.6

// graded reads words for good and bad: "not too bad", "so so". They stand for a place
// on the scale by its direction, and in a story they may be said of anything.
func (r *reply) graded(q Question) (Reading, bool) {
	if q.Higher == "" || q.Strict || len(r.toks) > longWords || r.ofOtherTimes(q) {
		return Reading{}, false
	}
	got := r.readChoice(Question{Kind: Choice, Topic: q.Topic, Options: r.lx.grades.options})
	if got.Status != Answered || got.Confidence < SettleAt || got.Why != "option" && got.Why != "synonym" {
		return Reading{}, false
	}
	i, n := r.find(got.Quote)
	from, _ := r.clause(i)
	for k := from; k < i; k++ {
		if r.lx.is(subject(r.at(k)), cue.Others) {
			return Reading{}, false // "they look after me very well"
		}
	}
	if r.inQuestion(i) || r.slice(0, i).supposed() || r.slice(i+n, len(r.toks)).supposed() {
		return Reading{}, false
	}
	if r.at(i) == "well" && n == 1 && r.allOf(cue.Hollow) || r.has(cue.GoOn) {
		return Reading{}, false // "well", "very well, carry on"
	}
	low, high, _ := q.bounds()
	share := r.lx.grades.share[got.Value.Choice][q.Higher]
	got.Value = Value{Kind: q.Kind, Number: math.Round(low + share*(high-low))}
	got.Confidence, got.Why = guessLevel, "grade"
	return got, true
}

// zeroAt is the length of the words that say that there is nothing, in an
// answer's place.
func (r *reply) zeroAt(q Question, i int) int {
	n, _ := r.match(i, cue.Zero)
	if n == 0 && (r.at(i) == "no" || r.at(i) == "any" && r.negatedBefore(i)) && r.before(i+1) == run && q.about(r.at(i+1)) {
		n = 2
	}
	if n == 0 {
		n = r.notAnything(i)
	}
	if n == 0 {
		return 0
	}
	from := i
	for r.before(from) == run && from > 0 {
		from--
	}
	for k := from; k < i; k++ {
		if !r.toks[k].plain && !r.in(k, cue.Selves) && !r.in(k, cue.Negs) && !r.in(k, cue.SoftNegs) {
			return 0
		}
	}
	if r.before(i+n) != run || r.plainUntilPause(i+n) || n > 1 && r.at(i) != "never" {
		return n
	}
	return 0
}

// notAnything is the length of "not a twinge", "not a peep", said by itself.
func (r *reply) notAnything(i int) int {
	if r.at(i) != "not" || r.at(i+1) != "a" || r.before(i+2) != run || r.in(i+2, cue.NotNothing) || r.isNumberWord(i+2) || !r.opens(i) || !r.plainUntilPause(i+3) {
		return 0
	}
	return 3
}

func (r *reply) wordReading(q Question, v, conf float64, i, j int, why string) Reading {
	return Reading{Status: Answered, Value: Value{Kind: q.Kind, Number: v}, Confidence: conf, Quote: r.quote(i, j), Why: why}
}
