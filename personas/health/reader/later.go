package reader

// gradedOrFuture reads "a little" for a symptom and "I'm about to" for a task.
func (r telling) gradedOrFuture() (signal, bool) {
	task, symptom := r.q.task(r.lx) != nil, r.q.symptom(r.lx)
	for i := range r.toks {
		opens := r.opens(i)
		if n, _ := r.match(i, cue.NearMiss); n > 1 && opens {
			return signal{yes: false, from: i, to: i + n, confidence: likely, near: true, why: "nearly"}, true
		}
		if n, _ := r.match(i, cue.Future); n > 0 && task && (opens || !r.follows(i)) && r.putsOff(i, n) {
			return signal{yes: r.q.Negated, from: i, to: i + n, confidence: likely, why: "not yet"}, true
		}
		if n, _ := r.match(i, cue.Exceptions); n > 0 && task && opens {
			return signal{yes: r.q.Negated, from: i, to: i + n, confidence: likely, why: "all but"}, true
		}
		if n, _ := r.match(i, cue.Graded); n > 0 && symptom && opens && !r.longAgo(i) && r.gradesIt(i+n) {
			return signal{yes: true, from: i, to: i + n, confidence: likely, why: "a little"}, true
		}
	}
	return signal{}, false
}

// putsOff reports whether words about the future, at i and of length n, refer to the task that was
// asked about: "I'm going to in a minute" and "I must take them" do, "I must dash" does not. Nor do
// words about how something is always taken: "I have to take them with food".
func (r telling) putsOff(i, n int) bool {
	j := i + n
	_, to := r.around(j, j+1, soft)
	if r.any(j, to, cue.TakenAlways) && !r.any(j, to, cue.Soon) {
		return false
	}
	if r.starts(j, cue.DoIt) || r.ends(j) || r.in(j, cue.PutOffNext) {
		return true
	}
	if m, _ := r.match(j, cue.Future); m > 0 {
		return r.putsOff(j, m)
	}
	return r.about(j, j+6)
}

// about reports whether one of the tokens i up to j, within a clause, mentions the question's topic
// or a verb of its themes.
func (r asked) about(i, j int) bool {
	themes := r.q.themesOf(r.lx)
	for k := i; k < min(j, len(r.toks)) && (k == i || r.follows(k)); k++ {
		about, idiom := r.q.about(r.at(k)), 0
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

// gradesIt reports whether "a lot" or "sometimes" refers to the symptom, and does not measure
// something else: "a lot of people", "very nice of you".
func (r telling) gradesIt(j int) bool {
	if r.in(j, cue.Well) && r.follows(j) {
		return false // "very well, carry on"
	}
	if r.ends(j) || r.in(j, cue.GradedNext) {
		return true
	}
	if n, _ := r.match(j, cue.Graded); n > 0 {
		return r.gradesIt(j + n)
	}
	return r.in(j-1, cue.GradedWhen) || r.about(j, j+6)
}
