package reader

// gradedOrFuture reads "a little" for a symptom and "I'm about to" for a task.
func (r *reply) gradedOrFuture(q Question) (signal, bool) {
	w := &r.lx.yesno
	for i := range r.toks {
		if n, _ := w.near.at(r.toks, i); n > 1 && r.opens(i) {
			return signal{yes: false, from: i, to: i + n, confidence: 0.72, near: true, why: "nearly"}, true
		}
		if n, _ := w.future.at(r.toks, i); n > 0 && q.task(r.lx) != nil && (r.opens(i) || r.before(i) != run) && r.putsOff(q, i, n) {
			return signal{yes: q.Negated, from: i, to: i + n, confidence: 0.75, why: "not yet"}, true
		}
		if n, _ := w.except.at(r.toks, i); n > 0 && q.task(r.lx) != nil && r.opens(i) {
			return signal{yes: q.Negated, from: i, to: i + n, confidence: 0.74, why: "all but"}, true
		}
		if n, _ := w.graded.at(r.toks, i); n > 0 && q.symptom(r.lx) && r.opens(i) && !r.longAgo(i) && r.gradesIt(q, i+n) {
			return signal{yes: true, from: i, to: i + n, confidence: 0.75, why: "a little"}, true
		}
	}
	return signal{}, false
}

// putsOff reports whether words of the future are about the task that was asked
// for: "I'm going to in a minute" and "I must take them" are, "I must dash" is not.
func (r *reply) putsOff(q Question, i, n int) bool {
	w := &r.lx.yesno
	j := i + n
	if r.ruleFrom(j) {
		return false
	}
	if doing[r.at(j)] && doneThings[r.at(j+1)] || r.at(j) == "see" && r.at(j+1) == "to" {
		return true
	}
	if r.plainUntilPause(j) || r.lx.joiners[r.at(j)] || w.putOffNext[r.at(j)] {
		return true
	}
	if m, _ := w.future.at(r.toks, j); m > 0 {
		return r.putsOff(q, j, m)
	}
	return r.about(q, j, j+6)
}

// ruleFrom reports whether the words from token j on say how a thing is always to be
// taken, and not that it is still to be done: "I have to take them with food".
func (r *reply) ruleFrom(j int) bool {
	for k := j; k < len(r.toks) && (k == j || r.before(k) == run); k++ {
		switch w, next := r.at(k), r.at(k+1); {
		case w == "with" && takenWith[next], w == "with" && (next == "a" || next == "some") && takenWith[r.at(k+2)],
			w == "before" && (next == "food" || next == "meals"), w == "after" && next == "meals",
			w == "empty" && next == "stomach", w == "every" || w == "each" || w == "daily",
			(w == "once" || w == "twice" || w == "times") && (next == "a" || next == "daily"):
			return !r.soon(j)
		}
	}
	return false
}

// soon reports whether the clause from token j on tells of this very time.
func (r *reply) soon(j int) bool {
	for k := j; k < len(r.toks) && (k == j || r.before(k) == run); k++ {
		switch r.at(k) {
		case "now", "later", "minute", "soon", "yet", "still", "today", "tonight", "moment", "first":
			return true
		}
	}
	return false
}

// takenWith is what medicines are to be taken with.
var takenWith = setOf("food meals meal milk water")

// What is still to be done, where it is not named: "I'll do it", "I must see to them".
var (
	doing      = setOf("do have get fetch see find swallow")
	doneThings = setOf("it them that those mine")
)

// about reports whether one of the tokens i up to j, within a clause, speaks of the
// question: by its topic, or by a verb of its themes.
func (r *reply) about(q Question, i, j int) bool {
	themes := q.themesOf(r.lx)
	for k := i; k < min(j, len(r.toks)) && (k == i || r.before(k) == run); k++ {
		about, idiom := q.about(r.at(k)), 0
		for _, t := range themes {
			n, _ := t.did.at(r.toks, k)
			m, _ := t.idioms.at(r.toks, k)
			about, idiom = about || n > m || t.topics[subject(r.at(k))], max(idiom, m)
		}
		if idiom > 0 {
			k += idiom - 1
		} else if about {
			return true
		}
	}
	return false
}

// gradesIt reports whether "a lot" or "sometimes" stands for the symptom, and does
// not measure something else: "a lot of people", "very nice of you".
func (r *reply) gradesIt(q Question, j int) bool {
	if r.at(j) == "well" && r.before(j) == run {
		return false // "very well, carry on"
	}
	if r.plainUntilPause(j) || r.lx.joiners[r.at(j)] || r.lx.yesno.gradedNext[r.at(j)] {
		return true
	}
	if n, _ := r.lx.yesno.graded.at(r.toks, j); n > 0 {
		return r.gradesIt(q, j+n)
	}
	return r.lx.yesno.when[r.at(j-1)] || r.about(q, j, j+6)
}
