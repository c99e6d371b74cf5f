package reader

import "slices"

// Asks says what a follow-up in the person's own words asks for, so that an answer given beforehand
// can be recognised. It is empty if rules cannot recognise one.
type Asks string

// What a reply may say in addition to another answer.
const (
	AsksWhere Asks = "where" // where it hurts
	AsksWhy   Asks = "why"   // why it is as answered
	AsksHow   Asks = "how"   // how a fall happened
	AsksWhat  Asks = "what"  // what it is that was answered; only a whole reply tells it
)

// Told finds in a reply what a follow-up to q asks for: "six, my knees", "no, they make me sick".
// quote holds the words of the answer to q in the reply, or "" if there is none; others are the
// questions that the words may answer instead. The value is the clause that says it, in the
// person's own words.
func Told(q Question, asks Asks, quote string, others []Question, said string, ctx Context) (Reading, bool) {
	if _, _, keyed := keypad(said); keyed {
		return Reading{}, false
	}
	r := parse(For(ctx.Locale), said).talking().withoutTalk()
	for _, part := range r.cut(func(i int) bool { return !r.follows(i) || r.in(i, cue.Joiners) && !r.in(i, cue.Reasons) }) {
		answers := false
		if i, n := part.find(quote); quote != "" && i >= 0 {
			answers = true
			if asks != AsksHow {
				part = part.slice(i+n, len(part.toks))
			}
		}
		p, ok := part.ask(&q).passing(), false
		switch {
		case len(p.toks) == 0 || p.supposed() || p.asks() || p.has(cue.Lost):
		case asks == AsksWhere:
			ok = p.hurtsSomewhere(quote != "")
		case asks == AsksWhy:
			ok = quote != "" && (!answers || p.in(0, cue.Reasons)) && p.reason(others, ctx)
		case asks == AsksHow:
			ok = p.cameAbout()
		}
		if ok {
			first := 0
			if p.in(0, cue.Joiners) && !p.in(0, cue.Reasons) {
				first = 1
			}
			text := p.quote(first, len(p.toks))
			return Reading{
				Status: Answered, Value: Value{Kind: Text, Text: text}, Confidence: fair, Quote: text, Settled: true, Why: "in passing: " + string(asks),
			}, true
		}
	}
	return Reading{}, false
}

// asks reports whether the clause is a question.
func (r *text) asks() bool { return r.toks[len(r.toks)-1].asked || r.in(0, cue.QuestionWords) }

// hurtsSomewhere reports whether the clause names a part of the speaker's body, as giving trouble
// or as a mere addition to an answer about pain.
func (r passing) hurtsSomewhere(asked bool) bool {
	trouble := r.has(cue.Trouble)
	if r.ofOtherTimes() || r.has(cue.LongPast) || r.has(cue.BodyIdioms) || !trouble && (!asked || r.has(cue.FaresWell)) {
		return false
	}
	for i := range r.toks {
		if !r.lx.is(subject(r.at(i)), cue.BodyParts) || r.aboutOther(i) || r.any(0, i, cue.Negs) || r.any(0, i, cue.Nones) {
			continue
		}
		k := i - 1
		for k >= 0 && r.lx.is(subject(r.at(k)), cue.BodyParts) {
			k--
		}
		if k < 0 || r.in(k, cue.BodyLead) {
			return true
		}
	}
	return false
}

// reason reports whether the clause gives the reason for an answer next to it: it has its own
// subject, or a word that introduces reasons, and answers no other question.
func (r passing) reason(others []Question, ctx Context) bool {
	first := 0
	for r.onlyAside(first+1) && first < len(r.toks)-1 {
		first++
	}
	causal := r.in(0, cue.Reasons)
	if r.in(0, cue.Joiners) && !causal || !causal && !r.in(first, cue.Selves) && !r.in(first, cue.Others) && !r.in(first, cue.Subjects) {
		return false
	}
	told := 0
	for i := range r.toks {
		if _, n := r.number(i, false); n > 0 || r.starts(i, cue.Same) || r.starts(i, cue.Idioms) {
			return false
		}
		if t := r.toks[i]; !t.plain && !r.in(i, cue.Selves) && !r.starts(i, cue.Particles) {
			told++
		}
	}
	if told < 2 || r.has(cue.Dodges) || r.has(cue.Telling) || r.ofAnotherDay(0) || !causal && r.has(cue.You) { // "I won't lie to you"
		return false
	}
	if no, _, _ := r.declining().refusal(); no.Status != "" {
		return false
	}
	return !slices.ContainsFunc(others, func(o Question) bool {
		_, ok := r.text.ask(&o).passing().read(others, ctx)
		return ok && o.ID != r.q.ID
	})
}

// cameAbout reports whether the clause mentions a fall together with what the person fell over, off
// or on.
func (r passing) cameAbout() bool {
	s, ok := r.telling().statement()
	if !ok || !s.yes || s.confidence < SettleAt || r.aboutOther(s.to-1) {
		return false
	}
	for i := s.from; i < len(r.toks); i++ {
		n, _ := r.match(i, cue.FellBy)
		if n == 0 {
			continue
		}
		k := i + n
		for k < len(r.toks) && (r.toks[k].plain || r.in(k, cue.MyMine)) {
			k++
		}
		where := r.in(k, cue.ForOn) || r.in(k, cue.At) || r.in(k, cue.InYear) // "fell over in the kitchen"
		if k < len(r.toks) && !where && !r.lx.is(subject(r.at(k)), cue.BodyParts) && !r.starts(k, cue.Today) && !r.starts(k, cue.Yesterday) && !r.in(k, cue.PartOfDay) {
			return true
		}
	}
	return false
}
