package reader

import "math"

// candidate is a number in the reply that could be the answer.
type candidate struct {
	value      float64
	from, to   int // tokens
	confidence float64
	strong     bool   // marked as an answer: "a seven", "seven out of ten", "I'd say seven"
	past       bool   // of another day
	now        bool   // expressly of now
	hearsay    bool   // in someone else's mouth: "the doctor says eight"
	final      bool   // a sum: "one and one, so two"
	unit       string // as it is recorded, where the question has none of its own
	why        string
}

// minor is what a candidate is worth that nothing speaks for or against.
const minor = 0.72

// mark finds out what speaks for a number at tokens from to: whether words before it
// lead to an answer, and whether it stands alone.
func (r *reply) mark(c *candidate) {
	switch {
	case r.bare(c.from, c.to):
		c.strong, c.confidence = true, 0.96
	case r.plainBefore(c.from) && r.before(c.from) == run && c.from > 0:
		c.strong, c.confidence = true, 0.9
	case r.before(c.from) != run && r.plainUntilPause(c.to):
		c.strong, c.confidence = true, 0.88
	case r.before(c.from) != run:
		c.confidence = 0.8
	default:
		c.confidence = minor
	}
	from, to := r.clause(c.from)
	for i := from; i < to; i++ {
		if r.starts(i, cue.Today) {
			c.now = true
		}
		if r.starts(i, cue.Earlier) && !c.past {
			c.past = r.at(i) != "was" && r.at(i) != "were" || !c.strong || i < c.from
		}
	}
	if r.starts(c.to, cue.Today) && r.before(c.to) == run {
		c.now, c.past = true, false // "six today five yesterday"
	} else if r.before(c.to) == run && (r.at(c.to) == "yesterday" || r.at(c.to) == "last") {
		c.now, c.past = false, true
	}
	for i := from; i < c.from; i++ {
		switch w := r.at(i); {
		case w == "he's" || w == "she's" || w == "they're", r.lx.is(w, cue.Others) && r.saysBetween(i, c.from):
			c.hearsay = true
		}
	}
	k := c.from - 1
	for k > 0 && r.toks[k].plain && r.at(k) != "so" && r.before(k) == run {
		k--
	}
	if r.at(k) == "so" && k > 0 {
		c.final = true
	}
	if r.inQuestion(c.from) {
		c.confidence, c.strong = 0.5, false
	}
}

// inQuestion reports whether the sentence around i asks: "what would you call a
// seven?". "Seven?" alone is an answer by someone unsure.
func (r *reply) inQuestion(i int) bool {
	from, to := i, i
	for r.before(from) != hard {
		from--
	}
	for to+1 < len(r.toks) && r.before(to+1) != hard {
		to++
	}
	for r.toks[from].aside && from < i {
		from++
	}
	return r.toks[to].asked && r.in(from, cue.QuestionWords)
}

// saysBetween reports whether a verb of saying stands between: "he says eight".
func (r *reply) saysBetween(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if r.in(k, cue.Tells) {
			return true
		}
	}
	return false
}

// plainBefore reports whether the word before i leads up to an answer.
func (r *reply) plainBefore(i int) bool { return i > 0 && r.toks[i-1].plain }

func (r *reply) plainUntilPause(i int) bool {
	for ; r.before(i) == run; i++ {
		if !r.toks[i].plain {
			return false
		}
	}
	return true
}

// denied reports whether a number is named only to be turned down: "not a
// seven", "not as high as an eight".
func (r *reply) denied(i int) bool {
	if r.closeBefore(i) {
		return false
	}
	for k := i - 1; k >= 0 && i-k <= 6 && r.before(k+1) == run; k-- {
		w := r.at(k)
		if r.lx.is(w, cue.Negs) && w != "no" {
			return true
		}
		if !r.lx.is(w, cue.SoftNegs) && w != "high" && w != "low" && w != "good" && w != "bad" && w != "much" && w != "i'd" && w != "that's" && w != "go" {
			return false
		}
	}
	return false
}

// qualifier reports whether one of t's phrases stands right before i.
func (r *reply) qualifier(t phrases, i int) bool {
	end := i
	for end > 0 && (r.at(end-1) == "a" || r.at(end-1) == "an") {
		end--
	}
	for k := max(0, end-3); k < end; k++ {
		if n, _ := r.match(k, t); n > 0 && k+n == end {
			return true
		}
	}
	return false
}

