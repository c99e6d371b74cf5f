package reader

import "strings"

// refusal finds out whether the reply declines the question, and the token
// after the words that do. A number that follows directly is what is declined,
// not the question: "I'd rather not say seven".
func (r *reply) refusal(q Question) (Reading, int) {
	w := &r.lx.refuse
	for i := range r.toks {
		if n, _ := w.refuse.at(r.toks, i); n > 0 && !r.tellsAnyway(q, i, i+n) {
			return Reading{Status: Refused, Confidence: 0.95, Quote: r.quote(i, i+n), Why: "refused"}, i + n
		}
		if n, _ := w.skip.at(r.toks, i); n > 0 && r.asksToSkip(q, i, i+n) {
			return Reading{Status: Skipped, Confidence: 0.95, Quote: r.quote(i, i+n), Why: "skipped"}, i + n
		}
		if n, _ := w.bare.at(r.toks, i); n > 0 && r.standsAlone(i, i+n) && r.onlyPlain(0, i) {
			return Reading{Status: Skipped, Confidence: 0.9, Quote: r.quote(i, i+n), Why: "skipped"}, i + n
		}
	}
	return Reading{}, 0
}

// tellsAnyway reports whether words that look like a refusal are part of an
// answer.
func (r *reply) tellsAnyway(q Question, i, j int) bool {
	if _, n := r.number(j, false); n > 0 && r.before(j) == run {
		return true
	}
	if q.Kind != Text {
		return false
	}
	// "I'd rather not go out in this weather" is a plan, "I didn't want to say,
	// but I've been passing blood" a symptom: a text refusal has to end the sentence or name the asking.
	switch {
	case r.at(i-1) == "said" || r.lx.others[r.at(i-1)]:
		return true
	case strings.HasSuffix(r.phrase(i, j), "rather not") || strings.HasSuffix(r.phrase(i, j), "not to") || strings.HasSuffix(r.phrase(i, j), "prefer not"):
		return r.before(j) == run && !asking[r.at(j)] && !asking[r.at(j+1)]
	}
	return false
}

// asking are the verbs of answering: what one would rather not do when one
// refuses.
var asking = setOf("say tell answer discuss talk go into share speak comment that")

func (r *reply) phrase(i, j int) string {
	words := make([]string, 0, j-i)
	for _, t := range r.toks[i:j] {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}

// asksToSkip reports whether "skip it" asks for the next question and does not
// tell of something that was skipped.
func (r *reply) asksToSkip(q Question, i, j int) bool {
	if r.at(i-1) == "we" && r.before(i) == run {
		return asksLeave[r.at(i-2)] // "can we skip it", not "we skip it"
	}
	if r.lx.refuse.noSkip[r.at(i-1)] && r.before(i) == run {
		return r.at(i-1) == "to" && (r.at(i-2) == "like" || r.at(i-2) == "want" || r.at(i-2) == "rather")
	}
	if r.negatedBefore(i) {
		return false
	}
	if q.Kind == Text && len(r.toks)-(j-i) > 8 {
		return false // a story in which something is skipped
	}
	return true
}

var asksLeave = setOf("can could shall should may might if let's think why")

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

// conceded is the part of the reply after a refusal was taken back, or nil.
func (r *reply) conceded(at int) *reply {
	for i := at; i < len(r.toks); i++ {
		if n, _ := r.lx.refuse.concede.at(r.toks, i); n > 0 {
			return r.slice(i+n, len(r.toks))
		}
	}
	return nil
}

// silence reports whether a marker of silence is all there is.
func (r *reply) silence() bool {
	for i, t := range r.toks {
		if r.lx.silent[t.text] || t.text == "no" && r.at(i+1) == "answer" && bracketed(r.said) {
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
func (r *reply) notKnown() (i, n int, why string) { return r.lx.refuse.lost.anywhere(r.toks) }

// nothingSaid says why a reply holds no words of its own, or "".
func (r *reply) nothingSaid() string {
	if i, n, why := r.notKnown(); i >= 0 && len(r.toks)-n <= 6 {
		return why
	}
	if r.allOf(&r.lx.hollow) {
		return "no words"
	}
	if len(r.toks) <= 2 && r.toks[len(r.toks)-1].asked {
		return "asked back"
	}
	return ""
}

// allOf reports whether the reply is made of phrases of t alone.
func (r *reply) allOf(t *table[bool]) bool {
	for i := 0; i < len(r.toks); {
		n, _ := t.at(r.toks, i)
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}
