package cognitive

import (
	"regexp"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/store/cognition"
)

// greetingWords is the most words in a bare "hello?".
const greetingWords = 3

// opening handles the reply to whether this is a good moment.
func (r *reply) opening() {
	again := r.s.Again < maxAgain
	switch {
	case r.s.Turns <= maxAgain && r.means("fetch"):
		r.s.Again = 0
		r.say("waiting")
	case r.about == reader.IntentWrongPerson:
		r.end(EndedWrongPerson, "closing_wrong_person")
	case r.means("noise"):
		r.noisy()
	case r.unwell():
		r.offer("illness_offer")
	case r.means("not_heard"):
		r.louder()
	case r.declines():
		r.ask(PhaseWhen, "")
	case again && (r.means("who") || r.means("greeting") && r.count() <= greetingWords && r.about != reader.IntentYes):
		r.s.Again++
		r.say("who")
		r.ask(PhaseOpening, "")
	case again && r.about == reader.IntentHold:
		r.s.Again++
		r.say("waiting")
	case again && (r.about == reader.IntentRepeat || r.about == reader.IntentExplain || r.about == reader.IntentFiller || r.in.lost):
		r.s.Again++
		r.ask(PhaseOpening, "")
	default:
		r.ask(PhaseHearing, "welcome_hearing")
	}
}

// declines reports whether the person does not want to, now or ever.
func (r *reply) declines() bool {
	if r.means("go_on") && !r.means("not_go_on") {
		return false
	}
	return r.exits() || r.means("another_time") || r.means("never") || r.about == reader.IntentNo
}

// noisy asks the person to make it quiet.
func (r *reply) noisy() {
	r.s.confound("noise", r.in.words, r.in.at)
	r.ask(PhaseQuiet, "quiet")
}

// quiet handles the reply to whether it is quiet now.
func (r *reply) quiet() {
	switch {
	case r.means("quiet"), r.about == reader.IntentYes:
		r.ask(PhaseHearing, "welcome_hearing")
	case r.exits(), r.means("another_time"), r.about == reader.IntentNo:
		r.ask(PhaseWhen, "")
	case r.s.Again < maxAgain && (r.about == reader.IntentHold || r.means("wait")):
		r.s.Again++
		r.say("waiting")
	case r.s.Again < maxAgain && r.means("noise"):
		r.s.Again++
		r.ask(PhaseQuiet, "")
	default:
		r.ask(PhaseHearing, "welcome_hearing")
	}
}

// hearing handles the words said back. A person who only says that they hear well is asked once
// more.
func (r *reply) hearing() {
	switch s := r.s; {
	case r.means("hearing"):
		r.ask(PhaseWellbeing, "wellbeing")
	case r.exits(), r.means("another_time"):
		r.leave()
	case r.means("noise") && !r.s.noted("noise"):
		r.noisy()
	case r.means("hear_well") || r.about == reader.IntentYes:
		if s.Again++; s.Again < maxAgain {
			r.ask(PhaseHearing, "")
			return
		}
		r.ask(PhaseWellbeing, "wellbeing")
	case s.Again < maxAgain && (r.about == reader.IntentHold || r.about == reader.IntentFiller):
		s.Again++
		r.say("waiting")
	case s.Loud:
		r.s.confound("hearing", r.in.words, r.in.at)
		r.offer("hearing_offer")
	default:
		r.louder()
	}
}

// louder asks again more slowly, with other words.
func (r *reply) louder() {
	r.s.confound("hearing", r.in.words, r.in.at)
	r.s.Loud = true
	r.ask(PhaseHearing, "hearing_loud")
}

// wellbeing handles the reply to whether anything is different today.
func (r *reply) wellbeing() {
	before := len(r.s.Confounders)
	switch ill := r.unwell(); {
	case ill:
		r.offer("illness_offer")
	case r.exits(), r.means("another_time"):
		r.leave()
	case r.company():
		r.prompted()
	case r.s.Again < maxAgain && len(r.s.Confounders) == before && (r.about == reader.IntentRepeat || r.about == reader.IntentExplain || r.aside("again") || r.about == reader.IntentYes && !r.means("nothing")):
		r.s.Again++
		r.ask(PhaseWellbeing, "")
	case r.s.Again < maxAgain && (r.about == reader.IntentHold || r.about == reader.IntentFiller):
		r.s.Again++
		r.say("waiting")
	default:
		if len(r.s.Confounders) > before {
			r.say("noted_begin")
		}
		r.start()
	}
}

