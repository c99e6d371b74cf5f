package reader

import "strings"

// refusal returns the reading of a reply that declines the question, and the tokens of the words
// that do, or a zero Reading if there are none. If a number follows directly, it is what is
// declined, not the question: "I'd rather not say seven". Declining and asking for the next
// question is a refusal, too.
func (r declining) refusal() (no Reading, from, to int) {
	as := func(s Status, i, n int) (Reading, int, int) {
		return Reading{Status: s, Confidence: certain, Quote: r.quote(i, i+n), Why: string(s)}, i, i + n
	}
	for i := range r.toks {
		n, _ := r.match(i, cue.Refuse)
		if n = max(n, r.refusesAt(i)); n > 0 && r.namesMine(i+n) {
			n = 0
		}
		n = max(n, r.lx.decline.at(r.asked, i))
		if n > 0 && !r.tellsAnyway(i, i+n) {
			if r.q.Kind == Text && r.goesOn(i+n) {
				return Reading{Status: Unclear, Quote: r.quote(i, i+n), Why: "refused, but"}, i, i + n
			}
			return as(Refused, i, n)
		}
		if n, _ := r.match(i, cue.RefuseAlone); n > 0 && r.q.Kind != Boolean && r.bare(i, i+n) {
			return as(Refused, i, n)
		}
	}
	for i := range r.toks {
		if n := r.lx.skip.at(r.asked, i); n > 0 && (r.q.Kind != Text || len(r.toks)-n <= 8) { // otherwise it is part of a story
			return as(Skipped, i, n)
		}
		if n, _ := r.match(i, cue.SkipAlone); n > 0 && r.standsAlone(i, i+n) && r.onlyPlain(0, i) && (!r.toks[i+n-1].asked || i+n == len(r.toks)) {
			return as(Skipped, i, n)
		}
	}
	return Reading{}, 0, 0
}

// tellsAnyway reports whether words that look like a refusal are part of an answer.
func (r declining) tellsAnyway(i, j int) bool {
	at := j
	for r.in(at, cue.SayA) {
		at++
	}
	if _, n := r.number(at, false); n > 0 && !r.in(at, cue.One) && r.follows(at) && r.follows(j) {
		return true
	}
	if r.starts(j-1, cue.RefuseTo) && r.about(j+1, j+2) {
		return true // "I refuse to take them" declines the tablets
	}
	if r.q.Kind != Text {
		return false
	}
	// "I'd rather not go out in this weather" is a plan, "I didn't want to say, but I've been
	// passing blood" a symptom: a refusal of a text must end the sentence or mention the asking.
	n, _ := r.match(j-2, cue.RatherNot)
	return r.in(i-1, cue.SaidSo) || r.in(i-1, cue.Others) ||
		n == 2 && j-i >= 2 && r.follows(j) && !r.in(j, cue.Asking) && !r.starts(j, cue.GoInto)
}

// namesMine reports whether "my business" and the like, which end before token j, only name a
// thing: "that's my business partner".
func (r declining) namesMine(j int) bool {
	return r.follows(j) && r.in(j-1, cue.MineAlone) && !r.toks[j].aside && !r.in(j, cue.Joiners) && !r.in(j, cue.Selves) && !r.in(j, cue.AfterMine)
}

// refusesAt returns the length of a refusal at i that has other words within it, or 0: "keep my
// feelings to myself", "any of your concern".
func (r declining) refusesAt(i int) int {
	switch {
	case r.in(i, cue.Concerns):
		from, _ := r.around(i, i+1, soft)
		if r.any(max(from, i-3), i, cue.NotMine) {
			return 1
		}
		if r.in(i+1, cue.Of) && r.in(i+2, cue.NotMine) {
			return 3
		}
	case r.in(i, cue.Keep) && !r.in(i-1, cue.Negs):
		for k := i + 1; k <= i+5 && r.follows(k); k++ {
			if r.starts(k, cue.ToMyself) && !r.in(k-1, cue.Myself) {
				return k + 2 - i
			}
		}
	}
	return 0
}

// goesOn reports whether the person says more after a refusal: "that's private, but I've had some
// bleeding". Rules do not decide which of the two counts.
func (r declining) goesOn(i int) bool {
	for ; i < len(r.toks)-3; i++ {
		if r.in(i, cue.But) && (r.in(i+1, cue.Selves) || r.starts(i+1, cue.ThereIs)) {
			return true
		}
	}
	return false
}

// standsAlone reports whether tokens i up to j make up a sentence, apart from plain words.
func (r *text) standsAlone(i, j int) bool {
	from, to := r.around(i, j, hard)
	return r.onlyPlain(from, i) && r.onlyPlain(j, to)
}

// hurries reports whether tokens from up to to ask for the next question after a sentence that may
// answer this one: "Seven. Next." It does not hold for a yes or no, which may just as well be part
// of the request.
func (r declining) hurries(from, to int) bool {
	return r.q.Kind != Boolean && r.q.Kind != Text && from > 0 && r.before(from) == hard && r.any(from, to, cue.NextOn)
}

// conceded returns the part of the reply after a refusal was taken back, or nil.
func (r *text) conceded(at int) *text {
	for i := at; i < len(r.toks); i++ {
		if n, _ := r.match(i, cue.Concede); n > 0 {
			return r.slice(i+n, len(r.toks))
		}
	}
	return nil
}

// silence reports whether the reply is only a marker of silence in brackets.
func (r *text) silence() bool {
	s := strings.TrimSpace(r.said)
	if (!strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]")) && (!strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")")) {
		return false
	}
	for i := range r.toks {
		if !r.in(i, cue.Silent) && !r.starts(i, cue.NoAnswer) && !r.starts(i-1, cue.NoAnswer) {
			return false
		}
	}
	return true
}

// nothingSaid returns the reason why a reply contains no words of its own, or "".
func (r *text) nothingSaid() string {
	last := len(r.toks) - 1
	_, end := r.around(0, 1, hard)
	asks := last < 2 || last < 7 && (r.in(0, cue.QuestionWords) || r.in(last, cue.QuestionWords))
	switch i, n, why := r.anywhere(cue.Lost); {
	case i >= 0 && len(r.toks)-n <= 6:
		return why
	case r.allOf(cue.Hollow):
		return "no words"
	case r.toks[last].asked && end > last && asks:
		return "asked back"
	}
	return ""
}

// allOf reports whether the reply consists of phrases of the class only.
func (r *text) allOf(t class) bool {
	for i := 0; i < len(r.toks); {
		n, _ := r.match(i, t)
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}
