package reader

import "slices"

// Correction is an earlier answer that the reply takes back.
type Correction struct {
	ID string // of the question
	// Reading is the new answer. When it is not settled, the person wants the
	// answer changed but has not said to what: ask that question again.
	Reading Reading
	Why     string // "named", "quoted" or "last"
	// Rest is what else was said; the open question is to be read from it and from
	// nothing else. Empty: nothing, or nothing that can be told apart.
	Rest string
}

// Corrections finds earlier answers that a reply changes: "no, I said eight",
// "actually make that six", "going back to the sleep one, it was a four". answered
// holds the questions answered so far, the latest last; without a topic in the
// reply the latest is meant. A reply that only corrects itself ("ten, no, say
// nine") changes nothing earlier.
//
// Look for corrections before reading the open question, and read only what they
// leave ([Correction.Rest]) for that one.
func Corrections(answered []Question, said string, ctx Context) []Correction {
	if len(answered) == 0 {
		return nil
	}
	if _, _, ok := keypad(said); ok {
		return nil
	}
	r := parse(For(ctx.Locale), said)
	opening := r.opened(answered, ctx)
	if len(opening) > 0 && (opening[0].Reading.Settled || opening[0].Rest != "") {
		return opening
	}
	found, rest := r.revised(answered, ctx)
	if len(found) == 0 {
		return opening
	}
	for i := range found {
		found[i].Rest = rest
	}
	return found
}

// opened finds the answer that a reply changes which opens with words of change.
func (r *reply) opened(answered []Question, ctx Context) []Correction {
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
			if got := r.slice(0, to).corrected(q, r.slice(at+n, to), ctx); got.Settled || !got.Value.IsZero() {
				return []Correction{{ID: q.ID, Reading: got, Why: "named", Rest: r.saidBetween(to, len(r.toks))}}
			}
		}
		return []Correction{{ID: q.ID, Reading: r.corrected(q, rest, ctx), Why: "named"}}
	}
	if r.back(at) {
		return nil // "going back to" something that was not asked
	}
	q := r.pointedAt(answered)
	got := r.corrected(q, rest, ctx)
	if !got.Settled && !r.denies() {
		return nil
	}
	return []Correction{{ID: q.ID, Reading: got, Why: "last"}}
}

// pointedAt is the answered question that "my first answer" or "that last one" points
// at: the latest where nothing does.
func (r *reply) pointedAt(answered []Question) Question {
	for i := range r.toks {
		if r.at(i) == "first" && (r.at(i+1) == "one" || r.at(i+1) == "answer" || r.at(i+1) == "question" || r.at(i+1) == "number") {
			return answered[0]
		}
	}
	return answered[len(answered)-1]
}

// unsaid finds the answer that a reply quotes to take it back: "six was wrong, it should
// be four", "did I say six? four, I meant". It is the latest that was so answered; where
// none was, the latest of all is to be asked again.
func (r *reply) unsaid(answered []Question, ctx Context) []Correction {
	for i := range r.toks {
		v, n := r.number(i, false)
		if n == 0 || !r.quotedBack(i, i+n) {
			continue
		}
		rest := r.slice(i+n, len(r.toks))
		for _, q := range slices.Backward(answered) {
			if q.Answer == nil || q.Answer.Kind != Scale && q.Answer.Kind != Number || q.Answer.Number != v {
				continue
			}
			return []Correction{{ID: q.ID, Reading: r.corrected(q, rest, ctx), Why: "quoted"}}
		}
		return []Correction{{ID: answered[len(answered)-1].ID, Reading: Reading{Status: Unclear, Why: "to be changed"}, Why: "quoted"}}
	}
	return nil
}

// quotedBack reports whether the number at tokens i up to j is named to be taken back.
func (r *reply) quotedBack(i, j int) bool {
	if r.toks[j-1].asked && (r.phrase(i-3, i) == "did i say" || r.phrase(i-4, i) == "did i say a") {
		return true
	}
	if w := r.at(j); r.before(j) != run || w != "was" && w != "wasn't" && w != "is" && w != "isn't" {
		return false
	}
	switch r.at(j + 1) {
	case "wrong", "mistaken":
		return r.at(j) == "was" || r.at(j) == "is"
	case "right":
		return r.at(j) == "wasn't" || r.at(j) == "isn't"
	}
	return false
}

// denies reports whether the reply says that the answer was got wrong.
func (r *reply) denies() bool {
	return r.has(cue.Deny) || len(r.toks) <= longWords && r.asksToChange()
}

func (r *reply) asksToChange() bool {
	for i := range r.toks {
		switch r.phrase(i, i+3) {
		case "change my answer", "can i change", "could i change", "can we change", "let me change", "let me correct", "i made a", "i got that", "i got it":
			return true
		}
	}
	return false
}

// changes is where the words stand that change an answer. An answer before them
// is what they change, so they have to come first.
func (r *reply) changes() (at, n int) {
	for i := range r.toks {
		if n, _ := r.match(i, cue.Change); n > 0 {
			if r.mine(i) {
				return i, n
			}
			return -1, 0
		}
		if r.isNumberWord(i) && r.at(i) != "one" {
			return -1, 0
		}
	}
	return -1, 0
}

// mine reports whether nothing but an opening stands before the words of change.
func (r *reply) mine(i int) bool {
	for k := range i {
		if r.toks[k].plain || r.in(k, cue.Selves) || r.in(k, cue.Joiners) {
			continue
		}
		if r.starts(k, cue.Particles) {
			continue
		}
		if r.starts(k, cue.Fix) {
			continue
		}
		switch r.at(k) {
		case "wait", "hold", "hang", "on", "can", "could", "would", "like", "want", "to", "let", "me", "go", "going", "back", "about", "that", "one", "before", "earlier", "question", "the", "answer", "think", "sleep", "what", "first", "last", "previous", "number":
			continue
		}
		if r.before(k+1) != run || k+1 == i {
			continue
		}
		return false
	}
	return true
}

// back reports whether the words of change point at a question.
func (r *reply) back(at int) bool {
	switch r.at(at) {
	case "going", "go", "what", "when", "my", "the":
		return true
	case "you":
		return r.at(at+1) == "asked"
	}
	return false
}

// namedIn is the answered question whose topic the reply names, the latest first.
func (r *reply) namedIn(answered []Question) (Question, bool) {
	for _, q := range slices.Backward(answered) {
		for at := range r.toks {
			for _, t := range q.Topic {
				if r.names(t, at) {
					return q, true
				}
			}
		}
	}
	return Question{}, false
}

// corrected reads the new answer from what follows the words of change.
func (r *reply) corrected(q Question, rest *reply, ctx Context) Reading {
	if len(rest.toks) == 0 {
		return Reading{Status: Unclear, Why: "to be changed"}
	}
	got := finish(q, read(q, rest, ctx))
	if q.Kind == Text {
		got = finish(q, Reading{
			Status: Answered, Value: Value{Kind: Text, Text: rest.quote(0, len(rest.toks))}, Confidence: 0.75,
			Quote: rest.quote(0, len(rest.toks)), Why: "text",
		})
	}
	if got.Settled {
		got.Why = "corrected: " + got.Why
		return got
	}
	whole := finish(q, read(q, r, ctx))
	if whole.Settled && q.Kind != Text {
		whole.Why = "corrected: " + whole.Why
		return whole
	}
	return got
}
