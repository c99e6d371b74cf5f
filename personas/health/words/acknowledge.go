package words

import "github.com/naiber/naiber/personas/health/packs"

// Acknowledge returns the situation that fits an answer: [Sorry] if the question's direction makes
// it bad news, [Glad] if it makes it good news, [Thanks] otherwise. If something good was not done
// ("not yet"), that is not bad news. The sentences neither judge nor repeat the answer. For
// instruments it always returns Thanks: a word of comfort between two items could influence the
// next answer.
func Acknowledge(q packs.Question, v packs.Value) Situation {
	if q.Screen || q.Verbatim || !v.Given() {
		return Thanks
	}
	at, ok := q.Ordinal(v)
	low, high, bounded := q.Bounds()
	if !ok || !bounded || low == high || q.Higher == "" {
		return Thanks // a sentence cannot say how much of something is bad
	}
	good := (at - float64(low)) / float64(high-low)
	if q.Higher == packs.HigherWorse {
		good = 1 - good
	}
	switch {
	case good <= 1.0/3 && (v.Type != packs.TypeBoolean || q.Higher == packs.HigherWorse):
		return Sorry
	case good >= 0.75 && v.Type == packs.TypeScale:
		return Glad
	}
	return Thanks
}
