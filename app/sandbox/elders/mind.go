package elders

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Mind is how an elder does in cognitive checks.
type Mind string

// The minds.
const (
	Healthy   Mind = "healthy"
	Mild      Mind = "mild"      // a mild impairment, the same in every check
	Declining Mind = "declining" // healthy up to a check, and worse with each from there on
)

// Cognition is what an elder brings to a cognitive check. The zero value is a healthy mind.
type Cognition struct {
	Mind Mind `yaml:"kind"`
	// From is the first check, from 1, in which a declining mind does worse.
	From int `yaml:"from"`
	// Hearing is "poor" where words are misheard and asked for again.
	Hearing string `yaml:"hearing"`
	// Prompted is who says answers in the background, as in "daughter"; empty: nobody.
	Prompted string `yaml:"prompted"`
}

// power is something that a mind can do.
type power int

const (
	digitsForward power = iota // digits
	digitsBack
	animalsAMinute // words
	lettersAMinute
	keepsWord     // a probability, as all that follow
	keepsIdea     // of a story, at once
	keepsIdeaLong // and later
	knowsDate
	reasons
	powers // how many there are
)

// able are the powers of a mind.
type able [powers]float64

var (
	healthy = able{6.2, 4.6, 18, 14, .94, .68, .58, .98, .92}
	mild    = able{4.8, 3.0, 10, 7, .45, .35, .14, .70, .45}
	// varies is how much a power differs from day to day.
	varies = able{.3, .3, 1.5, 1.5, .03, .05, .05, .01, .03}
)

// worsening is the part of the way from healthy to mild that a declining mind goes from
// one check to the next, and furthest where it stays.
const (
	worsening = 0.45
	furthest  = 1.2
)

// mindOf returns what a mind can do on a day, in the check that comes after so many others.
func mindOf(c Cognition, before int, rng *rand.Rand) able {
	way := 0.0
	switch c.Mind {
	case Healthy:
	case Mild:
		way = 1
	case Declining:
		way = min(worsening*float64(max(before+2-c.From, 0)), furthest)
	}
	var a able
	for i := range a {
		a[i] = healthy[i] + way*(mild[i]-healthy[i]) + varies[i]*rng.NormFloat64()
	}
	return a
}

// chance reports whether something of a probability happens.
func (s *Script) chance(p float64) bool { return s.rng.Float64() < p }

// span says digits back: as many as the mind holds, and mostly wrong beyond.
func (s *Script) span(digits []string, backward bool) []string {
	out, p := slices.Clone(digits), digitsForward
	if backward {
		slices.Reverse(out)
		p = digitsBack
	}
	over := len(digits) - int(math.Round(s.mind[p]))
	if (over > 0 || s.chance(.06)) && (over != 1 || s.chance(.7)) {
		i := s.rng.IntN(len(out) - 1) // two change places
		if out[i], out[i+1] = out[i+1], out[i]; over > 1 {
			out = slices.Delete(out, i, i+1) // and one is gone
		}
	}
	if s.elder.Cognition.Hearing == poor && s.chance(.1) {
		i := slices.Index(out, "five")
		if i >= 0 {
			out[i] = "nine"
		}
	}
	return out
}

// kept returns those of a list that stay in mind, each with a probability.
func (s *Script) kept(list []string, p float64) []string {
	return slices.DeleteFunc(slices.Clone(list), func(string) bool { return !s.chance(p) })
}

// comeToMind returns the words of a list that come to mind within a minute, in the order
// that they come in, with a slip now and then: a word that was there before.
func (s *Script) comeToMind(list []string, about float64) []string {
	n := max(int(math.Round(about)), 1)
	list = slices.Clone(list[:min(len(list), n+4)]) // what is easy comes first
	s.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(len(list), n)]
	if slip := 1 - s.mind[keepsWord]; len(list) > 4 && s.chance(slip) {
		list = append(list, list[s.rng.IntN(len(list)-1)])
	}
	return list
}

// retold returns what is kept of a story, sentence by sentence, in pieces as long as an idea.
func (s *Script) retold(story []string, p float64) string {
	var out []string
	for _, sentence := range story {
		var kept []string
		for _, idea := range ideasIn(sentence) {
			if s.chance(p) {
				kept = append(kept, idea)
			}
		}
		if len(kept) > 0 {
			out = append(out, strings.Join(kept, " ")+".")
		}
	}
	return strings.Join(out, " ")
}

// ideaWords is about how many words carry one idea.
const ideaWords = 5

// ideasIn cuts a sentence at its commas, and where it goes on for long.
func ideasIn(sentence string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.TrimRight(sentence, ".!"), ",") {
		for words := range slices.Chunk(strings.Fields(part), ideaWords) {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}
