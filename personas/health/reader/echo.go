package reader

// echo reads "I did", "I haven't", "certainly have": an auxiliary that stands for the whole answer.
func (r telling) echo() (signal, bool) {
	for i := range r.toks {
		if s, ok := r.iAm(i); ok {
			return s, true
		}
		aux, from := i, i
		switch {
		case r.in(i, cue.We) && r.aux(i+1) != 0 && !r.toks[i].aside:
			aux = i + 1
		case r.aux(i) != 0 && r.in(i-1, cue.Surely):
			from = i - 1
		case r.in(i, cue.We) && r.in(i+1, cue.EchoAdverbs) && r.aux(i+2) != 0:
			aux = i + 2 // "I surely did", "I never did"
		case r.aux(i) != 0 && !r.toks[i].aside && r.standsAlone(i, i+1): // "Haven't.", and not "I would say,"
		default:
			continue
		}
		denied, ok := r.thought(from)
		if !r.follows(aux) || !ok || !denied && !r.opens(from) && !r.in(from-1, cue.Joiners) && r.follows(from) {
			continue
		}
		yes := r.aux(aux) > 0 != denied
		if r.in(aux-1, cue.Never) {
			yes = !yes
		}
		to := aux + 1
		if r.in(to, cue.Not) && r.follows(to) {
			yes, to = !yes, to+1
		}
		if !r.echoEnds(aux, to) || r.slice(aux, len(r.toks)).has(cue.LongPast) {
			continue
		}
		s := signal{yes: yes, from: from, to: to, confidence: sure, why: "echo"}
		if r.any(from-1, to, cue.NearMiss) {
			s.yes, s.near, s.confidence = false, true, likely
		}
		return s, true
	}
	return signal{}, false
}

// echoEnds reports whether the words from token to on allow the auxiliary at aux to be an echo:
// those of "I did with my tea" do, those of "I was with my niece", "I don't like them" and "I do
// love a song" do not.
func (r telling) echoEnds(aux, to int) bool {
	switch {
	case r.in(to, cue.LoveLike) && r.follows(to):
		return r.plainUntilPause(to+1) || r.in(to, cue.Like) && !r.in(aux, cue.Do) && r.in(to+1, cue.Likened)
	case !r.follows(to), r.toks[to].aside:
		return true
	}
	if r.in(to, cue.Those) && !r.ends(to+1) && !r.about(to+1, to+2) && (r.in(aux, cue.HadSome) && !r.saysYesOrNo(0) || r.q.task(r.lx) == nil) {
		return false // "I have them laid out", "I did it lying down"
	}
	return r.in(to, cue.EchoNext) && (r.in(aux, cue.OfTasks) || !r.in(to, cue.OtherNext) || r.plainUntilPause(to+1))
}

// iAm reads "I am" and "I'm not", which are joined into one word. "I'm…" only begins a sentence.
func (r telling) iAm(i int) (signal, bool) {
	if !r.in(i, cue.Am) || !r.opens(i) {
		return signal{}, false
	}
	s := signal{yes: true, from: i, to: i + 1, confidence: sure, why: "echo"}
	switch t := r.toks[i]; {
	case r.in(i+1, cue.Not) && r.follows(i+1):
		s.yes, s.to = false, i+2
	case t.end-t.start <= len(t.text): // it was not said as two words
		return signal{}, false
	}
	for k := i - 1; k >= 0 && r.before(k+1) != hard; k-- {
		if !r.starts(k, cue.Particles) && !r.toks[k].plain && !r.in(k, cue.Joiners) {
			return signal{}, false // "done in by the heat, I am"
		}
	}
	return s, r.plainUntilPause(s.to)
}

// thought reports whether the clause that begins at i is negated by the words before it: "I don't
// think I did". ok is false if they ask about it or leave it open: "if I did".
func (r *text) thought(i int) (denied, ok bool) {
	k := i - 1
	if r.in(k, cue.That) {
		if k--; r.in(k, cue.Not) {
			return true, true // "not that I'd forget"
		}
	}
	switch {
	case k < 0 || !r.follows(k+1):
		return false, true
	case r.in(k, cue.Thinking):
		return r.in(k-1, cue.Negs) && r.follows(k), true
	case r.in(k, cue.CouldDid):
		return false, r.in(k-1, cue.Selves) // "how could I forget?" is a question
	case r.in(k, cue.Finding):
		return r.in(k-1, cue.Negs), true
	case r.in(k, cue.Way):
		return r.in(k-1, cue.No), true // "no way I'd forget"
	}
	return false, !r.in(k, cue.NotKnown)
}
