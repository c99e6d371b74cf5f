package health

import (
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

const (
	// maxAgain is how often one thing is asked back.
	maxAgain = 2
	// maxRead is how often the answers to one question are read back in all.
	maxRead = 6
	// plainYes is how long a yes to a question of ours is at most: in a longer
	// reply it may be to something else.
	plainYes = 4
)

// confirmExit takes the reply to "shall we stop here?".
func (t *turn) confirmExit() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress:
		t.distress()
	case t.in.keys == "1", intent == reader.IntentExit, stops(t.in.words):
		t.stop()
	case intent == reader.IntentYes && !goesOn(t.in.words) && t.count() <= plainYes:
		t.stop()
	case t.in.keys == "2", intent == reader.IntentNo, goesOn(t.in.words):
		t.passing("")
		t.begins(words.GoOn)
	case intent == reader.IntentHold && t.s.Again < maxAgain:
		t.waitAgain(words.Hold)
	case unfinished(t.in.words) && t.s.Again < maxAgain:
		t.waitAgain(words.Filler)
	case t.answersAnyway():
		t.goOn("")
	case t.s.Again < maxAgain:
		t.s.Again++
		t.put(PhaseConfirmExit, words.ConfirmExitUnclear)
	default:
		t.begins(words.GoOn)
	}
}

// stop ends the check as the person wants it: for today, or for now.
func (t *turn) stop() {
	if t.s.Later && !t.s.asked() {
		t.end(EndedLater)
		return
	}
	t.end(EndedStopped)
}

// begins goes on, or begins where nothing was asked yet.
func (t *turn) begins(lead words.Situation) {
	if !t.s.begun() {
		lead = words.Begin
	}
	t.goOn(lead)
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

// distressed takes what follows after time was given: the next question only
// comes when the person wants it.
func (t *turn) distressed() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress && t.s.Again < maxAgain:
		t.distress()
	case intent == reader.IntentExit, stops(t.in.words):
		t.stop()
	case goesOn(t.in.words):
		t.passing("")
		t.goOn(words.DistressGoOn)
	case t.answersAnyway():
		t.goOn("")
	case intent == reader.IntentHold:
		t.quietly(words.Hold)
	case intent == reader.IntentYes, intent == reader.IntentNo, t.s.Again >= maxAgain:
		t.put(PhaseConfirmExit, words.ConfirmExitUnclear)
	default:
		t.waitAgain(words.Filler)
	}
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
	case intent == reader.IntentHold && t.waits(e, words.Hold):
		return
	case t.in.keys == "1" || t.in.keys == "2":
		// On a scale they may as well mean yes and no.
		if e.Question.Type != packs.TypeBoolean {
			t.readAgain(e, pd)
			return
		}
	}
	rd := reader.Read(e.question(t.rc.Now), said, t.rc)
	alike := alike(e.value(rd.Value), pd.Answer.Value)
	same := rd.Settled && alike
	verdict := t.verdict(e, rd)
	switch {
	case !verdict && rd.Settled && !same && t.another(e, pd, rd):
	case verdict && intent == reader.IntentYes, !verdict && same, rd.Verbal && alike && intent != reader.IntentNo:
		t.passing(pd.ID)
		t.confirmed(pd)
	case intent == reader.IntentNo, intent == reader.IntentYes && !verdict:
		t.passing(pd.ID)
		t.denied(e)
	case unfinished(said) && t.waits(e, words.Filler):
		t.passing(pd.ID)
	default:
		t.passing(pd.ID)
		t.readAgain(e, pd)
	}
}
