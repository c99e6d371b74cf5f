package words

import "github.com/naiber/naiber/personas/health/packs"

// Acknowledge is the situation that fits an answer: [Sorry] where the question
// says that it is bad news, [Glad] where it is good news, [Thanks] for the rest.
// That something good was not done ("not yet") is no bad news. Nothing is judged
// and nothing repeated. Instruments get Thanks whatever was
// said: a word of comfort between two items could sway the next answer.
func Acknowledge(q packs.Question, v packs.Value) Situation {
	if q.Screen || q.Verbatim || !v.Given() {
		return Thanks
	}
	at, ok := q.Ordinal(v)
	low, high, bounded := q.Bounds()
	if !ok || !bounded || low == high || q.Higher == "" {
		return Thanks // how much of something is bad is not for a sentence to say
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
