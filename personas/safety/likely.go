package safety

import (
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/internal/weights"
)

// featuresOf returns the features of a turn by the stems of its words.
func featuresOf(code string, toks []phrases.Token) *weights.Features {
	words := make([]string, len(toks))
	for i, tok := range toks {
		words[i] = stemmers[code](tok.Word, false)
	}
	return weights.Of(words)
}

// likelihood is what the weights make of a turn, from its words and from the phrases found in it.
// They were learned from testdata/corpus, see learn_test.go.
type likelihood struct {
	flag  float64 // probability of any flag
	kind  int     // the column of the likeliest kind
	named float64 // probability of that kind
}

func likelihoodOf(w *weights.Weights, all []weights.Feature) likelihood {
	p := w.Read(all, nil)
	best := 1
	for k := range p[1:] {
		if p[1+k] > p[best] {
			best = 1 + k
		}
	}
	return likelihood{flag: 1 - p[0], kind: best, named: p[best]}
}
