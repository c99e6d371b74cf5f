package reader

import (
	"iter"
	"slices"
)

// Passage is a part of a reply that something other than the rules took for the answer, with what
// the rules know about it: enough to check whether it can be one.
type Passage struct {
	Quote string // as it was said
	// Numbers are the numbers in it that may answer the question: about the present, not about
	// somebody or something else, not denied and not corrected later.
	Numbers []float64
	Counted bool // it contains a number
	Named   bool // it mentions what was asked about
	Option  bool // it names an option
	Mine    bool // the person speaks of themselves around it
	Others  bool // the person speaks of somebody else around it, and not of themselves
	Denied  bool // a negation stands before it
	Denies  bool // a negation stands in it
	Past    bool // it is about another time than the question
}

// Passages returns the places in a reply to q at which the words of a quote stand, in order, or
// none if they were not said. It ignores punctuation and case.
func Passages(q Question, said, quote string, ctx Context) []Passage {
	r := parse(For(ctx.Locale), said).ask(&q)
	var out []Passage
	for i, j := range r.places(quote) {
		out = append(out, r.passage(i, j))
	}
	return out
}

// places returns the ranges of tokens at which the words of a phrase stand. They may extend over
// the end of a sentence.
func (r *text) places(phrase string) iter.Seq2[int, int] {
	want := r.lx.tokens(phrase)
	return func(yield func(int, int) bool) {
		for i, j := 0, len(want); i < j && j <= len(r.toks); i, j = i+1, j+1 {
			if slices.EqualFunc(r.toks[i:j], want, func(a, b token) bool { return a.text == b.text }) && !yield(i, j) {
				return
			}
		}
	}
}

func (r asked) passage(i, j int) Passage {
	from, _ := r.clause(i)
	_, to := r.clause(j - 1)
	part, clause := r.slice(i, j), r.slice(from, to).ask(r.q)
	p := Passage{
		Quote: r.quote(i, j), Named: part.ask(r.q).topic() >= 0, Mine: r.tellsOfMe(from, to),
		Denied: r.negatedBefore(i), Denies: slices.ContainsFunc(part.toks, func(t token) bool { return r.lx.is(t.text, cue.Negs) }),
		Past: r.q.Kind == Boolean && !r.q.Strict && clause.ofOtherTimes(),
	}
	p.Others = r.namesOthers(from, to) && !p.Mine
	for k := i; k < j && !p.Option; k++ {
		p.Option = slices.ContainsFunc(r.q.Options, func(o Option) bool {
			return slices.ContainsFunc(append([]string{o.Value}, o.Words...), func(w string) bool { return r.spelt(w, k) > 0 })
		})
	}
	p.Numbers, p.Counted = r.numeric().among(i, j)
	return p
}

// among returns the numbers within tokens from up to to that may answer the question, and reports
// whether there is any number. It ignores a number that extends beyond them, so that a part is not
// taken for the whole.
func (r numeric) among(from, to int) (found []float64, counted bool) {
	var all []candidate
	for i := 0; i < len(r.toks); {
		if n, _ := r.match(i, cue.Idioms); n > 0 {
			i += n
			continue
		}
		c, ok := r.spokenAt(i)
		if !ok {
			i++
			continue
		}
		all, i = append(all, c), c.to
	}
	for k, c := range all {
		if c.from < from || c.to > to {
			continue
		}
		slip := c.why == slipped
		if slip && to-from > 1 {
			continue // next to other words it means itself
		}
		counted = counted || !slip
		corrected := slices.ContainsFunc(all[k+1:], func(d candidate) bool { return d.why != slipped && r.fixedBetween(c.to, d.from) })
		if !corrected && !c.hearsay && !r.denied(c.from) && !r.ofOthers(c.from) && !r.countsElse(c) && (c.now || !r.ofThen(c.from)) {
			found = append(found, c.value)
		}
	}
	return found, counted
}

// slipped is the reason of a number that was probably misheard as another word.
const slipped = "slip"

// ofThen reports whether the clause around token i gives a value on a scale for another time.
func (r numeric) ofThen(i int) bool {
	from, to := r.clause(i)
	return r.q.Kind == Scale && r.slice(from, to).ask(r.q).ofOtherTimes()
}

// spokenAt returns the number that begins at token i in any form that the question takes: an amount
// in its unit, a share of its scale, or a word that was misheard for one.
func (r numeric) spokenAt(i int) (candidate, bool) {
	low, high, _ := r.q.bounds()
	if c, ok := r.amount(i, high >= 100); ok && r.q.Kind == Number {
		return c, true
	}
	if v, n := r.number(i, high >= 100 && r.q.Kind != Scale); n > 0 {
		c := r.candidate(v, i, n, "number")
		r.ofTotal(&c, low, high)
		return c, true
	}
	if n := r.zeroAt(i); n > 0 && r.q.Kind == Number {
		return r.candidate(0, i, n, "none"), true
	}
	if r.q.Kind != Scale {
		v, ok := r.value(i, cue.FixedTimes)
		return r.candidate(float64(v/60), i, 1, "fixed time"), ok && r.q.Kind == Time
	}
	for _, class := range []class{cue.Slips, cue.Doubtful} {
		if v, ok := r.value(i, class); ok {
			c := r.candidate(float64(v), i, 1, slipped)
			r.ofTotal(&c, low, high) // "ate out of ten" is certain to be a number
			return c, true
		}
	}
	return candidate{}, false
}

// countsElse reports whether a number counts something that was not asked for: "seven hours", "a
// bad one", or anything that follows a number in a story.
func (r numeric) countsElse(c candidate) bool {
	if r.q.Kind == Time || c.strong {
		return false
	}
	_, unit := r.lx.units[r.at(c.to)]
	one := r.in(c.from, cue.One) && r.follows(c.from) && !r.in(c.from-1, cue.OneAfter) && !r.plainBefore(c.from)
	story := len(r.toks) >= longWords || r.has(cue.Digress)
	return r.q.Kind == Scale && (one || story && r.foreign(c) || unit && r.follows(c.to)) ||
		r.follows(c.to) && (r.starts(c.to, cue.PartOfDay) || r.lx.is(subject(r.at(c.to)), cue.Others))
}

// Alone returns the words of a reply to q that match the phrase, if the words around them mean
// nothing, else "".
func Alone(q Question, said, phrase string, ctx Context) string {
	r := parse(For(ctx.Locale), said).ask(&q)
	for i, j := range r.places(phrase) {
		if r.tellsNothing(0, i) && r.tellsNothing(j, len(r.toks)) {
			return r.quote(i, j)
		}
	}
	return ""
}

// tellsNothing reports whether tokens i up to j are small talk, or repeat the question's own words
// to lead to an answer: "oh, I slept".
func (r asked) tellsNothing(i, j int) bool {
	for k := i; k < j; k++ {
		if r.in(k, cue.Negs) || r.in(k, cue.Nones) || r.in(k, cue.Others) || !r.small(k) && !r.isMe(k) && !r.in(k, cue.Like) && !r.starts(k, cue.Today) && !r.q.about(r.at(k)) {
			return false
		}
	}
	return true
}
