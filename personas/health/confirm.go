package health

import (
	"strings"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// maxAgain is how often one thing is asked back.
const maxAgain = 2

// opening takes the reply to "is this a good moment?". Nothing was asked yet, so a
// bare yes or number is no answer to any question.
func (t *turn) opening() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress:
		t.passing("")
		t.distress()
		return
	case intent == reader.IntentWrongPerson && t.plausiblyOther():
		t.wrongPerson()
		return
	case intent == reader.IntentExit, notNow(t.in.words), intent == reader.IntentNo && !goesOn(t.in.words):
		t.put(PhaseConfirmExit, words.ConfirmExit)
		return
	case t.s.Again < maxAgain && intent == reader.IntentHold:
		t.s.Again++
		t.quietly(words.Hold)
		return
	case t.s.Again < maxAgain && (intent == reader.IntentRepeat || intent == reader.IntentExplain):
		t.s.Again++
		t.put(PhaseOpening, words.Moment)
		return
	}
	t.corrections()
	t.passing("")
	if t.s.resumed() {
		t.goOn(words.Resumed)
		return
	}
	t.goOn(words.Begin)
}

// confirmExit takes the reply to "shall we stop here?".
func (t *turn) confirmExit() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress:
		t.distress()
	case t.in.keys == "1", intent == reader.IntentExit, stops(t.in.words), intent == reader.IntentYes && !goesOn(t.in.words):
		t.end(EndedStopped)
	case t.in.keys == "2", intent == reader.IntentNo, goesOn(t.in.words):
		t.passing("")
		t.goOn(words.GoOn)
	case t.answersAnyway():
		t.goOn("")
	case t.s.Again < maxAgain:
		t.s.Again++
		t.put(PhaseConfirmExit, words.ConfirmExitUnclear)
	default:
		t.goOn(words.GoOn)
	}
}

// answersAnyway records an answer to the open question that can't be one to
// whether to stop: "oh, seven then".
func (t *turn) answersAnyway() bool {
	e := t.s.current()
	if e == nil || !e.open() || e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeText || e.Asked == 0 {
		t.passing("")
		return t.took > 0
	}
	if rd := t.reading(e); rd.Settled && rd.Status == reader.Answered && t.take(e.Question.ID, rd, sourceRules) {
		t.acknowledge(e)
	}
	t.passing(e.Question.ID)
	return t.took > 0
}

// distressed takes what follows after time was given.
func (t *turn) distressed() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress && t.s.Again < maxAgain:
		t.distress()
	case intent == reader.IntentExit, stops(t.in.words):
		t.end(EndedStopped)
	case goesOn(t.in.words):
		t.passing("")
		t.goOn(words.DistressGoOn)
	case intent == reader.IntentHold, intent == reader.IntentFiller:
		t.quietly(words.Hold)
	case intent == reader.IntentDistress, intent == reader.IntentYes, intent == reader.IntentNo:
		t.s.Again = 0
		t.put(PhaseConfirmExit, words.ConfirmExit)
	default:
		t.passing("")
		t.goOn(words.DistressGoOn)
	}
}

// confirmPerson takes the reply to whether it is the person who speaks.
func (t *turn) confirmPerson() {
	intent := t.intent()
	switch {
	case fetches(t.in.words), intent == reader.IntentHold:
		t.s.Fetching = true
		t.quietly(words.FetchPerson)
	case intent == reader.IntentWrongPerson, intent == reader.IntentExit, intent == reader.IntentNo && !t.saysSelf():
		t.end(EndedWrongPerson)
	case t.s.Fetching && t.in.opening != "":
		// Whoever was fetched has not heard who calls.
		t.s.Fetching, t.s.Again = false, 0
		t.put(PhaseOpening, "")
		t.s.Prompt.Text = t.in.opening
	case t.s.Fetching, t.saysSelf():
		t.s.Fetching = false
		t.goOn(words.RightPerson)
	case intent == reader.IntentYes: // "can they come to the telephone?"
		t.s.Fetching = true
		t.quietly(words.FetchPerson)
	case t.s.Again < maxAgain-1:
		t.s.Again++
		t.put(PhaseConfirmPerson, words.WrongPerson)
	default:
		t.end(EndedWrongPerson)
	}
}

// saysSelf reports whether the speaker says to be the person.
func (t *turn) saysSelf() bool {
	said := plain(t.in.words)
	if holds(said, "speaking", "this is she", "this is he", "it is me", "it's me", "that's me", "that is me", "i am here", "i'm here") {
		return !holds(said, "not speaking", "daughter", "son", "wife", "husband", "carer")
	}
	for name := range strings.FieldsSeq(plain(t.s.Name)) {
		if holds(said, "this is "+name, "i'm "+name, "i am "+name, name+" here", name+" speaking", "it's "+name) {
			return true
		}
	}
	return false
}

// confirmReading takes the reply to an answer that was read back: yes counts, no
// asks again, another value corrects.
func (t *turn) confirmReading() {
	if len(t.s.Pending) == 0 { // cannot be: the phase is left with the last one
		t.goOn("")
		return
	}
	pd := t.s.Pending[0]
	e, intent := t.s.entry(pd.ID), t.intent()
	said := t.in.words
	if t.in.keys != "" {
		said = "[keypad: " + t.in.keys + "]"
	}
	switch {
	case intent == reader.IntentDistress:
		t.passing(pd.ID)
		t.distress()
		return
	case intent == reader.IntentExit:
		t.put(PhaseConfirmExit, words.ConfirmExit)
		return
	case intent == reader.IntentHold && e.Asides < maxAsides:
		e.Asides++
		t.quietly(words.Hold)
		return
	case t.in.keys == "1" || t.in.keys == "2":
		// On a scale they may as well mean yes and no.
		if e.Question.Type != packs.TypeBoolean {
			t.readAgain(e, pd)
			return
		}
	}
	rd := reader.Read(e.question(t.rc.Now), said, t.rc)
	same := rd.Settled && toPacks(rd.Value) == bare(pd.Answer.Value)
	verdict := t.verdict(e, rd)
	switch {
	case !verdict && rd.Settled && !same && t.another(e, pd, rd):
	case verdict && intent == reader.IntentYes, !verdict && same:
		t.passing(pd.ID)
		t.confirmed(pd)
	case intent == reader.IntentNo, intent == reader.IntentYes && !verdict:
		t.passing(pd.ID)
		t.denied(e)
	default:
		t.passing(pd.ID)
		t.readAgain(e, pd)
	}
}
