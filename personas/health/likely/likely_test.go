package likely_test

import (
	"math"
	"testing"

	"github.com/naiber/naiber/personas/health/likely"
	"github.com/naiber/naiber/personas/health/reader"
)

// FuzzOf: whatever is said, the probabilities are of what the question may be answered with, and
// sum up to one.
func FuzzOf(f *testing.F) {
	for _, said := range []string{"", "no", "I went flat on my face in the yard", "¿y a usted qué le importa?", "\x00\xff", "ǅ ß İ ſ"} {
		f.Add(said, "en-GB")
		f.Add(said, "es")
	}
	q := reader.Question{ID: "falls", Kind: reader.Boolean}
	f.Fuzz(func(t *testing.T, said, locale string) {
		m := likely.Of(&q, said, reader.Reading{}, reader.Context{Locale: locale})
		if m == nil {
			return
		}
		sum := 0.0
		for kind, p := range m {
			if kind == likely.Given || math.IsNaN(p) {
				t.Errorf("%q: %q has %v", said, kind, p)
			}
			sum += p
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("%q: the probabilities sum up to %v", said, sum)
		}
	})
}
