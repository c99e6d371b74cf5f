package search

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
)

// framing are the words that only make a question: "what did I tell you about …", "how long
// …", "is she still …". To the dictionary they are ordinary words, with which a chat about
// talking would match every question.
var framing = english.Set(`again also called day days ever exactly get gets getting go goes going gone got happen happened
	happening happens kind know known long many mention mentioned much name named now often remember said say saying
	says sort speak speaking spoke still talk talked talking tell telling tells thing things time told went year years`)

// telling returns the positions, from 1, of the significant words of a question, without
// the person's own name, which is everywhere in their memory, and without the framing,
// which is known only for English. A filter that would leave no word is not applied.
func telling(words []string, frame memories.Frame) map[int]bool {
	all := map[int]bool{}
	for i := range words {
		all[i+1] = true
	}
	without := func(some map[string]bool) {
		left := maps.Clone(all)
		maps.DeleteFunc(left, func(place int, _ bool) bool { return some[bare(words[place-1])] })
		if len(left) > 0 {
			all = left
		}
	}
	without(wordsOf(frame.Name))
	if frame.Config == "english" {
		without(framing)
	}
	return all
}

// nameless returns a question without the person's own name, which is everywhere in their
// memory and so distinguishes nothing. It returns the question unchanged if no other word
// is left.
func nameless(question, name string) string {
	own := wordsOf(name)
	words := strings.Fields(question)
	left := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return own[bare(w)] })
	if len(left) == len(words) || len(left) == 0 {
		return question
	}
	return strings.Join(left, " ")
}

// wordsOf returns the set of words of a text, in lower case.
func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, betweenWords) {
		all[strings.ToLower(w)] = true
	}
	return all
}

// bare returns a word in lower case, without surrounding punctuation and without a
// possessive ending.
func bare(word string) string {
	word = strings.ToLower(strings.TrimFunc(word, betweenWords))
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

func betweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
