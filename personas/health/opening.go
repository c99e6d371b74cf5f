package health

import (
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// greetingWords is how long a bare "hello?" is at most.
const greetingWords = 3

// opening takes the reply to "is this a good moment?". Nothing was asked yet, so a
// bare yes or number is no answer to any question.
func (t *turn) opening() {
	intent := t.intent()
	switch {
	case intent == reader.IntentDistress:
		t.passing("")
		t.distress()
	case intent == reader.IntentWrongPerson && t.plausiblyOther():
		t.wrongPerson()
	case intent == reader.IntentExit && t.s.resumed() && !notNow(t.in.words):
		t.s.Later = false
		t.put(PhaseConfirmExit, words.ConfirmExit)
	case intent == reader.IntentExit, notNow(t.in.words), intent == reader.IntentNo && !goesOn(t.in.words):
		t.s.Later = true
		t.put(PhaseConfirmExit, words.ConfirmLater)
	case t.unready(intent):
	default:
		t.corrections(nil)
		t.passing("")
		switch {
		case t.s.resumed():
			t.goOn(words.Resumed)
		case len(t.s.Pending) > 0: // what was told comes first
			t.goOn(words.Thanks)
		default:
			t.goOn(words.Begin)
		}
	}
}

// unready meets a reply to the opening that neither agrees nor declines: nobody is
// questioned who has not taken in who calls, and what for.
func (t *turn) unready(intent reader.Intent) bool {
	switch again := t.s.Again < maxAgain; {
	case t.in.keys == "1": // whoever can't speak agrees by key
		return false
	case t.in.words == "", intent == reader.IntentSilence: // it is for the line to give up on a silence
		t.put(PhaseOpening, words.Moment)
	case !again:
		return false
	case intent == reader.IntentHold:
		t.waitAgain(words.Hold)
	case intent == reader.IntentRepeat, intent == reader.IntentExplain, asksWho(t.in.words):
		t.introduce()
	case intent == reader.IntentFiller, t.count() <= greetingWords && greets(t.in.words):
		t.s.Again++
		t.put(PhaseOpening, words.Moment)
	case intent == reader.IntentNone && unfinished(t.in.words):
		t.waitAgain(words.Filler)
	default:
		return false
	}
	return true
}

// introduce says once more who calls and what for: the first words of the
// conversation, and after that only the question in them.
func (t *turn) introduce() {
	first := t.s.Again == 0 || t.s.Phase != PhaseOpening
	t.put(PhaseOpening, words.Moment)
	t.s.Again++
	if first && t.in.opening != "" {
		t.s.Prompt = Prompt{Text: t.in.opening}
	}
}

// confirmPerson takes the reply to whether it is the person who speaks.
func (t *turn) confirmPerson() {
	intent := t.intent()
	switch {
	case t.in.words == "" && t.s.Fetching && t.s.Again < maxAgain:
		t.waitAgain(words.FetchPerson) // they are on their way
	case fetches(t.in.words), intent == reader.IntentHold:
		t.quietly(words.FetchPerson)
		t.s.Fetching = true
	case absent(t.in.words), intent == reader.IntentWrongPerson, intent == reader.IntentExit, intent == reader.IntentNo && !t.saysSelf():
		t.end(EndedWrongPerson)
	case t.s.Fetching && t.in.opening != "":
		// Whoever was fetched has not heard who calls.
		t.s.Fetching = false
		t.introduce()
	case t.s.Fetching, t.saysSelf():
		t.s.Fetching = false
		t.begins(words.RightPerson)
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
	said := english.Plain(t.in.words)
	if english.Holds(said, "speaking", "this is she", "this is he", "it is me", "it's me", "that's me", "that is me", "i am here", "i'm here") {
		return !english.Holds(said, "not speaking", "daughter", "son", "wife", "husband", "carer")
	}
	for name := range strings.FieldsSeq(english.Plain(t.s.Name)) {
		if english.Holds(said, "this is "+name, "i'm "+name, "i am "+name, name+" here", name+" speaking", "it's "+name) {
			return true
		}
	}
	return false
}
