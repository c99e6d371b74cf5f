package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

const (
	// maxWaits is how many replies to a question are met by waiting; each further one
	// counts as a failed attempt.
	maxWaits = 4
	// maxGranted is how often a question is put because the person wishes it; each
	// further time counts as a try.
	maxGranted = 4
	// asideWords is how long a request to repeat or a goodbye is at most where
	// any words would be an answer.
	asideWords = 7
	// askWords is how long a request to repeat or to explain is at most there.
	askWords = 14
	// backWords is how long "right, I'm back" is at most.
	backWords = 6
	// remarkWords make a reply without an answer a remark, which was heard.
	remarkWords = 6
	// storyWords make a digression a story.
	storyWords = 25
	// otherWords is how long somebody else's introduction is at most, once the
	// person has spoken.
	otherWords = 16
)

// aside answers a reply that was no try to answer: it waits, or puts the question
// again.
func (t *turn) aside(e *Entry, what words.Situation) {
	switch what {
	case words.Hold, words.Filler:
		if !t.waits(e, what) {
			t.fail(e, words.Unclear)
		}
		return
	case words.Repeat, words.Explain, words.Who, words.HoldOn:
		e.grant()
	default:
	}
	t.lead = what
	t.goOn("")
}

// waits gives the person time without putting the question again, up to a bound.
func (t *turn) waits(e *Entry, what words.Situation) bool {
	if e.Waits >= maxWaits {
		return false
	}
	e.Waits++
	t.s.Held = t.s.Held || what == words.Hold
	t.quietly(what)
	return true
}

// digression answers a remark about something else.
func (t *turn) digression(e *Entry) {
	what := words.Digression
	switch {
	case asksAfter(t.in.words):
		what = words.Kind
	case asksHowLong(t.in.words):
		what = words.Soon
	case t.count() >= storyWords:
		what = words.Story
	case asksUs(t.in.words):
		what = words.Asked
	}
	t.aside(e, what)
}

// fail counts an attempt that brought no answer. lead is what the reply was met with.
func (t *turn) fail(e *Entry, lead words.Situation) {
	e.Failed++
	t.s.Noted = append(t.s.Noted, Noted{ID: e.Question.ID, Unclear: true})
	t.goOn(lead)
}

// giveUp leaves a question without an answer, but for the pieces of one. An answer that
// stood before stands on.
func (t *turn) giveUp(e *Entry) {
	if e.Reopened = false; e.Answer != nil {
		return
	}
	t.s.Noted = slices.DeleteFunc(t.s.Noted, func(n Noted) bool { return n.ID == e.Question.ID })
	a, ok := t.s.pieces(e, t.in.at)
	if !ok {
		a = Answer{Status: statusUnclear, Source: sourceRules, At: t.in.at}
	}
	t.record(e.Question.ID, a)
}

// shortAside deals with a short reply to a question that any words would answer:
// "pardon?" is not what somebody has planned for the day.
func (t *turn) shortAside(e *Entry, intent reader.Intent) bool {
	short := t.count() <= asideWords
	switch {
	case asksWho(t.in.words) && t.count() <= askWords:
		t.aside(e, words.Who)
		return true
	case (intent == reader.IntentRepeat || intent == reader.IntentExplain) && t.count() <= askWords:
		short = true
	case missedIt(t.in.words) && t.count() <= askWords:
		t.aside(e, words.Repeat)
		return true
	case short && intent == reader.IntentDigression && asksUs(t.in.words):
		t.digression(e)
		return true
	}
	switch {
	case !short:
		return false
	case intent == reader.IntentYes: // to "would you like to tell me?": the telling follows
		if t.count() > 2 {
			return false
		}
		t.aside(e, words.Filler)
		return true
	case intent != reader.IntentExit && t.reading(e).Status == reader.Refused:
		return false
	case intent == reader.IntentFiller, intent == reader.IntentSilence:
		t.aside(e, words.Filler)
		return true
	}
	return t.requested(e, intent)
}

// requested meets a reply that wants something of us, and reports whether it was one.
func (t *turn) requested(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentExit:
		t.exit(e)
	case reader.IntentRepeat:
		t.aside(e, words.Repeat)
	case reader.IntentExplain:
		t.aside(e, words.Explain)
	case reader.IntentHold:
		t.aside(e, words.Hold)
	default:
		return false
	}
	return true
}

// exit confirms once that the person wants to stop. At the last question of all,
// "that's all, goodbye" is what it asks for.
func (t *turn) exit(e *Entry) {
	if e.Question.Type == packs.TypeText && t.last(e) {
		a, ok := t.s.pieces(e, t.in.at)
		if !ok {
			a = Answer{Status: string(reader.Skipped), Source: sourceRules, Quote: t.in.words, At: t.in.at}
		}
		t.record(e.Question.ID, a)
		t.goOn("")
		return
	}
	t.put(PhaseConfirmExit, words.ConfirmExit)
}

// last reports whether no other question is open.
func (t *turn) last(e *Entry) bool {
	return len(t.s.Pending) == 0 &&
		!slices.ContainsFunc(t.s.Entries, func(o Entry) bool { return o.open() && o.Question.ID != e.Question.ID })
}

// distress gives time and offers to stop.
func (t *turn) distress() {
	t.s.Again++
	t.put(PhaseDistress, words.Distress)
}

// plausiblyOther tells somebody else on the line from a story about somebody.
// Once answers were given, only short words that answer nothing count, and the
// check asks back in any case.
func (t *turn) plausiblyOther() bool {
	if !slices.ContainsFunc(t.s.Entries, func(e Entry) bool { return e.Answer != nil && !e.Answer.Carried }) {
		return true
	}
	e := t.s.current()
	return t.count() <= otherWords && (e == nil || e.Question.Type != packs.TypeText && !t.reading(e).Settled)
}

// wrongPerson asks who is speaking. Nothing of that reply is recorded.
func (t *turn) wrongPerson() {
	if fetches(t.in.words) {
		t.s.Phase, t.s.Fetching, t.s.Again = PhaseConfirmPerson, true, 0
		t.quietly(words.FetchPerson)
		return
	}
	t.s.Again, t.s.Fetching = 0, false
	t.put(PhaseConfirmPerson, words.WrongPerson)
}
