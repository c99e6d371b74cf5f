package reader

import "slices"

// talkAt returns the length of words at i that are about the call and not about the question, or 0:
// a parting, "I can't hear you", "what do you mean?", "hold on".
func (r talking) talkAt(i int) int {
	if n := r.exitAt(i); n > 0 {
		return n
	}
	n := r.againAt(i)
	for _, class := range []class{cue.Parting, cue.Explain, cue.Hold, cue.Line} {
		m, _ := r.match(i, class)
		n = max(n, m)
	}
	if n == 0 || r.takenBack(i, i+n) || r.tiredOf(i+n) || r.in(i+n, cue.GoesTo) && r.follows(i+n) || r.holdsFast(i, i+n) {
		return 0
	}
	return n
}

// holdsFast reports whether the words mean holding on to something: "I hang on to the rail".
func (r talking) holdsFast(i, j int) bool {
	n, _ := r.match(i, cue.Hold)
	return n == j-i && r.follows(i) && r.in(i-1, cue.Selves)
}

// withoutTalk returns the reply without its clauses about the call.
func (r talking) withoutTalk() *text { return r.without(r.talkAt) }

// without returns the reply without the clauses in which at finds words, or the reply itself if
// there are none. It keeps what stands before such words in their clause, as speech recognition may
// leave out the pause.
func (r talking) without(at func(i int) int) *text {
	var gone []bool
	for i := range r.toks {
		n := at(i)
		if n == 0 || r.turnedRound(i, i+n) {
			continue
		}
		if gone == nil {
			gone = make([]bool, len(r.toks))
		}
		_, to := r.clause(i)
		for to+1 < len(r.toks) && r.follows(to) && r.in(to, cue.Joiners) && r.in(to, cue.Reasons) {
			_, to = r.clause(to + 1) // "te dejo, que se me quema la comida"
		}
		for k := i; k < max(to, i+n); k++ {
			gone[k] = true
		}
	}
	if gone == nil {
		return r.text
	}
	var left []token
	wait := run
	for i, t := range r.toks {
		wait = max(wait, t.pause)
		if gone[i] {
			wait = max(wait, soft)
			continue
		}
		t.pause, wait = wait, run
		left = append(left, t)
	}
	return r.of(left)
}

// turnedRound reports whether words that look like talk about the call take an answer back and lead
// to another: "yes… hang on, no I haven't".
func (r talking) turnedRound(i, j int) bool {
	return r.starts(i, cue.Fix) && !r.onlyPlain(j, len(r.toks)) && r.saysYesOrNo(j)
}

// ofTheCall reports whether a yes or no that ends before j belongs to talk about the call in the
// same sentence: "yes, speaking". Talk after "but" and the like is separate.
func (r talking) ofTheCall(j int) bool {
	for k := j; k < len(r.toks) && r.before(k) != hard; k++ {
		if r.in(k, cue.Joiners) {
			return false
		}
		if r.talkAt(k) > 0 {
			return true
		}
	}
	return false
}

// after returns the token after the one that ends at byte end of the text.
func (r talking) after(end int) int {
	return 1 + slices.IndexFunc(r.toks, func(t token) bool { return t.end == end })
}

// shortTalk is the greatest length of a reply that may be about the call alone, if any words could
// be an answer.
const shortTalk = 7

// allTalk reports whether a short reply contains only words about the call.
func (r talking) allTalk() bool {
	if len(r.toks) > shortTalk {
		return false
	}
	rest := r.withoutTalk()
	if rest == r.text {
		return false
	}
	for k := range rest.toks {
		if !rest.toks[k].plain && rest.aux(k) == 0 && !rest.in(k, cue.YouWill) {
			return false // "say it again, would you?" leaves a tag
		}
	}
	return true
}

// besidesParting returns the rest of a reply that asks to stop, or "" if it is empty or contains
// only a farewell and the reason to go.
func (r *text) besidesParting() string {
	for _, part := range r.parts() {
		told := false
		for i := range part.toks {
			told = told || !part.toks[i].plain && !part.starts(i, cue.Particles) && !part.in(i, cue.Selves) && !part.starts(i, cue.Parting)
		}
		if told && (len(part.toks) >= longWords || !part.has(cue.CallsAway)) {
			return r.quote(0, len(r.toks))
		}
	}
	return ""
}
