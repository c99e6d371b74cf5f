package search

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
)

// framing are words that make a question of what is asked for: "what did I tell
// you about …", "how long …", "is she still …". The dictionary takes them for
// words like others, so that a chat about talking would answer all of them.
var framing = english.Set(`again also called day days ever exactly get gets getting go goes going gone got happen happened
	happening happens kind know known long many mention mentioned much name named now often remember said say saying
	says sort speak speaking spoke still talk talked talking tell telling tells thing things time told went year years`)

// telling are the places, from 1, of the words of a question that tell something,
// where that leaves any: not the person's own name, which stands in all of their
// memory, and not the framing. That is known of English alone.
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

// nameless is a question without the person's own name, where that leaves
// anything: it stands in all of their memory, and tells nothing apart.
func nameless(question, name string) string {
	own := wordsOf(name)
	words := strings.Fields(question)
	left := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return own[bare(w)] })
	if len(left) == len(words) || len(left) == 0 {
		return question
	}
	return strings.Join(left, " ")
}

// wordsOf are the words of a text, in lower case.
func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, betweenWords) {
		all[strings.ToLower(w)] = true
	}
	return all
}

// bare is a word in lower case, without what stands around it and the possessive
// that it may have.
func bare(word string) string {
	word = strings.ToLower(strings.TrimFunc(word, betweenWords))
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

func betweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
