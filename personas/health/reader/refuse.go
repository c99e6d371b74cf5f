package reader

import "strings"

// refusal finds out whether the reply declines the question, and the tokens of
// the words that do. A number that follows directly is what is declined,
// not the question: "I'd rather not say seven". Whoever declines and asks for the next
// question declines.
func (r *reply) refusal(q Question) (no Reading, from, to int) {
	for i := range r.toks {
		n, _ := r.match(i, cue.Refuse)
		if n = max(n, r.refusesAt(i)); n > 0 && r.namesMine(i+n) {
			n = 0
		}
		n = max(n, r.lx.decline.at(r, q, i))
		if n > 0 && !r.tellsAnyway(q, i, i+n) {
			if q.Kind == Text && r.goesOn(i+n) {
				return Reading{Status: Unclear, Quote: r.quote(i, i+n), Why: "refused, but"}, i, i + n
			}
			return Reading{Status: Refused, Confidence: 0.95, Quote: r.quote(i, i+n), Why: "refused"}, i, i + n
		}
		if n, _ := r.match(i, cue.RefuseAlone); n > 0 && q.Kind != Boolean && r.bare(i, i+n) {
			return Reading{Status: Refused, Confidence: 0.9, Quote: r.quote(i, i+n), Why: "refused"}, i, i + n
		}
	}
	for i := range r.toks {
		if n := r.lx.skip.at(r, q, i); n > 0 && r.asksToSkip(q, i, i+n) {
			return Reading{Status: Skipped, Confidence: 0.95, Quote: r.quote(i, i+n), Why: "skipped"}, i, i + n
		}
		if n, _ := r.match(i, cue.SkipAlone); n > 0 && r.standsAlone(i, i+n) && r.onlyPlain(0, i) {
			return Reading{Status: Skipped, Confidence: 0.9, Quote: r.quote(i, i+n), Why: "skipped"}, i, i + n
		}
	}
	return Reading{}, 0, 0
}

// tellsAnyway reports whether words that look like a refusal are part of an
// answer.
func (r *reply) tellsAnyway(q Question, i, j int) bool {
	at := j
	for r.at(at) == "say" || r.at(at) == "a" || r.at(at) == "an" {
		at++
	}
	if _, n := r.number(at, false); n > 0 && r.at(at) != "one" && r.before(at) == run && r.before(j) == run {
		return true
	}
	if r.at(j-1) == "refuse" && r.at(j) == "to" && r.about(q, j+1, j+2) {
		return true // "I refuse to take them" declines the tablets
	}
	if q.Kind != Text {
		return false
	}
	// "I'd rather not go out in this weather" is a plan, "I didn't want to say,
	// but I've been passing blood" a symptom: a text refusal has to end the sentence or name the asking.
	switch {
	case r.at(i-1) == "said" || r.in(i-1, cue.Others):
		return true
	case strings.HasSuffix(r.phrase(i, j), "rather not") || strings.HasSuffix(r.phrase(i, j), "not to") || strings.HasSuffix(r.phrase(i, j), "prefer not"):
		return r.before(j) == run && !r.in(j, cue.Asking) && r.phrase(j, j+2) != "go into"
	}
	return false
}

// namesMine reports whether "my business" and the like, which end before token j, only
// name a thing: "that's my business partner".
func (r *reply) namesMine(j int) bool {
	return r.before(j) == run && r.in(j-1, cue.MineAlone) && !r.toks[j].aside && !r.in(j, cue.Joiners) && !r.in(j, cue.Selves) && !r.in(j, cue.AfterMine)
}

// refusesAt is the length of a refusal with words between its own: "keep my feelings to
// myself", "any of your concern".
func (r *reply) refusesAt(i int) int {
	switch {
	case r.in(i, cue.Concerns):
		for k := i - 1; k >= max(0, i-3) && r.before(k+1) == run; k-- {
			if r.in(k, cue.NotMine) {
				return 1
			}
		}
		if r.at(i+1) == "of" && r.in(i+2, cue.NotMine) {
			return 3
		}
	case r.at(i) == "keep" || r.at(i) == "keeping":
		for k := i + 1; k <= i+5 && r.before(k) == run; k++ {
			if r.at(k) == "to" && r.at(k+1) == "myself" && r.at(k-1) != "myself" && !r.in(i-1, cue.Negs) {
				return k + 2 - i
			}
		}
	}
	return 0
}

