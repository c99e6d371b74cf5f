package reader

import "slices"

// ofOthers reports whether the clause up to i is about somebody else: "my husband had three".
func (r *text) ofOthers(i int) bool {
	from, _ := r.clause(i)
	return r.namesOthers(from, i) && !r.tellsOfMe(from, i)
}

// namesOthers reports whether one of tokens i up to j names somebody else.
func (r *text) namesOthers(i, j int) bool {
	return slices.ContainsFunc(r.toks[i:j], func(t token) bool { return r.lx.is(subject(t.text), cue.Others) })
}

// tellsOfMe reports whether one of tokens i up to j refers to the speaker.
func (r *text) tellsOfMe(i, j int) bool {
	for k := i; k < j; k++ {
		if r.isMe(k) {
			return true
		}
	}
	return false
}

// isMe reports whether the word at token k refers to the speaker. "My" does not: it introduces
// somebody or something else.
func (r *text) isMe(k int) bool { return r.in(k, cue.Selves) && !r.in(k, cue.My) }

// spent reports whether an amount measures something that was not asked about: "we talked for two
// hours", "my blood pressure is a hundred and forty".
func (r numeric) spent(c candidate) bool {
	from, _ := r.clause(c.from)
	return c.why == "unit" && (r.lx.units[r.q.Unit].dim == "time" && r.ofThings(c.from) ||
		r.in(c.to, cue.SpentOtherwise) && r.follows(c.to) || r.namesOther(from, c.from, cue.OtherDoings))
}

// namesMeasure reports whether an amount is another measurement or a price: "my blood pressure is a
// hundred and forty", "one thirty by eighty", "it cost forty pounds".
func (r numeric) namesMeasure(c candidate) bool {
	from, _ := r.clause(c.from)
	return r.namesOther(from, c.from, cue.OtherMeasures) || r.any(c.from, c.to, cue.OverBy) && !r.asksOf(cue.Pressure)
}

// namesOther reports whether a word of the class, other than the question's own, stands at tokens i
// up to j.
func (r numeric) namesOther(i, j int, class class) bool {
	for k := i; k < j; k++ {
		if r.in(k, class) && !r.q.about(r.at(k)) {
			return true
		}
	}
	return false
}

// thereAre reports whether the number at token i only says how many things there are: "there are
// six glasses in the cupboard".
func (r numeric) thereAre(i int) bool {
	n, _ := r.match(i-1, cue.ThereIs)
	m, _ := r.match(i-2, cue.ThereIs)
	return n == 1 || m == 2
}

// ofThings reports whether the clause up to i is about a thing: "the boiler broke down twice".
func (r numeric) ofThings(i int) bool {
	from, _ := r.clause(i)
	for k := from; k < i; k++ {
		if r.isMe(k) || r.q.about(r.at(k)) {
			return false
		}
	}
	return i-from > 2 && r.in(from, cue.TheMy)
}
