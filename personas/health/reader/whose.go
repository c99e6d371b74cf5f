package reader

// ofOthers reports whether the clause up to i tells what somebody else has: "my
// husband had three".
func (r *reply) ofOthers(i int) bool {
	from, _ := r.clause(i)
	others := false
	for k := from; k < i; k++ {
		if r.lx.selves[r.at(k)] && r.at(k) != "my" {
			return false
		}
		others = others || r.lx.others[subject(r.at(k))]
	}
	return others
}

// spentOtherwise, behind an amount of time, tells what went on in it.
var spentOtherwise = setOf("waiting driving walking standing queuing queueing talking cooking cleaning travelling traveling watching reading late early away ago apart")

// otherDoings, before an amount of time, tell as much.
var otherDoings = setOf("talked waited watched walked sat read drove cooked chatted played stood queued worked cleaned travelled traveled visited stayed listened cried")

// otherMeasures, before a number, tell what was measured.
var otherMeasures = setOf("pressure temperature pulse sugar height age oxygen cholesterol")

// spent reports whether an amount is of something that was not asked about: "we
// talked for two hours", "my blood pressure is a hundred and forty".
func (r *reply) spent(q Question, c candidate) bool {
	from, _ := r.clause(c.from)
	for k := from; k < c.from; k++ {
		if otherMeasures[r.at(k)] && !q.about(r.at(k)) {
			return true
		}
	}
	if c.why != "unit" {
		return false
	}
	if r.lx.numbers.units[q.Unit].dim == "time" && r.ofThings(q, c.from) {
		return true
	}
	if spentOtherwise[r.at(c.to)] && r.before(c.to) == run {
		return true
	}
	for k := from; k < c.from; k++ {
		if otherDoings[r.at(k)] && !q.about(r.at(k)) {
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
		if r.lx.selves[r.at(k)] && r.at(k) != "my" || q.about(r.at(k)) {
			return false
		}
	}
	first := r.at(from)
	return i-from > 2 && (first == "the" || first == "my" || first == "our" || first == "that")
}