func (r *reply) closeBefore(i int) bool { return r.qualifier(cue.CloseTo, i) }

// fixedBetween reports whether words between tokens i and j take back what came
// before.
func (r *reply) fixedBetween(i, j int) bool {
	for k := i; k < j; k++ {
		if n, _ := r.match(k, cue.Fix); n > 0 && k+n <= j {
			return true
		}
	}
	return false
}

// rangeBetween reports whether the tokens between two numbers join them to a
// range: "seven or maybe eight", "between five and six".
func (r *reply) rangeBetween(a, b candidate) bool {
	if r.before(b.from) == hard {
		return false
	}
	and := false
	for k := a.to; k < b.from; k++ {
		switch w := r.at(k); w {
		case "or", "to", "maybe", "perhaps", "possibly", "a", "an", "even", "probably", "on", "towards", "going", "if":
		case "and":
			and = true
		default:
			return false
		}
	}
	if a.to == b.from {
		return r.before(b.from) == soft && math.Abs(a.value-b.value) == 1 || a.value == b.value
	}
	if and {
		for k := max(0, a.from-3); k < a.from; k++ {
			if r.at(k) == "between" {
				return true
			}
		}
		return false
	}
	return true
}

// settle chooses among candidates: denied and foreign ones are gone already.
// The last correction counts, ranges become one candidate, those of another day
// give way to those of today. It returns false when it cannot choose.
func (r *reply) settle(cs []candidate, mean func(a, b candidate) (candidate, bool)) (candidate, bool) {
	cs = r.lastFix(cs)
	var out []candidate
	for i := 0; i < len(cs); i++ {
		c := cs[i]
		for i+1 < len(cs) && r.rangeBetween(c, cs[i+1]) {
			joined, ok := mean(c, cs[i+1])
			if !ok {
				c = candidate{from: c.from, to: cs[i+1].to, why: "too far apart"}
			} else {
				c = joined
			}
			i++
			break
		}
		out = append(out, c)
	}
	out = prefer(out, func(c candidate) bool { return c.final })
	out = prefer(out, func(c candidate) bool { return !c.past && !c.hearsay })
	if distinct(out) > 1 {
		out = prefer(out, func(c candidate) bool { return !r.toks[c.to-1].asked })
	}
	if distinct(out) > 1 {
		out = prefer(out, func(c candidate) bool { return c.strong })
	}
	if distinct(out) > 1 {
		out = prefer(out, func(c candidate) bool { return c.now })
	}
	if distinct(out) > 1 || len(out) == 0 {
		return candidate{why: "several numbers"}, false
	}
	best := out[0]
	for _, c := range out[1:] {
		if c.confidence > best.confidence {
			best = c
		}
	}
	if best.hearsay || r.lostAfter(best.to) {
		best.confidence = math.Min(best.confidence, 0.6)
	}
	return best, best.confidence > 0
}

// lostAfter reports whether what follows token i takes the answer back without
// another: "nine… no, I don't know".
func (r *reply) lostAfter(i int) bool {
	for ; i < len(r.toks); i++ {
		n, why := r.match(i, cue.Lost)
		if n == 0 || why != "not known" || r.at(i) == "it" || r.at(i) == "depends" {
			continue
		}
		switch r.at(i + n) {
		case "why", "how", "what", "where", "who", "about", "when":
			continue
		}
		return true
	}
	return false
}

// lastFix drops what was taken back.
func (r *reply) lastFix(cs []candidate) []candidate {
	for i := len(cs) - 1; i > 0; i-- {
		if cs[i].value != cs[i-1].value && r.fixedBetween(cs[i-1].to, cs[i].from) && !cs[i].past && !cs[i].hearsay {
			last := cs[i:]
			last[0].strong, last[0].why = true, "corrected"
			last[0].confidence = math.Max(last[0].confidence, 0.85)
			return last
		}
	}
	return cs
}

// prefer keeps those that hold, unless none does.
func prefer(cs []candidate, holds func(candidate) bool) []candidate {
	var out []candidate
	for _, c := range cs {
		if holds(c) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return cs
	}
	return out
}

func distinct(cs []candidate) int {
	n := 0
	for i, c := range cs {
		seen := false
		for _, d := range cs[:i] {
			seen = seen || d.value == c.value
		}
		if !seen {
			n++
		}
	}
	return n
}
