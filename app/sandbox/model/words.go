package model

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
)

//go:embed lexicon.txt
var lexiconText string

// A word is one of a text, and its stem.
type word struct {
	text string // in lower case, without the possessive
	stem string
	name bool // has a capital, and does not open a sentence
	// known is set where the lexicon has the word, or a phrase with it.
	known bool
}

var titles = english.Set("dr mr mrs ms prof st")

func wordsOf(text string) []word {
	var out []word
	end, title := 0, false
	for _, w := range english.Scan(text) {
		opens := end == 0 || strings.ContainsAny(text[end:w.Start], ".!?\n\"“:") && !title
		r, _ := utf8.DecodeRuneInString(text[w.Start:])
		bare := strings.TrimSuffix(w.Text, "'s")
		out = append(out, word{text: bare, stem: english.Stem(bare), name: unicode.IsUpper(r) && !opens})
		end, title = w.End, titles[w.Text]
	}
	return out
}

// stems joins those of words.
func stems(words []word) string { return joined(words, ":", func(w word) string { return w.stem }) }

func joined(words []word, by string, part func(word) string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = part(w)
	}
	return strings.Join(out, by)
}

// small are words without a subject, besides those that [english.Content] leaves
// out. Some have the stem of one that has: "even", "evening".
var small = english.Set(`ago ah anything back bit both come dear even ever everything few give hello here hmm keep kind know last let little look
	lot maybe might mm must need never next nor nothing oh ok okay one only other perhaps please put same say see shall should something sort such
	take tell thing think time today um use way whose yeah`)

// topicsIn returns the stems of a text that carry a subject.
func topicsIn(text string) []string {
	words := slices.DeleteFunc(english.Words(text), func(w string) bool { return small[w] })
	return english.Content(strings.Join(words, " "))
}

// empty reports whether a word carries no subject of its own.
func empty(w string) bool { return len(topicsIn(w)) == 0 }

// upperFirst returns s with a capital as its first letter.
func upperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// lowerFirst returns s with a small first letter, unless s begins with "I" or its contractions.
func lowerFirst(s string) string {
	if _, n := utf8.DecodeRuneInString(s); !strings.HasPrefix(s+" ", "I ") && !strings.HasPrefix(s, "I'") {
		return strings.ToLower(s[:n]) + s[n:]
	}
	return s
}

// A sense is one meaning of a word: what its synonyms share, and the subject
// that the meaning belongs to.
type sense struct{ meaning, category string }

// theLexicon is the embedded file: the senses of words and phrases, by their
// joined stems. Its lines are "category meaning: word, word".
var theLexicon = sync.OnceValue(func() map[string][]sense {
	l := map[string][]sense{}
	for line := range strings.Lines(lexiconText) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		category, meaning, _ := strings.Cut(head, " ")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		for entry := range strings.SplitSeq(list, ",") {
			key := stems(wordsOf(entry))
			l[key] = append(l[key], sense{meaning, category})
		}
	}
	return l
})

// longestPhrase is how many words the longest phrase of the lexicon has.
const longestPhrase = 5

// A hit is a word or a phrase of a text in which the lexicon found a sense.
type hit struct {
	words  []word
	senses []sense
}

func (h hit) text() string { return joined(h.words, " ", func(w word) string { return w.text }) }

// hits returns what the lexicon knows about words, left to right. A phrase
// wins over the words within it. A word for an animal or a plant that is written as a
// name is one: "Mr. Finch", "my sister Rose".
func hits(words []word) []hit {
	var out []hit
	for i := 0; i < len(words); i++ {
		for n := min(longestPhrase, len(words)-i); n > 0; n-- {
			senses, w := theLexicon()[stems(words[i:i+n])], words[i]
			if len(senses) == 0 || n == 1 && (small[w.text] || w.name && (senses[0].category == "pets" || senses[0].category == "garden")) {
				continue
			}
			out = append(out, hit{words[i : i+n], senses})
			i += n - 1
			break
		}
	}
	return out
}
