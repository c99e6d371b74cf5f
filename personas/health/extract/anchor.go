package extract

import (
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// anchorConfidence is the confidence of a reading of the question's own words for a value.
const anchorConfidence = 0.8

// Anchor reads a reply that consists of the words that the question itself has for a value of its
// scale: "like a log" is a ten for sleep. It returns false if there is more than small talk around
// them, as in "like a log, until the cat came".
func Anchor(q packs.Question, said string, rc reader.Context) (reader.Reading, bool) {
	if q.Type != packs.TypeScale || !mayAnswer(said, rc) {
		return reader.Reading{}, false
	}
	var best reader.Reading
	about := reader.Question{Kind: reader.Scale, Min: q.Min, Max: q.Max, Topic: q.Topics}
	for _, a := range q.Anchors {
		for _, phrase := range append([]string{a.Label}, a.Words...) {
			if quote := reader.Alone(about, said, phrase, rc); len(quote) > len(best.Quote) {
				best = reader.Reading{
					Status: reader.Answered, Value: reader.Value{Kind: reader.Scale, Number: float64(a.Value)}, Confidence: anchorConfidence,
					Quote: quote, Settled: true, Why: "anchor",
				}
			}
		}
	}
	return best, best.Settled
}