// goesOn reports whether something is told after a refusal: "that's private, but
// I've had some bleeding". Rules do not decide which of the two counts.
func (r *reply) goesOn(i int) bool {
	for ; i < len(r.toks); i++ {
		if r.at(i) == "but" && (r.in(i+1, cue.Selves) || r.at(i+1) == "there's") && len(r.toks)-i > 3 {
			return true
		}
	}
	return false
}

// phrase is the words from token i up to j, as far as there are any.
func (r *reply) phrase(i, j int) string {
	var words []string
	for k := max(i, 0); k < min(j, len(r.toks)); k++ {
		words = append(words, r.toks[k].text)
	}
	return strings.Join(words, " ")
}

// asksToSkip reports whether words of passing over, at tokens i up to j, ask for the
// next question and are no part of a story.
func (r *reply) asksToSkip(q Question, i, j int) bool {
	return q.Kind != Text || len(r.toks)-(j-i) <= 8
}

// standsAlone reports whether tokens i up to j are a sentence of their own, or
// one with plain words.
func (r *reply) standsAlone(i, j int) bool {
	from, to := i, j
	for r.before(from) != hard {
		from--
	}
	for r.before(to) != hard {
		to++
	}
	return r.onlyPlain(from, i) && r.onlyPlain(j, to)
}

// hurries reports whether tokens from up to to ask for the next question after a
// sentence that may answer this one: "Seven. Next." A yes or no before it may as
// well go with it.
func (r *reply) hurries(q Question, from, to int) bool {
	if q.Kind == Boolean || q.Kind == Text || from == 0 || r.before(from) != hard {
		return false
	}
	for _, t := range r.toks[from:to] {
		if t.text == "next" || t.text == "on" {
			return true
		}
	}
	return false
}

// conceded is the part of the reply after a refusal was taken back, or nil.
func (r *reply) conceded(at int) *reply {
	for i := at; i < len(r.toks); i++ {
		if n, _ := r.match(i, cue.Concede); n > 0 {
			return r.slice(i+n, len(r.toks))
		}
	}
	return nil
}

// silence reports whether a marker of silence is all there is.
func (r *reply) silence() bool {
	for i, t := range r.toks {
		if r.lx.is(t.text, cue.Silent) || t.text == "no" && r.at(i+1) == "answer" && bracketed(r.said) {
			continue
		}
		if t.text == "answer" && i > 0 && bracketed(r.said) {
			continue
		}
		return false
	}
	return bracketed(r.said)
}

func bracketed(said string) bool {
	s := strings.TrimSpace(said)
	return len(s) > 1 && (s[0] == '[' && s[len(s)-1] == ']' || s[0] == '(' && s[len(s)-1] == ')')
}

// notKnown finds "I don't know", "pardon?" and the like.
func (r *reply) notKnown() (i, n int, why string) { return r.anywhere(cue.Lost) }

// nothingSaid says why a reply holds no words of its own, or "".
func (r *reply) nothingSaid() string {
	if i, n, why := r.notKnown(); i >= 0 && len(r.toks)-n <= 6 {
		return why
	}
	if r.allOf(cue.Hollow) {
		return "no words"
	}
	if last := len(r.toks) - 1; r.toks[last].asked && r.oneSentence() &&
		(last < 2 || last < 7 && (r.in(0, cue.QuestionWords) || r.in(last, cue.QuestionWords))) {
		return "asked back"
	}
	return ""
}

func (r *reply) oneSentence() bool {
	for i := 1; i < len(r.toks); i++ {
		if r.before(i) == hard {
			return false
		}
	}
	return true
}

// allOf reports whether the reply is made of phrases of t alone.
func (r *reply) allOf(t phrases) bool {
	for i := 0; i < len(r.toks); {
		n, _ := r.match(i, t)
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}
