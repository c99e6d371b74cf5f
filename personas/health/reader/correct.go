package reader

import "slices"

// Correction is an earlier answer that the reply takes back.
type Correction struct {
	ID string // of the question
	// Reading is the new answer. If it is not settled, the person wants the answer changed but has
	// not said to what; the question must be put again.
	Reading Reading
	Why     string // "named", "quoted" or "last"
	// Rest is the rest of the reply, the only part in which to look for an answer to the open
	// question. It is empty if there is none, or none that can be separated.
	Rest string
}

// Corrections finds earlier answers that a reply changes: "no, I said eight", "actually make that
// six", "going back to the sleep one, it was a four". answered holds the questions answered so far,
// the latest last; a reply without a topic changes the latest. A reply that only corrects itself
// ("ten, no, say nine") changes no earlier answer.
//
// Call Corrections before reading the open question, and read that one only from [Correction.Rest].
func Corrections(answered []Question, said string, ctx Context) []Correction {
	if len(answered) == 0 {
		return nil
	}
	if _, _, ok := keypad(said); ok {
		return nil
	}
	lx := For(ctx.Locale)
	answered = lx.allAsked(answered)
	r := parse(lx, said)
	opening := r.revising().opened(answered, ctx)
	if len(opening) > 0 && (opening[0].Reading.Settled || opening[0].Rest != "") {
		return opening
	}
	if found := r.revising().revised(answered, ctx); len(found) > 0 {
		return found
	}
	return opening
}

// opened finds the answer that is changed by a reply that begins with words of change.
func (r revising) opened(answered []Question, ctx Context) []Correction {
	if found := r.unsaid(answered, ctx); len(found) > 0 {
		return found
	}
	at, n := r.changes()
	if at < 0 {
		return nil
	}
	rest := r.slice(at+n, len(r.toks))
	if q, ok := r.namedIn(answered); ok {
		if to, ok := r.sentence(q, at); ok {
			if got := r.slice(0, to).revising().corrected(q, r.slice(at+n, to), ctx); got.Settled || !got.Value.IsZero() {
				return []Correction{{ID: q.ID, Reading: got, Why: "named", Rest: r.saidBetween(to, len(r.toks))}}
			}
		}
		return []Correction{{ID: q.ID, Reading: r.corrected(q, rest, ctx), Why: "named"}}
	}
	if r.starts(at, cue.PointsBack) {
		return nil // "going back to" something that was not asked
	}
	q := answered[len(answered)-1]
	if r.has(cue.FirstOne) {
		q = answered[0]
	}
	got := r.corrected(q, rest, ctx)
	if !got.Settled && !r.denies() {
		return nil
	}
	return []Correction{{ID: q.ID, Reading: got, Why: "last"}}
}

// unsaid finds the answer that a reply quotes to take it back: "six was wrong, it should be four",
// "did I say six? four, I meant". It chooses the latest question with that answer; if there is
// none, the latest question must be put again.
func (r revising) unsaid(answered []Question, ctx Context) []Correction {
	for i := range r.toks {
		v, n := r.number(i, false)
		if n == 0 || !r.quotedBack(i, i+n) {
			continue
		}
		rest := r.slice(i+n, len(r.toks))
		for _, q := range slices.Backward(answered) {
			if q.Answer != nil && (q.Answer.Kind == Scale || q.Answer.Kind == Number) && q.Answer.Number == v {
				return []Correction{{ID: q.ID, Reading: r.corrected(q, rest, ctx), Why: "quoted"}}
			}
		}
		return []Correction{{ID: answered[len(answered)-1].ID, Reading: unclear("to be changed"), Why: "quoted"}}
	}
	return nil
}

// quotedBack reports whether the number at tokens i up to j is named to take it back.
func (r revising) quotedBack(i, j int) bool {
	k := r.backOver(i, cue.A)
	return r.toks[j-1].asked && r.starts(k-2, cue.DidISay) || r.follows(j) && r.starts(j, cue.WasWrong)
}

// denies reports whether the reply says that an answer is wrong.
func (r *text) denies() bool {
	return r.has(cue.Deny) || len(r.toks) <= longWords && r.has(cue.AsksToChange)
}

// changes returns the place and length of the words that change an answer, or -1. They must come
// first: an answer before them would be what they change.
func (r revising) changes() (at, n int) {
	for i := range r.toks {
		if n, _ := r.match(i, cue.Change); n > 0 {
			return i, n
		}
		opening := r.toks[i].plain || r.in(i, cue.Selves) || r.in(i, cue.Joiners) || r.starts(i, cue.Particles) || r.starts(i, cue.Fix) ||
			r.in(i, cue.BeforeChange) || !r.follows(i+1) || r.starts(i+1, cue.Change)
		if !opening || r.isNumberWord(i) && !r.in(i, cue.One) {
			break
		}
	}
	return -1, 0
}

// namedIn returns the latest answered question whose topic the reply names.
func (r revising) namedIn(answered []Question) (Question, bool) {
	for _, q := range slices.Backward(answered) {
		if r.ask(&q).named() >= 0 {
			return q, true
		}
	}
	return Question{}, false
}

// corrected reads the new answer from what follows the words of change.
func (r revising) corrected(q Question, rest *text, ctx Context) Reading {
	if len(rest.toks) == 0 {
		return unclear("to be changed")
	}
	if said := rest.quote(0, len(rest.toks)); q.Kind == Text {
		return finish(&q, Reading{Status: Answered, Value: Value{Kind: Text, Text: said}, Confidence: likely, Quote: said, Why: "text"})
	}
	got := finish(&q, read(&q, rest, ctx))
	if whole := finish(&q, read(&q, r.text, ctx)); !got.Settled && whole.Settled {
		return whole
	}
	return got
}
