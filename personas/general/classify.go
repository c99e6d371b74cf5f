package general

import (
	"slices"
	"strings"
)

// Intent is the purpose of a person's words, as far as rules can tell.
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

// classify returns the intent of words by rules alone, without a model. In doubt it returns
// [IntentTalk]: that costs a search, while a wrong goodbye would cost the call.
func classify(heard string) Intent {
	words := asPhrase(heard)
	if words == "" {
		return IntentFiller
	}
	switch {
	case saysGoodbye(heard, words):
		return IntentGoodbye
	case madeOf(words, said.Fillers):
		return IntentFiller
	case madeOf(words, said.Fillers, said.Backchannels):
		return IntentBackchannel
	case strings.Contains(heard, "?") && !madeOf(words, said.Fillers, said.Backchannels, said.Greetings):
		return IntentTalk
	case madeOf(words, said.Fillers, said.Backchannels, said.Greetings):
		return IntentGreeting
	case madeOf(words, said.Fillers, said.Backchannels, said.Greetings, said.Pleasantries):
		return IntentPleasantry
	default:
		return IntentTalk
	}
}

// madeOf reports whether words consist only of phrases from the lists. Longer phrases are tried
// first.
func madeOf(words string, lists ...phrases) bool {
	for words != "" {
		n := longestPhrase(words, lists)
		if n == 0 {
			return false
		}
		words = strings.TrimPrefix(words[n:], " ")
	}
	return true
}

// longestPhrase returns the length in bytes of the longest phrase with which words begin, or 0.
func longestPhrase(words string, lists []phrases) int {
	end := len(words)
	if end > maxPhraseBytes {
		end = strings.LastIndexByte(words[:maxPhraseBytes+1], ' ')
	}
	for ; end > 0; end = strings.LastIndexByte(words[:end], ' ') {
		if slices.ContainsFunc(lists, func(l phrases) bool { return l[words[:end]] }) {
			return end
		}
	}
	return 0
}

// maxPrefaceWords is how many words may come with a goodbye before it may be part of a story ("I
// said goodbye to my brother that summer").
const maxPrefaceWords = 12

// saysGoodbye reports whether the person wants to end the call: by a goodbye that stands alone or
// at the end, or by saying in some way that they must go.
func saysGoodbye(heard, words string) bool {
	switch {
	case takesLeave(words) || takesLeave(lastSentence(heard)):
		return true
	case said.ToldGoodbyes.within(words):
		return false
	case said.PlainGoodbyes.end(words):
		return true // however long the speech before it
	case strings.Count(words, " ") >= maxPrefaceWords:
		return false
	case said.Leavings.within(words):
		return !said.NotLeavings.within(words)
	}
	return said.Endings.end(words)
}

// takesLeave reports whether plain words are a farewell and nothing else.
func takesLeave(words string) bool {
	return madeOf(words, said.Fillers, said.Backchannels, said.Pleasantries, said.Farewells, said.Partings) && said.Farewells.within(words)
}

// lastSentence returns the last of several sentences as plain words. It returns "" if there is only
// one sentence, or if the one before it introduces somebody else's words ("And then he said.
// Goodbye.").
func lastSentence(heard string) string {
	sentences := strings.FieldsFunc(heard, func(r rune) bool { return strings.ContainsRune(".!?…", r) })
	last := len(sentences) - 1
	for last > 0 && asPhrase(sentences[last]) == "" {
		last--
	}
	if last < 1 || said.Quoting.end(asPhrase(sentences[last-1])) {
		return ""
	}
	return asPhrase(sentences[last])
}
