package health

import (
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

const (
	// maxAgain is how often the same thing is asked again.
	maxAgain = 2
	// maxRead is how often answers to one question are read back in total.
	maxRead = 6
	// plainYes is the greatest length of a yes to the caller's question: in a longer reply it may
	// refer to something else.
	plainYes = 4
)

// confirmExit handles the reply to "shall we stop here?".
func (r *reply) confirmExit() {
	intent := r.intent()
	switch {
	case intent == reader.IntentDistress:
		r.distress()
	case r.in.keys == "1", intent == reader.IntentExit, stops(r.in.words):
		r.stop()
	case intent == reader.IntentYes && !goesOn(r.in.words) && r.count() <= plainYes:
		r.stop()
	case r.in.keys == "2", intent == reader.IntentNo, goesOn(r.in.words):
		r.passing("")
		r.begins(words.GoOn)
	case intent == reader.IntentHold && r.s.Again < maxAgain:
		r.waitAgain(words.Hold)
	case unfinished(r.in.words) && r.s.Again < maxAgain:
		r.waitAgain(words.Filler)
	case r.answersAnyway():
		r.goOn("")
	case r.s.Again < maxAgain:
		r.s.Again++
		r.put(PhaseConfirmExit, words.ConfirmExitUnclear)
	default:
		r.begins(words.GoOn)
	}
}

// stop ends the check as the person wants: for today, or until a better moment if nothing was
// asked.
func (r *reply) stop() {
	if r.s.Later && !r.s.asked() {
		r.end(EndedLater)
		return
	}
	r.end(EndedStopped)
}

// begins continues the check, or begins it if nothing was asked yet.
func (r *reply) begins(lead words.Situation) {
	if !r.s.begun() {
		lead = words.Begin
	}
	r.goOn(lead)
}

// answersAnyway records an answer to the open question that cannot be one to whether to stop: "oh,
// seven then". It reports whether the reply answered any question.
func (r *reply) answersAnyway() bool {
	e := r.s.current()
	if e == nil || !e.open() || e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeText || e.Asked == 0 {
		r.passing("")
		return r.took > 0
	}
	if rd := r.reading(e); rd.Settled && rd.Status == reader.Answered && r.take(e.Question.ID, rd, sourceRules) {
		r.acknowledge(e)
	}
	r.passing(e.Question.ID)
	return r.took > 0
}

// distressed handles the reply after the person was given time. The next question is put only if
// the person wants it.
func (r *reply) distressed() {
	intent := r.intent()
	switch {
	case intent == reader.IntentDistress && r.s.Again < maxAgain:
		r.distress()
	case intent == reader.IntentExit, stops(r.in.words):
		r.stop()
	case goesOn(r.in.words):
		r.passing("")
		r.goOn(words.DistressGoOn)
	case r.answersAnyway():
		r.goOn("")
	case intent == reader.IntentHold:
		r.quietly(words.Hold)
	case intent == reader.IntentYes, intent == reader.IntentNo, r.s.Again >= maxAgain:
		r.put(PhaseConfirmExit, words.ConfirmExitUnclear)
	default:
		r.waitAgain(words.Filler)
	}
}

// confirmReading handles the reply to an answer that was read back: a yes confirms it, a no leads
// to asking again, another value corrects it.
func (r *reply) confirmReading() {
	if len(r.s.Pending) == 0 { // cannot happen: the phase ends with the last one
		r.goOn("")
		return
	}
	pd := r.s.Pending[0]
	e, intent := r.s.entry(pd.ID), r.intent()
	said := r.in.words
	if r.in.keys != "" {
		said = "[keypad: " + r.in.keys + "]"
	}
	switch {
	case intent == reader.IntentDistress:
		r.passing(pd.ID)
		r.distress()
		return
	case intent == reader.IntentExit:
		r.put(PhaseConfirmExit, words.ConfirmExit)
		return
	case intent == reader.IntentHold && r.waits(e, words.Hold):
		return
	case r.in.keys == "1" || r.in.keys == "2":
		// For other questions they may just as well mean yes and no.
		if e.Question.Type != packs.TypeBoolean {
			r.readAgain(e, pd)
			return
		}
	}
	rd := reader.Read(e.question(r.rc.Now), said, r.rc)
	alike := alike(e.value(rd.Value), pd.Answer.Value)
	same := rd.Settled && alike
	verdict := r.verdict(e, rd)
	switch {
	case !verdict && rd.Settled && !same && r.another(e, pd, rd):
	case verdict && intent == reader.IntentYes, !verdict && same, rd.Verbal && alike && intent != reader.IntentNo:
		r.passing(pd.ID)
		r.confirmed(pd)
	case intent == reader.IntentNo, intent == reader.IntentYes && !verdict:
		r.passing(pd.ID)
		r.denied(e)
	case unfinished(said) && r.waits(e, words.Filler):
		r.passing(pd.ID)
	default:
		r.passing(pd.ID)
		r.readAgain(e, pd)
	}
}
