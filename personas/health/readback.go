package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// confirmedAt is the least confidence of an answer that was read back and confirmed.
const confirmedAt = 0.95

// alike reports whether two readings are the same answer. A unit that only one of them names
// applies to both.
func alike(a, b packs.Value) bool {
	if a.Unit == "" || b.Unit == "" {
		a.Unit, b.Unit = "", ""
	}
	return a == b
}

// verdict reports whether a reply to an answer that was read back is about the reading, and not a
// new answer: "no" alone means that it was misunderstood.
func (r *reply) verdict(e *Entry, rd reader.Reading) bool {
	switch {
	case r.in.keys != "":
		return false
	case e.Question.Type == packs.TypeChoice && r.count() <= 2 && (r.intent() == reader.IntentYes || r.intent() == reader.IntentNo):
		return true // "no" may also be a way to say "not at all"
	case e.Question.Type != packs.TypeBoolean:
		return !rd.Settled
	}
	return r.count()-ending("thinking", r.in.words) <= 2 || aboutReading(r.in.words)
}

// another takes the value that the person gave in place of the one that was read back, and reports
// whether it did. A risky value is read back in turn, but only a limited number of times.
func (r *reply) another(e *Entry, pd Pending, rd reader.Reading) bool {
	if rd.Status != reader.Answered && rd.Status != reader.Keypad {
		r.drop(pd.ID)
		r.take(pd.ID, rd, sourceRules)
		r.acknowledge(e)
		r.goOn("")
		return true
	}
	a, ok := e.asAnswer(rd, sourceRules, r.in.at)
	if !ok {
		return false
	}
	r.passing(pd.ID)
	if e.Question.NeedsReadBack(a.Value) && pd.Times < maxAgain {
		pd := &r.s.Pending[0]
		pd.Answer, pd.Guess, pd.Verbal, pd.Reach = a, false, false, Reach{}
	} else {
		r.took++
		r.record(pd.ID, a)
		r.acknowledge(e)
	}
	r.goOn("")
	return true
}

// confirmed records the answer that was read back.
func (r *reply) confirmed(pd Pending) {
	pd.Answer.Confidence = max(pd.Answer.Confidence, confirmedAt)
	r.record(pd.ID, pd.Answer)
	if e := r.s.entry(pd.ID); words.Acknowledge(e.Question, pd.Answer.Value) == words.Sorry {
		r.goOn(words.Sorry)
		return
	}
	r.goOn(words.Confirmed)
}

// denied puts a question again whose answer was misunderstood. What follow-ups took from that reply
// is forgotten with it.
func (r *reply) denied(e *Entry) {
	for _, pd := range r.s.Pending {
		for f := range r.s.all() {
			if pd.ID == e.Question.ID && f.FollowUpOf == pd.ID && f.Answer != nil && f.Answer.At.Equal(pd.Answer.At) {
				f.Answer, f.Dropped = nil, true
			}
		}
	}
	r.drop(e.Question.ID)
	r.s.Said = Said{}
	if e.Answer != nil {
		e.Reopened = true
	}
	r.fail(e, words.ReadBackDenied)
}

// readAgain reads an answer back once more. After too many replies without a yes or no, an answer
// is recorded if it was clear, and dropped if it was a guess.
func (r *reply) readAgain(e *Entry, pd Pending) {
	switch {
	case pd.Times <= maxAgain:
		r.goOn(words.ReadBackUnclear)
	case pd.Guess:
		r.drop(pd.ID)
		r.fail(e, words.Unclear)
	default:
		r.record(pd.ID, pd.Answer)
		r.goOn(words.Thanks)
	}
}

// stands settles an answer that was read back too often, without a confirmation.
func (r *reply) stands(pd Pending) {
	r.drop(pd.ID)
	if !pd.Guess {
		r.record(pd.ID, pd.Answer)
	}
}

// pend queues an answer to be read back before it counts.
func (r *reply) pend(pd Pending) {
	r.took++
	r.s.Pending = append(r.s.Pending, pd)
}

func (r *reply) drop(id string) {
	r.s.Pending = slices.DeleteFunc(r.s.Pending, func(pd Pending) bool { return pd.ID == id })
}
