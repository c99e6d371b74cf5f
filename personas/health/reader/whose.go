package reader

// ofOthers reports whether the clause up to i tells what somebody else has: "my
// husband had three".
func (r *reply) ofOthers(i int) bool {
	from, _ := r.clause(i)
	others := false
	for k := from; k < i; k++ {
		if r.in(k, cue.Selves) && r.at(k) != "my" {
			return false
		}
		others = others || r.lx.is(subject(r.at(k)), cue.Others)
	}
	return others
}

// spent reports whether an amount is of something that was not asked about: "we
// talked for two hours", "my blood pressure is a hundred and forty".
func (r *reply) spent(q Question, c candidate) bool {
	from, _ := r.clause(c.from)
	for k := from; k < c.from; k++ {
		if r.in(k, cue.OtherMeasures) && !q.about(r.at(k)) {
			return true
		}
	}
	if c.why != "unit" {
		return false
	}
	if r.lx.units[q.Unit].dim == "time" && r.ofThings(q, c.from) {
		return true
	}
	if r.in(c.to, cue.SpentOtherwise) && r.before(c.to) == run {
		return true
	}
	for k := from; k < c.from; k++ {
		if r.in(k, cue.OtherDoings) && !q.about(r.at(k)) {
			return true
		}
	}
	return false
}

// thereAre reports whether the number before token i is told of what there is: "there
// are six glasses in the cupboard".
func (r *reply) thereAre(i int) bool {
	return r.at(i-1) == "there's" || r.at(i-2) == "there" && (r.at(i-1) == "are" || r.at(i-1) == "is")
}

// ofThings reports whether the clause up to i tells what a thing did: "the boiler
// broke down twice".
func (r *reply) ofThings(q Question, i int) bool {
	from, _ := r.clause(i)
	for k := from; k < i; k++ {
		if r.in(k, cue.Selves) && r.at(k) != "my" || q.about(r.at(k)) {
			return false
		}
	}
	first := r.at(from)
	return i-from > 2 && (first == "the" || first == "my" || first == "our" || first == "that")
}
