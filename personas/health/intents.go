package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

const (
	// maxWaits is how many replies to a question are answered by waiting; each further one counts
	// as a failed attempt.
	maxWaits = 4
	// maxGranted is how often a question is repeated at the person's request; each further time
	// counts as an attempt.
	maxGranted = 4
	// asideWords is the greatest length of a request to repeat, or of a goodbye, in reply to a
	// question that any words could answer.
	asideWords = 7
	// askWords is the greatest length there of a request to repeat or to explain.
	askWords = 14
	// backWords is the greatest length of "right, I'm back".
	backWords = 6
	// remarkWords is the least length of a reply without an answer that is treated as a remark.
	remarkWords = 6
	// storyWords is the least length of a digression that is treated as a story.
	storyWords = 25
	// otherWords is the greatest length of somebody else's introduction, once the person has given
	// answers.
	otherWords = 16
)

// aside responds to a reply that was not an attempt to answer: it waits, or puts the question
// again.
func (r *reply) aside(e *Entry, what words.Situation) {
	switch what {
	case words.Hold, words.Filler:
		if !r.waits(e, what) {
			r.fail(e, words.Unclear)
		}
		return
	case words.Repeat, words.Explain, words.Who, words.HoldOn:
		e.grant()
	default:
	}
	r.lead = what
	r.goOn("")
}

// waits gives the person time without repeating the question. It returns false if that was done too
// often.
func (r *reply) waits(e *Entry, what words.Situation) bool {
	if e.Waits >= maxWaits {
		return false
	}
	e.Waits++
	r.s.Held = r.s.Held || what == words.Hold
	r.quietly(what)
	return true
}

// digression responds to a remark about something else.
func (r *reply) digression(e *Entry) {
	what := words.Digression
	switch {
	case asksAfter(r.in.words):
		what = words.Kind
	case asksHowLong(r.in.words):
		what = words.Soon
	case r.count() >= storyWords:
		what = words.Story
	case asksUs(r.in.words):
		what = words.Asked
	}
	r.aside(e, what)
}

// fail counts an attempt without an answer. lead is the response to the reply.
func (r *reply) fail(e *Entry, lead words.Situation) {
	e.Failed++
	r.s.Noted = append(r.s.Noted, Noted{ID: e.Question.ID, Unclear: true})
	r.goOn(lead)
}

// giveUp leaves a question without an answer, or with the pieces of one. An earlier answer remains
// valid.
func (r *reply) giveUp(e *Entry) {
	if e.Reopened = false; e.Answer != nil {
		return
	}
	r.s.Noted = slices.DeleteFunc(r.s.Noted, func(n Noted) bool { return n.ID == e.Question.ID })
	a, ok := r.s.pieces(e, r.in.at)
	if !ok {
		a = Answer{Status: statusUnclear, Source: sourceRules, At: r.in.at}
	}
	r.record(e.Question.ID, a)
}

// shortAside handles a short reply to a question that any words could answer: "pardon?" is not what
// the person has planned for the day. It reports whether the reply was one.
func (r *reply) shortAside(e *Entry, intent reader.Intent) bool {
	short := r.count() <= asideWords
	switch {
	case asksWho(r.in.words) && r.count() <= askWords:
		r.aside(e, words.Who)
		return true
	case (intent == reader.IntentRepeat || intent == reader.IntentExplain) && r.count() <= askWords:
		short = true
	case missedIt(r.in.words) && r.count() <= askWords:
		r.aside(e, words.Repeat)
		return true
	case short && intent == reader.IntentDigression && asksUs(r.in.words):
		r.digression(e)
		return true
	}
	switch {
	case !short:
		return false
	case intent == reader.IntentYes: // to "would you like to tell me?", before the answer itself
		if r.count() > 2 {
			return false
		}
		r.aside(e, words.Filler)
		return true
	case intent != reader.IntentExit && r.reading(e).Status == reader.Refused:
		return false
	case intent == reader.IntentFiller, intent == reader.IntentSilence:
		r.aside(e, words.Filler)
		return true
	}
	return r.requested(e, intent)
}

// requested responds to a reply that requests something, and reports whether it did.
func (r *reply) requested(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentExit:
		r.exit(e)
	case reader.IntentRepeat:
		r.aside(e, words.Repeat)
	case reader.IntentExplain:
		r.aside(e, words.Explain)
	case reader.IntentHold:
		r.aside(e, words.Hold)
	default:
		return false
	}
	return true
}

// exit asks once for confirmation that the person wants to stop. At the last question of all,
// "that's all, goodbye" answers it instead.
func (r *reply) exit(e *Entry) {
	if e.Question.Type == packs.TypeText && r.last(e) {
		a, ok := r.s.pieces(e, r.in.at)
		if !ok {
			a = Answer{Status: string(reader.Skipped), Source: sourceRules, Quote: r.in.words, At: r.in.at}
		}
		r.record(e.Question.ID, a)
		r.goOn("")
		return
	}
	r.put(PhaseConfirmExit, words.ConfirmExit)
}

// last reports whether no other question is open.
func (r *reply) last(e *Entry) bool {
	return len(r.s.Pending) == 0 &&
		!slices.ContainsFunc(r.s.Entries, func(o Entry) bool { return o.open() && o.Question.ID != e.Question.ID })
}

// distress gives the person time and offers to stop.
func (r *reply) distress() {
	r.s.Again++
	r.put(PhaseDistress, words.Distress)
}

// plausiblyOther reports whether somebody else may be on the line, and not only mentioned in a
// story. Once answers were given, only a short reply that answers nothing counts. In any case the
// check then asks who is speaking.
func (r *reply) plausiblyOther() bool {
	if !slices.ContainsFunc(r.s.Entries, func(e Entry) bool { return e.Answer != nil && !e.Answer.Carried }) {
		return true
	}
	e := r.s.current()
	return r.count() <= otherWords && (e == nil || e.Question.Type != packs.TypeText && !r.reading(e).Settled)
}

// wrongPerson asks who is speaking. It records nothing of the reply.
func (r *reply) wrongPerson() {
	if fetches(r.in.words) {
		r.s.Phase, r.s.Fetching, r.s.Again = PhaseConfirmPerson, true, 0
		r.quietly(words.FetchPerson)
		return
	}
	r.s.Again, r.s.Fetching = 0, false
	r.put(PhaseConfirmPerson, words.WrongPerson)
}
