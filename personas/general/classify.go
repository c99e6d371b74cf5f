package general

import (
	"strings"

	"github.com/naiber/naiber/internal/english"
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
)

// Substantive reports whether memories may help with an answer.
func (i Intent) Substantive() bool { return i == IntentTalk }

// classify tells what words are for. It never asks a model. In doubt it is
// talk: that costs a search, while a wrong goodbye would cost the call.
func classify(heard string) Intent {
	said := english.Plain(heard)
	if said == "" {
		return IntentFiller
	}
	words := strings.Fields(said)
	switch {
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
	if english.Holds(said, "said goodbye", "say goodbye to", "saying goodbye", "said bye", "goodbye to", "the goodbye", "a goodbye",
		"long goodbye", "last goodbye", "say bye to") {
		return false
	}
	if hasSuffixPhrase(said, plainGoodbyes...) {
		return true // however long the speech before it was
	}
	if len(words) > maxPrefaceWords {
		return false
	}
	if english.Holds(said, leavings...) {
		return !english.Holds(said, "don't have to go", "do i have to go", "do you have to go", "have to go to", "got to go to",
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
	for last > 0 && english.Plain(sentences[last]) == "" {
		last--
	}
	if last < 1 || hasSuffixPhrase(english.Plain(sentences[last-1]), "said", "says", "say", "saying", "told me", "went") {
		return ""
	}
	return english.Plain(sentences[last])
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
