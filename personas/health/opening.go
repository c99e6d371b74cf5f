package health

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// greetingWords is the greatest length of a bare "hello?".
const greetingWords = 3

// opening handles the reply to "is this a good moment?". Nothing was asked yet, so a bare yes or
// number does not answer any question.
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
		case len(r.s.Pending) > 0: // what was already answered comes first
			r.goOn(words.Thanks)
		default:
			r.goOn(words.Begin)
		}
	}
}

// unready handles a reply to the opening that neither agrees nor declines, and reports whether it
// was one: the check does not begin before the person has understood who calls, and why.
func (r *reply) unready(intent reader.Intent) bool {
	switch again := r.s.Again < maxAgain; {
	case r.in.keys == "1": // people who can't speak agree by key
		return false
	case r.in.words == "", intent == reader.IntentSilence: // the line's own handling gives up after a silence
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

// introduce repeats who calls and why: the first time with the first words of the conversation,
// after that only with the question in them.
func (r *reply) introduce() {
	first := r.s.Again == 0 || r.s.Phase != PhaseOpening
	r.put(PhaseOpening, words.Moment)
	r.s.Again++
	if first && r.in.opening != "" {
		r.s.Prompt = Prompt{Text: r.in.opening}
	}
}

// confirmPerson handles the reply to whether the person is the one speaking.
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
		// The person who was fetched has not heard who calls.
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

// saysSelf reports whether the speaker says that they are the person.
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
