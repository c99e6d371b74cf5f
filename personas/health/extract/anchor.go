package extract

import (
	"slices"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// anchorConfidence is what the question's own words for a value are worth.
const anchorConfidence = 0.8

var (
	// leading words may stand before an anchor and change nothing.
	leading = english.Set("oh well um er ah yes yeah i i'd i'm i've it it's it is was that that's say said like a an just slept feel felt feeling have had am put be would really thank you thanks today at the moment right now of you know dear")
	// trailing words may follow one.
	trailing = english.Set("thank thanks you dear love today really i think i'd say at the moment right now as it happens last night honestly indeed please actually so far")
)

// Anchor reads a reply that consists of the words which the question itself gives
// to a value of its scale: "like a log" is a ten for sleep. Anything more than
// small talk around them is for others to read: "like a log, until the cat came".
func Anchor(q packs.Question, said string, rc reader.Context) (reader.Reading, bool) {
	if q.Type != packs.TypeScale || !mayAnswer(said, rc) {
		return reader.Reading{}, false
	}
	words := wordsOf(said)
	for _, a := range q.Anchors {
		for _, phrase := range append([]string{a.Label}, a.Words...) {
			phrase := wordsOf(phrase)
			at := alone(words, phrase)
			if at < 0 {
				continue
			}
			return reader.Reading{
				Status: reader.Answered, Value: reader.Value{Kind: reader.Scale, Number: float64(a.Value)}, Confidence: anchorConfidence,
				Quote: said[words[at].Start:words[at+len(phrase)-1].End], Settled: true, Why: "anchor",
			}, true
		}
	}
	return reader.Reading{}, false
}

// alone returns where the phrase stands in words with nothing but small talk around
// it, or -1.
func alone(words, phrase []word) int {
	at := find(words, phrase, 0)
	if at < 0 {
		return -1
	}
	tells := func(small map[string]bool) func(word) bool { return func(w word) bool { return !small[w.Text] } }
	if slices.ContainsFunc(words[:at], tells(leading)) || slices.ContainsFunc(words[at+len(phrase):], tells(trailing)) {
		return -1
	}
	return at
}
