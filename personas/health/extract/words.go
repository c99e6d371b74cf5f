package extract

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// word is one word of what was said.
type word struct {
	english.Word

	clause int // words of one clause share a number
}

// joints are the words that begin another clause.
var joints = english.Set("but because so although though while whereas then")

// wordsOf cuts a text into words. Marks, and words such as "but", end a clause.
func wordsOf(text string) []word {
	var out []word
	clause := 0
	for _, w := range english.Scan(text) {
		if w.Break > english.Space || joints[w.Text] {
			clause++
		}
		out = append(out, word{w, clause})
	}
	return out
}

// find returns the first place at or after from where the words of quote stand in
// list, one after the other; -1 when there is none.
func find(list, quote []word, from int) int {
	same := func(a, b word) bool { return a.Text == b.Text }
	for i := from; len(quote) > 0 && i+len(quote) <= len(list); i++ {
		if slices.EqualFunc(list[i:i+len(quote)], quote, same) {
			return i
		}
	}
	return -1
}

// anyIn reports whether one of the words is in the set, or belongs to one that is.
func anyIn(set map[string]bool, words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return set[w.Text] || set[strings.TrimSuffix(w.Text, "'s")] })
}
