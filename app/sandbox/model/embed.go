package model

import (
	"cmp"
	"hash/fnv"
	"math"
	"strings"
)

// defaultDims is the size of an embedding when the request does not name one.
const defaultDims = 256

// Weights of the features of a text, tuned on the labelled pairs of the tests.
// A known word is told mostly by its meaning, so that its synonyms land beside
// it; an unknown one only by its own letters.
const (
	weightMeaning  = 1.0
	weightCategory = 0.65
	weightKnown    = 0.30 // the stem of a word that the lexicon knows
	weightUnknown  = 0.70 // the stem of a word that it does not
	weightName     = 1.10 // a proper name
	weightGram     = 0.12 // one three-letter piece of a word
	weightStop     = 0.02
)

// faintCategories say when and how, rather than what: they weigh less.
var faintCategories = map[string]float64{"day": 0.5, "contact": 0.8, "happy": 0.5, "home": 0.7, "past": 0.6}

// Embed returns the vectors that the model's /v1/embeddings returns for texts, for
// a process that has no network to it; with dims 0 they have its default size.
func Embed(texts []string, dims int) [][]float32 {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		for _, x := range embed(text, cmp.Or(dims, defaultDims)) {
			out[i] = append(out[i], float32(x))
		}
	}
	return out
}

// embed returns the unit vector of text, of the given size. Texts without a
// single word share one arbitrary vector, because a zero vector has no
// direction and breaks the cosine of whoever compares it.
func embed(text string, dims int) []float64 {
	f := features{vec: make([]float64, dims)}
	words := wordsOf(text)
	known := make([]bool, len(words))
	for _, h := range theLexicon().find(words) {
		f.hit(words, h)
		for i := h.at; i < h.at+h.n; i++ {
			known[i] = true
		}
	}
	for i, w := range words {
		f.word(w, known[i])
	}
	if !f.normalise() {
		f.add("nothing", 1)
		f.normalise()
	}
	return f.vec
}

// features collects weighted features in a vector by hashing their names.
type features struct {
	vec []float64
}

func (f *features) hit(words []word, h hit) {
	share := 1 / math.Sqrt(float64(len(h.senses)))
	for _, s := range h.senses {
		faint, ok := faintCategories[s.category]
		if !ok {
			faint = 1
		}
		f.add("meaning:"+s.meaning, weightMeaning*faint*share)
		f.add("category:"+s.category, weightCategory*faint*share)
	}
	name := []string{"stem"}
	for _, w := range words[h.at : h.at+h.n] {
		name = append(name, w.stem)
	}
	f.add(strings.Join(name, ":"), weightKnown*math.Sqrt(float64(h.n)))
}

func (f *features) word(w word, known bool) {
	switch {
	case stopWords[w.stem]:
		f.add("stem:"+w.stem, weightStop)
		return
	case known:
		return
	case w.upper && !w.first:
		f.add("stem:"+w.stem, weightName)
	default:
		f.add("stem:"+w.stem, weightUnknown)
	}
	padded := []rune("^" + w.stem + "$")
	for i := 0; i+3 <= len(padded); i++ {
		f.add("gram:"+string(padded[i:i+3]), weightGram)
	}
}

// add spreads a feature over three signed places, so that two features that
// share a place in a small vector do not become one.
func (f *features) add(name string, weight float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	x := h.Sum64()
	weight /= math.Sqrt(3)
	for range 3 {
		// splitmix64: the next number from the last.
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb
		z ^= z >> 31
		sign := 1.0
		if z&1 == 1 {
			sign = -1
		}
		f.vec[(z>>1)%uint64(len(f.vec))] += sign * weight
	}
}

// normalise scales the vector to length one and reports whether it had any.
func (f *features) normalise() bool {
	var sum float64
	for _, v := range f.vec {
		sum += v * v
	}
	if sum < 1e-12 {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range f.vec {
		f.vec[i] *= scale
	}
	return true
}

// cosine of two unit vectors of one size.
func cosine(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
