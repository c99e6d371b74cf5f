package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// confirmedAt is at least the confidence of an answer that was read back and
// confirmed.
const confirmedAt = 0.95

// alike reports whether two readings are one answer: a unit that was named only
// once is taken for both.
func alike(a, b packs.Value) bool {
	if a.Unit == "" || b.Unit == "" {
		a.Unit, b.Unit = "", ""
	}
	return a == b
}

// verdict reports whether a reply to an answer read back is about the reading and not a
// new answer: "no" alone says that it was misunderstood.
func (t *turn) verdict(e *Entry, rd reader.Reading) bool {
	switch {
	case t.in.keys != "":
		return false
	case e.Question.Type == packs.TypeChoice && t.count() <= 2 && (t.intent() == reader.IntentYes || t.intent() == reader.IntentNo):
		return true // "no" may be a word for "not at all" as well
	case e.Question.Type != packs.TypeBoolean:
		return !rd.Settled
	}
	return t.count() <= 2 || aboutReading(t.in.words)
}

// another takes the value that the person gave in place of the one read back. It
// is read back in turn where it is risky, but not for ever.
func (t *turn) another(e *Entry, pd Pending, rd reader.Reading) bool {
	if rd.Status != reader.Answered && rd.Status != reader.Keypad {
		t.drop(pd.ID)
		t.take(pd.ID, rd, sourceRules)
		t.acknowledge(e)
		t.goOn("")
		return true
	}
	a, ok := e.asAnswer(rd, sourceRules, t.in.at)
	if !ok {
		return false
	}
	t.passing(pd.ID)
	if e.Question.NeedsReadBack(a.Value) && pd.Times < maxAgain {
		pd := &t.s.Pending[0]
		pd.Answer, pd.Guess, pd.Verbal, pd.Reach = a, false, false, Reach{}
	} else {
		t.took++
		t.record(pd.ID, a)
		t.acknowledge(e)
	}
	t.goOn("")
	return true
}

// confirmed records what was read back.
func (t *turn) confirmed(pd Pending) {
	pd.Answer.Confidence = max(pd.Answer.Confidence, confirmedAt)
	t.record(pd.ID, pd.Answer)
	if e := t.s.entry(pd.ID); words.Acknowledge(e.Question, pd.Answer.Value) == words.Sorry {
		t.goOn(words.Sorry)
		return
	}
	t.goOn(words.Confirmed)
}

// denied asks a question again whose answer was misunderstood.
func (t *turn) denied(e *Entry) {
	t.drop(e.Question.ID)
	t.s.Said = Said{}
	if e.Answer != nil {
		e.Reopened = true
	}
	t.fail(e, words.ReadBackDenied)
}

// readAgain reads an answer back once more. Where no yes or no comes at all, what
// was clearly said stands, and a guess does not.
func (t *turn) readAgain(e *Entry, pd Pending) {
	switch {
	case pd.Times <= maxAgain:
		t.goOn(words.ReadBackUnclear)
	case pd.Guess:
		t.drop(pd.ID)
		t.fail(e, words.Unclear)
	default:
		t.record(pd.ID, pd.Answer)
		t.goOn(words.Thanks)
	}
}

// stands settles an answer that was read back too often, whatever was said to that.
func (t *turn) stands(pd Pending) {
	t.drop(pd.ID)
	if !pd.Guess {
		t.record(pd.ID, pd.Answer)
	}
}

// pend has an answer read back before it counts.
func (t *turn) pend(pd Pending) {
	t.took++
	t.s.Pending = append(t.s.Pending, pd)
}

func (t *turn) drop(id string) {
	t.s.Pending = slices.DeleteFunc(t.s.Pending, func(pd Pending) bool { return pd.ID == id })
}

// aboutReading reports whether the reply says that the reading was right or wrong,
// rather than what is right.
var aboutReading = anyOf("wrong", "right", "correct", "incorrect", "not what i said", "what i said", "didn't say", "never said", "misheard", "that's not it")
