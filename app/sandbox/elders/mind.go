package elders

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Mind is how well an elder does in cognitive checks.
type Mind string

// The minds.
const (
	Healthy   Mind = "healthy"
	Mild      Mind = "mild"      // a mild impairment, the same in every check
	Declining Mind = "declining" // healthy before a check, and worse with each from that one on
)

// Cognition is an elder's condition in cognitive checks. The zero value is a healthy mind.
type Cognition struct {
	Mind Mind `yaml:"kind"`
	// From is the first check, from 1, in which a declining mind does worse.
	From int `yaml:"from"`
	// Hearing is "poor" if the elder mishears words and asks for them again.
	Hearing string `yaml:"hearing"`
	// Prompted is the person who whispers answers in the background, as in "daughter"; empty:
	// nobody.
	Prompted string `yaml:"prompted"`
}

// A power is something that a mind can do.
type power int

const (
	digitsForward power = iota // digits
	digitsBack
	animalsAMinute // words
	lettersAMinute
	keepsWord     // a probability, like all below
	keepsIdea     // of a story, at once
	keepsIdeaLong // of a story, later
	knowsDate
	reasons
	powers // number of powers
)

// able holds the powers of a mind.
type able [powers]float64

var (
	healthy = able{6.2, 4.6, 18, 14, .94, .68, .58, .98, .92}
	mild    = able{4.8, 3.0, 10, 7, .45, .35, .14, .70, .45}
	// varies is the standard deviation of each power from day to day.
	varies = able{.3, .3, 1.5, 1.5, .03, .05, .05, .01, .03}
)

// worsening is the part of the way from healthy to mild that a declining mind moves from one
// check to the next, and furthest is where it stops.
const (
	worsening = 0.45
	furthest  = 1.2
)

// mindOf returns what a mind can do on one day, after a number of earlier checks.
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

// chance reports true with probability p.
func (s *Script) chance(p float64) bool { return s.rng.Float64() < p }

// span returns the digits that the elder repeats: as many as the mind holds, and mostly wrong
// ones beyond that.
func (s *Script) span(digits []string, backward bool) []string {
	out, p := slices.Clone(digits), digitsForward
	if backward {
		slices.Reverse(out)
		p = digitsBack
	}
	over := len(digits) - int(math.Round(s.mind[p]))
	if (over > 0 || s.chance(.06)) && (over != 1 || s.chance(.7)) {
		i := s.rng.IntN(len(out) - 1) // swaps two
		if out[i], out[i+1] = out[i+1], out[i]; over > 1 {
			out = slices.Delete(out, i, i+1) // and drops one
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

// kept returns the items of list that the elder remembers, each with probability p.
func (s *Script) kept(list []string, p float64) []string {
	return slices.DeleteFunc(slices.Clone(list), func(string) bool { return !s.chance(p) })
}

// comeToMind returns the words of a list that come to mind within a minute, in random order,
// sometimes with a slip: a word that was named before.
func (s *Script) comeToMind(list []string, about float64) []string {
	n := max(int(math.Round(about)), 1)
	list = slices.Clone(list[:min(len(list), n+4)]) // the easy ones come first
	s.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(len(list), n)]
	if slip := 1 - s.mind[keepsWord]; len(list) > 4 && s.chance(slip) {
		list = append(list, list[s.rng.IntN(len(list)-1)])
	}
	return list
}

// retold returns what the elder remembers of a story, sentence by sentence, each idea with
// probability p.
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

// ideaWords is about how many words make up one idea.
const ideaWords = 5

// ideasIn cuts a sentence at its commas and into pieces of at most ideaWords words.
func ideasIn(sentence string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.TrimRight(sentence, ".!"), ",") {
		for words := range slices.Chunk(strings.Fields(part), ideaWords) {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}
