package reader

// echo reads "I did", "I haven't", "certainly have": an auxiliary that stands
// for the whole answer.
func (r *reply) echo() (signal, bool) {
	for i := range r.toks {
		if s, ok := r.iAm(i); ok {
			return s, true
		}
		var aux int
		from := i
		switch {
		case (r.at(i) == "i" || r.at(i) == "we") && r.aux(i+1) != 0 && !r.toks[i].aside:
			aux = i + 1
		case r.aux(i) != 0 && i > 0 && (r.at(i-1) == "sure" || r.at(i-1) == "certainly" || r.at(i-1) == "definitely"):
			aux, from = i, i-1
		case (r.at(i) == "i" || r.at(i) == "we") && r.in(i+1, cue.EchoAdverbs) && r.aux(i+2) != 0:
			aux = i + 2 // "I surely did", "I never did"
		case r.aux(i) != 0 && !r.toks[i].aside && r.standsAlone(i, i+1):
			aux = i // "Haven't.", and not "I would say,"
		default:
			continue
		}
		doubted, ok := r.thought(from)
		if r.before(aux) != run || !ok || !doubted && !r.opens(from) && !r.in(from-1, cue.Joiners) && r.before(from) == run {
			continue
		}
		yes := r.aux(aux) > 0 != doubted
		if r.at(aux-1) == "never" {
			yes = !yes
		}
		to := aux + 1
		if r.at(to) == "not" && r.before(to) == run {
			yes, to = !yes, to+1
		}
		if !r.echoEnds(aux, to) {
			continue
		}
		if past, _, _ := r.slice(aux, len(r.toks)).anywhere(cue.LongPast); past >= 0 {
			continue
		}
		s := signal{yes: yes, from: from, to: to, confidence: 0.9, why: "echo"}
		if n := r.nearBefore(from, to); n {
			s.yes, s.near, s.confidence = false, true, 0.72
		}
		return s, true
	}
	return signal{}, false
}

// echoEnds reports whether what follows an echo at token to leaves it one: "I did
// with my tea" does, "I was with my niece", "I don't like them" and "I do love a song" do not.
func (r *reply) echoEnds(aux, to int) bool {
	next := r.at(to)
	switch {
	case r.before(to) != run:
		return true
	case next == "love" || next == "like" || next == "so":
		return r.plainUntilPause(to+1) || next == "like" && r.at(aux) != "do" && r.at(aux) != "don't" && r.in(to+1, cue.Likened)
	case r.toks[to].aside:
		return true
	case !r.lx.is(next, cue.EchoNext):
		return false
	case r.in(aux, cue.OfTasks):
		return true
	}
	return !r.lx.is(next, cue.OtherNext) || r.plainUntilPause(to+1)
}

// iAm reads "I am" and "I'm not", which are one word by now. "I'm…" is a beginning.
func (r *reply) iAm(i int) (signal, bool) {
	if r.at(i) != "i'm" || !r.opens(i) {
		return signal{}, false
	}
	s := signal{yes: true, from: i, to: i + 1, confidence: 0.9, why: "echo"}
	switch {
	case r.at(i+1) == "not" && r.before(i+1) == run:
		s.yes, s.to = false, i+2
	case r.toks[i].end-r.toks[i].start < len("i am"):
		return signal{}, false
	}
	for k := i - 1; k >= 0 && r.before(k+1) != hard; k-- {
		if n, _ := r.match(k, cue.Particles); n == 0 && !r.toks[k].plain && !r.in(k, cue.Joiners) {
			return signal{}, false // "done in by the heat, I am"
		}
	}
	return s, r.before(s.to) != run || r.plainUntilPause(s.to)
}

// thought reports whether the clause that begins at i is what someone doesn't
// think: "I don't think I did". It is not ok when it is asked or not known: "if I did".
func (r *reply) thought(i int) (doubted, ok bool) {
	k := i - 1
	if r.at(k) == "that" {
		if k--; r.at(k) == "not" {
			return true, true // "not that I'd forget"
		}
	}
	if k < 0 || r.before(k+1) != run {
		return false, true
	}
	switch r.at(k) {
	case "think", "believe", "suppose", "reckon", "say":
		return r.in(k-1, cue.Negs) && r.before(k) == run, true
	case "did", "could", "would", "can":
		return false, r.in(k-1, cue.Selves) // "how could I forget?" asks
	case "catch", "find", "see":
		return r.in(k-1, cue.Negs), true
	case "way":
		return r.at(k-1) == "no", true // "no way I'd forget"
	case "doubt":
		return r.at(k-1) != "no", true
	case "if", "whether", "since", "before", "know", "remember", "recall", "sure", "wish", "unless", "dreamt", "dreamed":
		return false, false
	}
	return false, true
}

func (r *reply) nearBefore(i, j int) bool {
	for k := max(0, i-1); k < j; k++ {
		if r.starts(k, cue.NearMiss) {
			return true
		}
	}
	return false
}
