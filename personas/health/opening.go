package health

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// greetingWords is how long a bare "hello?" is at most.
const greetingWords = 3

// opening takes the reply to "is this a good moment?". Nothing was asked yet, so a
// bare yes or number is no answer to any question.
func (r *reply) opening() {
	intent := r.intent()
	switch {
	case intent == reader.IntentDistress:
		r.passing("")
		r.distress()
	case intent == reader.IntentWrongPerson && r.plausiblyOther():
		r.wrongPerson()
	case intent == reader.IntentExit && r.s.resumed() && !notNow(r.in.words):
		r.s.Later = false
		r.put(PhaseConfirmExit, words.ConfirmExit)
	case intent == reader.IntentExit, notNow(r.in.words), intent == reader.IntentNo && !goesOn(r.in.words):
		r.s.Later = true
		r.put(PhaseConfirmExit, words.ConfirmLater)
	case r.unready(intent):
	default:
		r.corrections(nil)
		r.passing("")
		switch {
		case r.s.resumed():
			r.goOn(words.Resumed)
		case len(r.s.Pending) > 0: // what was told comes first
			r.goOn(words.Thanks)
		default:
			r.goOn(words.Begin)
		}
	}
}

// unready meets a reply to the opening that neither agrees nor declines: nobody is
// questioned who has not taken in who calls, and what for.
func (r *reply) unready(intent reader.Intent) bool {
	switch again := r.s.Again < maxAgain; {
	case r.in.keys == "1": // whoever can't speak agrees by key
		return false
	case r.in.words == "", intent == reader.IntentSilence: // it is for the line to give up on a silence
		r.put(PhaseOpening, words.Moment)
	case !again:
		return false
	case intent == reader.IntentHold:
		r.waitAgain(words.Hold)
	case intent == reader.IntentRepeat, intent == reader.IntentExplain, asksWho(r.in.words):
		r.introduce()
	case intent == reader.IntentFiller, r.count() <= greetingWords && greets(r.in.words):
		r.s.Again++
		r.put(PhaseOpening, words.Moment)
	case intent == reader.IntentNone && unfinished(r.in.words):
		r.waitAgain(words.Filler)
	default:
		return false
	}
	return true
}

// introduce says once more who calls and what for: the first words of the
// conversation, and after that only the question in them.
func (r *reply) introduce() {
	first := r.s.Again == 0 || r.s.Phase != PhaseOpening
	r.put(PhaseOpening, words.Moment)
	r.s.Again++
	if first && r.in.opening != "" {
		r.s.Prompt = Prompt{Text: r.in.opening}
	}
}

// confirmPerson takes the reply to whether it is the person who speaks.
func (r *reply) confirmPerson() {
	intent := r.intent()
	switch {
	case r.in.words == "" && r.s.Fetching && r.s.Again < maxAgain:
		r.waitAgain(words.FetchPerson) // they are on their way
	case fetches(r.in.words), intent == reader.IntentHold:
		r.quietly(words.FetchPerson)
		r.s.Fetching = true
	case absent(r.in.words), intent == reader.IntentWrongPerson, intent == reader.IntentExit, intent == reader.IntentNo && !r.saysSelf():
		r.end(EndedWrongPerson)
	case r.s.Fetching && r.in.opening != "":
		// Whoever was fetched has not heard who calls.
		r.s.Fetching = false
		r.introduce()
	case r.s.Fetching, r.saysSelf():
		r.s.Fetching = false
		r.begins(words.RightPerson)
	case intent == reader.IntentYes: // "can they come to the telephone?"
		r.s.Fetching = true
		r.quietly(words.FetchPerson)
	case r.s.Again < maxAgain-1:
		r.s.Again++
		r.put(PhaseConfirmPerson, words.WrongPerson)
	default:
		r.end(EndedWrongPerson)
	}
}

// saysSelf reports whether the speaker says to be the person.
func (r *reply) saysSelf() bool {
	said := asPhrase(r.in.words)
	if english.Holds(said, phrases["self"]...) {
		return !english.Holds(said, phrases["notSelf"]...)
	}
	for name := range strings.FieldsSeq(asPhrase(r.s.Name)) {
		if slices.ContainsFunc(phrases["named"], func(p string) bool { return english.Holds(said, strings.ReplaceAll(p, "{name}", name)) }) {
			return true
		}
	}
	return false
}
