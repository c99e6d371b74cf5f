package general

import (
	"strings"

	"github.com/naiber/naiber/personas/internal/plain"
)

// Intent is what a person's words are for, as far as rules can tell.
type Intent string

// The intents.
const (
	IntentTalk        Intent = "talk"        // something to talk about
	IntentFiller      Intent = "filler"      // "um", "well"
	IntentBackchannel Intent = "backchannel" // "yeah", "I see"
	IntentPleasantry  Intent = "pleasantry"  // "that's nice", "thank you"
	IntentGreeting    Intent = "greeting"    // "hello", "good morning"
	IntentGoodbye     Intent = "goodbye"     // the person wants to end the call
	IntentKeypad      Intent = "keypad"      // keys were pressed
	IntentOptOut      Intent = "opt_out"     // the person wants no more calls
)

// Substantive reports whether memories may help with an answer.
func (i Intent) Substantive() bool { return i == IntentTalk }

// classify tells what words are for. It never asks a model. In doubt it is
// talk: that costs a search, while a wrong goodbye would cost the call.
func classify(heard string) Intent {
	said := plain.Text(heard)
	if said == "" {
		return IntentFiller
	}
	words := strings.Fields(said)
	switch {
	case optsOut(said, words):
		return IntentOptOut
	case saysGoodbye(heard, said, words):
		return IntentGoodbye
	case madeOf(said, fillers):
		return IntentFiller
	case madeOf(said, fillers, backchannels):
		return IntentBackchannel
	case strings.Contains(heard, "?") && !madeOf(said, fillers, backchannels, greetings):
		return IntentTalk
	case madeOf(said, fillers, backchannels, greetings):
		return IntentGreeting
	case madeOf(said, fillers, backchannels, greetings, pleasantries):
		return IntentPleasantry
	default:
		return IntentTalk
	}
}

// madeOf reports whether said consists of phrases from the lists and nothing
// else. Longer phrases are tried first.
func madeOf(said string, lists ...phrases) bool {
	rest := said
next:
	for rest != "" {
		for n := maxPhraseWords; n > 0; n-- {
			head, tail, ok := splitWords(rest, n)
			if !ok {
				continue
			}
			for _, l := range lists {
				if l[head] {
					rest = tail
					continue next
				}
			}
		}
		return false
	}
	return true
}

// splitWords takes n words off the front of s.
func splitWords(s string, n int) (head, tail string, ok bool) {
	end := 0
	for ; n > 0; n-- {
		if end >= len(s) {
			return "", "", false
		}
		if end > 0 {
			end++ // the space between
		}
		if i := strings.IndexByte(s[end:], ' '); i >= 0 {
			end += i
		} else {
			end = len(s)
		}
	}
	return s[:end], strings.TrimPrefix(s[end:], " "), true
}

// maxPrefaceWords is how much may surround a goodbye before it may be part of a
// story ("I said goodbye to my brother that summer").
const maxPrefaceWords = 12

// saysGoodbye reports whether the person wants to end the call: a goodbye that
// stands alone or at the end, or one of the ways of saying that one must go.
func saysGoodbye(heard, said string, words []string) bool {
	if takesLeave(said) || takesLeave(lastSentence(heard)) {
		return true
	}
	if plain.Holds(said, "said goodbye", "say goodbye to", "saying goodbye", "said bye", "goodbye to", "the goodbye", "a goodbye",
		"long goodbye", "last goodbye", "say bye to") {
		return false
	}
	if hasSuffixPhrase(said, plainGoodbyes...) {
		return true // however long the speech before it was
	}
	if len(words) > maxPrefaceWords {
		return false
	}
	if plain.Holds(said, leavings...) {
		return !plain.Holds(said, "don't have to go", "do i have to go", "do you have to go", "have to go to", "got to go to",
			"need to go to", "have to go and see", "had to go", "when i have to go", "afraid i have to go in")
	}
	return hasSuffixPhrase(said, "goodbye", "bye", "goodnight", "good night", "goodbye dear", "bye dear",
		"goodbye love", "bye love", "talk to you later", "speak soon", "talk soon", "see you soon", "cheerio")
}

// takesLeave reports whether plain words are a farewell and nothing else.
func takesLeave(said string) bool {
	return madeOf(said, fillers, backchannels, pleasantries, farewells, partings) && farewells.within(said)
}

// lastSentence is the last of several sentences, as plain words. It is empty
// where there is one sentence, or where the one before it leads to somebody
// else's words ("And then he said. Goodbye.").
func lastSentence(heard string) string {
	sentences := strings.FieldsFunc(heard, func(r rune) bool { return strings.ContainsRune(".!?…", r) })
	last := len(sentences) - 1
	for last > 0 && plain.Text(sentences[last]) == "" {
		last--
	}
	if last < 1 || hasSuffixPhrase(plain.Text(sentences[last-1]), "said", "says", "say", "saying", "told me", "went") {
		return ""
	}
	return plain.Text(sentences[last])
}

// optsOut reports whether the person wants no more calls, ever. It is asked
// back before anything is done, so it leans towards hearing it.
func optsOut(said string, words []string) bool {
	for _, not := range []string{
		"he doesn't call", "she doesn't call", "they don't call", "never calls", "don't call me that", "don't call me mrs",
		"don't call me mr", "don't call me miss", "don't call me dear", "don't call me sir", "don't call me love", "doesn't call me",
		"didn't call me", "hasn't called", "don't stop calling", "never stop calling", "children don't call", "kids don't call",
		"friends don't call", "family don't call", "sons don't call", "daughters don't call", "grandchildren don't call",
		"people don't call", "neighbours don't call", "neighbors don't call", "you never call", "you don't call",
	} {
		if strings.Contains(said, not) {
			return false
		}
	}
	if plain.Holds(said, optOuts...) {
		return true
	}
	for _, bare := range []string{"stop calling", "don't call", "do not call", "no more calls", "unsubscribe"} {
		if said == bare || (len(words) <= 5 && strings.HasPrefix(said, "please "+bare)) {
			return true
		}
	}
	return false
}

func hasSuffixPhrase(said string, list ...string) bool {
	padded := " " + said
	for _, p := range list {
		if strings.HasSuffix(padded, " "+p) {
			return true
		}
	}
	return false
}

// agrees and declines read the answer to a question that was asked back. An
// answer that is both or neither is neither.
func agrees(heard string) bool {
	said := plain.Text(heard)
	if plain.Holds(said, "no", "nope", "not", "don't stop", "keep calling", "do call", "of course not", "didn't mean") {
		return plain.Holds(said, "don't call", "do not call", "no more", "not call", "not any more", "no longer", "yes") &&
			!plain.Holds(said, "keep calling", "don't stop", "of course not", "didn't mean")
	}
	return plain.Holds(said, "yes", "yeah", "yep", "yup", "please do", "please", "that's right", "right", "correct", "sure",
		"i do", "i would", "stop", "stop calling", "absolutely", "definitely", "of course", "go ahead", "do that", "exactly", "indeed")
}
