package reader

// gradedOrFuture reads "a little" for a symptom and "I'm about to" for a task.
func (r *reply) gradedOrFuture(q Question) (signal, bool) {
	for i := range r.toks {
		if n, _ := r.match(i, cue.NearMiss); n > 1 && r.opens(i) {
			return signal{yes: false, from: i, to: i + n, confidence: 0.72, near: true, why: "nearly"}, true
		}
		if n, _ := r.match(i, cue.Future); n > 0 && q.task(r.lx) != nil && (r.opens(i) || r.before(i) != run) && r.putsOff(q, i, n) {
			return signal{yes: q.Negated, from: i, to: i + n, confidence: 0.75, why: "not yet"}, true
		}
		if n, _ := r.match(i, cue.Exceptions); n > 0 && q.task(r.lx) != nil && r.opens(i) {
			return signal{yes: q.Negated, from: i, to: i + n, confidence: 0.74, why: "all but"}, true
		}
		if n, _ := r.match(i, cue.Graded); n > 0 && q.symptom(r.lx) && r.opens(i) && !r.longAgo(i) && r.gradesIt(q, i+n) {
			return signal{yes: true, from: i, to: i + n, confidence: 0.75, why: "a little"}, true
		}
	}
	return signal{}, false
}

// putsOff reports whether words of the future are about the task that was asked
// for: "I'm going to in a minute" and "I must take them" are, "I must dash" is not.
func (r *reply) putsOff(q Question, i, n int) bool {
	j := i + n
	if r.ruleFrom(j) {
		return false
	}
	if r.in(j, cue.Doing) && r.in(j+1, cue.DoneThings) || r.at(j) == "see" && r.at(j+1) == "to" {
		return true
	}
	if r.plainUntilPause(j) || r.in(j, cue.Joiners) || r.in(j, cue.PutOffNext) {
		return true
	}
	if m, _ := r.match(j, cue.Future); m > 0 {
		return r.putsOff(q, j, m)
	}
	return r.about(q, j, j+6)
}

// ruleFrom reports whether the words from token j on say how a thing is always to be
// taken, and not that it is still to be done: "I have to take them with food".
func (r *reply) ruleFrom(j int) bool {
	for k := j; k < len(r.toks) && (k == j || r.before(k) == run); k++ {
		switch w, next := r.at(k), r.at(k+1); {
		case w == "with" && r.lx.is(next, cue.TakenWith), w == "with" && (next == "a" || next == "some") && r.in(k+2, cue.TakenWith),
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

// about reports whether one of the tokens i up to j, within a clause, speaks of the
// question: by its topic, or by a verb of its themes.
func (r *reply) about(q Question, i, j int) bool {
	themes := q.themesOf(r.lx)
	for k := i; k < min(j, len(r.toks)) && (k == i || r.before(k) == run); k++ {
		about, idiom := q.about(r.at(k)), 0
		for _, t := range themes {
			n, _ := r.match(k, t.did)
			m, _ := r.match(k, t.idioms)
			about, idiom = about || n > m || r.lx.is(subject(r.at(k)), t.topics), max(idiom, m)
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
	if r.plainUntilPause(j) || r.in(j, cue.Joiners) || r.in(j, cue.GradedNext) {
		return true
	}
	if n, _ := r.match(j, cue.Graded); n > 0 {
		return r.gradesIt(q, j+n)
	}
	return r.in(j-1, cue.GradedWhen) || r.about(q, j, j+6)
}