// unwell notes what is different today, and reports whether the person is ill now.
func (r *reply) unwell() (ill bool) {
	for _, part := range parts.Split(english.Lower(r.in.words), -1) {
		denied := english.Denies(part)
		for _, kind := range []string{"illness", "sleep", "medicine", "mood"} {
			if means(kind, part) && (!denied || means("by_denial", part)) {
				r.s.confound(kind, r.in.words, r.in.at)
				ill = ill || kind == "illness" && means("fresh_illness", part)
			}
		}
	}
	return ill
}

// parts separates clauses, so that "no illness, but a bad night" is a bad night.
var parts = regexp.MustCompile(`[.,;!?]+|\bbut\b|\bonly\b`)

// start begins the tasks.
func (r *reply) start() {
	r.say("begin")
	r.next()
}

// offered handles the reply to whether to leave it for another day.
func (r *reply) offered() {
	goesOn := r.means("go_on") && !r.means("not_go_on")
	switch {
	case !goesOn && (r.means("another_time") || r.means("not_go_on") || r.exits() || r.about == reader.IntentYes || r.about == reader.IntentDistress):
		r.postpone()
	case goesOn, r.about == reader.IntentNo:
		r.resume()
	case r.s.Again < 1:
		r.s.Again++
		r.ask(PhaseOffer, "")
	default:
		r.postpone()
	}
}

// postpone leaves the rest for another day.
func (r *reply) postpone() {
	if r.s.begun() {
		r.end(EndedStopped, "closing_stopped")
		return
	}
	r.ask(PhaseWhen, "")
}

// when notes what would suit better. Nothing is scheduled: a human being reads it.
func (r *reply) when() {
	switch {
	case r.means("another_time") && r.count() <= 2 && r.s.Again < 1: // "later": ask when
		r.s.Again++
		r.say("when")
	case r.means("never"), r.about == reader.IntentNo, r.about == reader.IntentExit && !r.means("another_time"):
		if r.s.begun() {
			r.end(EndedStopped, "closing_stopped")
			return
		}
		r.end(EndedDeclined, "closing_declined")
	case r.means("go_on") && !r.means("not_go_on"):
		r.s.Back = PhaseOpening
		r.resume()
	default:
		r.s.confound(cognition.Suits, r.in.words, r.in.at)
		r.end(EndedPostponed, "closing_postponed")
	}
}

// confirm handles the reply to whether to stop.
func (r *reply) confirm() {
	goesOn := r.means("go_on") && !r.means("not_go_on") || r.means("not_stop")
	switch {
	case goesOn, r.about == reader.IntentNo && !r.exits():
		r.resume()
	case r.about == reader.IntentYes, r.exits(), r.means("another_time"), r.s.Again > 0:
		r.end(EndedStopped, "closing_stopped")
	default:
		r.s.Again++
		r.ask(PhaseConfirm, "")
	}
}

// resume goes on where the check was interrupted. An item that must not be repeated, or is spoiled
// by an interruption, is disturbed instead.
func (r *reply) resume() {
	switch r.s.Back {
	case PhaseTask:
		r.s.Phase = PhaseTask
		it, _ := r.s.item()
		if it.NoRepeat || timed(it) {
			r.s.confound("interrupted", "", r.in.at)
			r.disturbed("interrupted")
			return
		}
		r.say("go_on")
		r.putItem()
	case PhaseWellbeing:
		r.start()
	case PhaseHearing:
		r.ask(PhaseWellbeing, "wellbeing_again")
	case PhaseAlone:
		r.ask(PhaseAlone, "")
	case PhaseEasy:
		r.end(EndedEasy, "closing_done")
	default:
		r.ask(PhaseHearing, "welcome_hearing")
	}
}

// prompted asks for the person alone.
func (r *reply) prompted() {
	r.s.confound("company", r.in.words, r.in.at)
	r.s.Back = r.s.Phase
	r.ask(PhaseAlone, "alone")
}

// alone handles the reply to whether to go on without help.
func (r *reply) alone() {
	switch {
	case r.means("another_time"), r.exits(), r.about == reader.IntentNo && !r.means("go_on") && !r.means("alone"):
		r.ask(PhaseWhen, "")
	case r.s.begun():
		r.say("alone_thanks")
		r.next()
	default:
		r.say("alone_thanks")
		r.start()
	}
}
