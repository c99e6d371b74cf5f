package general

import (
	"slices"
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
	switch {
	case saysGoodbye(heard, said):
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
	for said != "" {
		n := longestPhrase(said, lists)
		if n == 0 {
			return false
		}
		said = strings.TrimPrefix(said[n:], " ")
	}
	return true
}

// longestPhrase returns how many bytes of said the longest phrase takes that it
// begins with; 0: none.
func longestPhrase(said string, lists []phrases) int {
	end := len(said)
	if end > maxPhraseBytes {
		end = strings.LastIndexByte(said[:maxPhraseBytes+1], ' ')
	}
	for ; end > 0; end = strings.LastIndexByte(said[:end], ' ') {
		if slices.ContainsFunc(lists, func(l phrases) bool { return l[said[:end]] }) {
			return end
		}
	}
	return 0
}

// maxPrefaceWords is how much may surround a goodbye before it may be part of a
// story ("I said goodbye to my brother that summer").
const maxPrefaceWords = 12

// saysGoodbye reports whether the person wants to end the call: a goodbye that
// stands alone or at the end, or one of the ways of saying that one must go.
func saysGoodbye(heard, said string) bool {
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
	if strings.Count(said, " ") >= maxPrefaceWords {
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
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasSuffix(padded, " "+p) })
}
