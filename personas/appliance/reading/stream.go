package reading

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Stream is all of a message that may belong to a number, without what is said in between: people
// talk about their glasses while they read a label.
type Stream struct {
	runs [][]piece
}

const (
	// mostQueries is the most queries for a stream, and shortestQuery and longestQuery limit their
	// length.
	mostQueries   = 12
	shortestQuery = 4
	longestQuery  = 24

	// Costs of leaving out something that may belong to a number: within it, a letter or digit, or
	// a word that may be one; around it, a letter or digit.
	skipStrong, skipMost = 0.5, 1.5
	skipWeak             = 0.05
	skipAround           = 0.12
	// wordMatch is the cost of taking a word for letters, and otherMatch that of an alternative
	// meaning of a word.
	wordMatch, otherMatch = 0.3, 0.05
)

func streamOf(pieces []piece) *Stream {
	s := &Stream{}
	var run []piece
	digits := 0
	end := func() {
		if slices.ContainsFunc(run, func(p piece) bool { return p.strong }) {
			s.runs = append(s.runs, run)
		}
		run = nil
	}
	for _, p := range pieces {
		switch {
		case len(p.alts) == 0:
			end()
		case !p.skip:
			if p.apart {
				end()
			}
			run = append(run, p)
			if p.strong {
				digits += strings.Count(strings.Map(digit, p.alts[0]), "d")
			}
		}
	}
	end()
	if digits < 2 || len(s.runs) > mostPieces {
		return nil
	}
	return s
}

// Queries returns the strings by which to search for the number: the letters and digits of runs of
// words, of neighbouring runs, and of all of them.
func (s *Stream) Queries() (out []string) {
	if s == nil {
		return nil
	}
	texts := make([]string, len(s.runs))
	for i, run := range s.runs {
		for _, p := range run {
			if p.strong {
				texts[i] += p.alts[0]
			}
		}
	}
	for n := 1; n <= len(texts); n++ {
		for i := 0; i+n <= len(texts); i++ {
			q := strings.Join(texts[i:i+n], "")
			if len(q) >= shortestQuery && len(q) <= longestQuery && strings.ContainsFunc(q, unicode.IsDigit) && !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out[:min(len(out), mostQueries)]
}

// Cost returns how much of what was said must have been misheard or left out if number was meant.
func (s *Stream) Cost(number string) float64 {
	if s == nil {
		return math.Inf(1)
	}
	n := len(number)
	at := make([]float64, n+1) // the least cost of matching each prefix of the number
	before, best := 0.0, math.Inf(1)
	for j := range at {
		at[j] = math.Inf(1)
	}
	for _, run := range s.runs {
		for _, p := range run {
			next := make([]float64, n+1)
			around, within := 0.0, skipWeak
			if p.strong {
				size := float64(len(p.alts[0]))
				around, within = skipAround*size, min(skipStrong*size, skipMost)
			}
			at[0] = before
			for j := range next {
				next[j] = at[j] + within
			}
			for k, a := range p.alts {
				extra := min(float64(k), 1) * otherMatch
				if p.word {
					extra += wordMatch
				}
				match(number, a, extra, at, next)
			}
			before += around
			for j := 1; j <= n; j++ {
				next[j] = min(next[j], next[j-1]+gap(number, j-1))
			}
			best = min(best+around, next[n])
			at = next
		}
	}
	return best
}

// match extends matches of a number by one reading of a piece.
func match(number, text string, extra float64, at, next []float64) {
	size := len(text)
	if size == 0 {
		return
	}
	for j := range at {
		if math.IsInf(at[j], 1) || j == len(number) {
			continue
		}
		if size == 1 {
			next[j+1] = min(next[j+1], at[j]+extra+swap(text[0], number[j]))
			continue
		}
		for k := max(1, size-2); k <= size+1 && j+k <= len(number); k++ {
			next[j+k] = min(next[j+k], at[j]+extra+Distance(text, number[j:j+k]))
		}
	}
}
