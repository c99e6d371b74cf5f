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
	at, low, high, ok := place(q, v)
	if !ok || q.Higher == "" {
		return Thanks
	}
	good := (at - low) / (high - low)
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

// place is where an answer stands between the lowest and the highest one.
func place(q packs.Question, v packs.Value) (at, low, high float64, ok bool) {
	at, ok = q.Ordinal(v)
	switch v.Type {
	case packs.TypeBoolean:
		low, high = 0, 1
	case packs.TypeScale:
		low, high = float64(q.Min), float64(q.Max)
	case packs.TypeChoice:
		low, high = choiceBounds(q)
	default:
		return 0, 0, 0, false // how much of something is bad is not for a sentence to say
	}
	return at, low, high, ok && low < high
}

func choiceBounds(q packs.Question) (low, high float64) {
	first := true
	for _, c := range q.Choices {
		n, ok := q.Ordinal(packs.Chosen(c.Value))
		if !ok {
			continue
		}
		if first {
			low, high, first = n, n, false
		}
		low, high = min(low, n), max(high, n)
	}
	return low, high
}
