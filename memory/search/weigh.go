package search

import (
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
)

const (
	// ownWords is what the words that a turn says itself add to its score at most, as a
	// share of what the best window by words gets. Its windows have its neighbours' words
	// too.
	ownWords = 0.3
	// brief is how much of its score a turn loses if it has no words, briefWords the number
	// of words with which it loses about a third of that. A short turn is in as many windows
	// as the one that it is a reply to, and rarely says what was asked for.
	brief, briefWords = 0.5, 10
	// asks multiplies the score of a turn that ends with a question: it rarely answers one.
	asks = 0.75
	// namedSpeaker multiplies the score of a turn whose speaker the question names.
	namedSpeaker = 1.5
)

// weigh changes the scores of turns, which are those of their windows, by what each turn
// says itself.
func (r *recall) weigh(all map[uuid.UUID]*candidate) {
	own := make(map[uuid.UUID]float64, len(all))
	most := 0.0
	for id, c := range all {
		own[id] = said(strings.FieldsFunc(strings.ToLower(c.Text), betweenWords), r.terms)
		most = max(most, own[id])
	}
	asked := wordsOf(r.q.Text)
	for id, c := range all {
		if most > 0 {
			c.Score += ownWords * r.set.KeywordWeight / (r.set.RRFK + 1) * own[id] / most
		}
		c.Score *= 1 - brief*math.Exp(-float64(len(strings.Fields(c.Text)))/briefWords)
		if strings.HasSuffix(c.Text, "?") {
			c.Score *= asks
		}
		for w := range wordsOf(c.Name) {
			if asked[w] {
				c.Score *= namedSpeaker
				break
			}
		}
	}
}

// said returns the weight of the terms that are among words, which are in lower case.
func said(words []string, terms []memories.WeightedTerm) float64 {
	sum := 0.0
	for _, t := range terms {
		if slices.ContainsFunc(words, func(w string) bool { return formOf(w, t.Lexeme) }) {
			sum += t.Weight
		}
	}
	return sum
}

// maxEnding is the maximum length, in bytes, of what a form of a word adds to its lexeme.
const maxEnding = 4

// formOf reports whether a word is likely a form of what a dictionary made a lexeme of: it
// begins like the lexeme, which ends with "i" where an English word may end with "y".
func formOf(word, lexeme string) bool {
	if len(lexeme) > 3 {
		lexeme = strings.TrimSuffix(lexeme, "i")
	}
	return strings.HasPrefix(word, lexeme) && len(word) <= len(lexeme)+maxEnding
}
