package words

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

func listOf(text string) []string { return strings.Fields(english.Plain(text)) }

// wordings are all of a question's own.
func wordings(q packs.Question) []string { return append([]string{q.Text}, q.Alternatives...) }

// vocabulary is every word of a question's own wordings.
func vocabulary(q packs.Question) []string {
	var out []string
	for _, w := range wordings(q) {
		out = append(out, listOf(w)...)
	}
	return out
}

// content are the words of a text that carry its meaning.
func (t *tongue) content(text string) []string {
	return slices.DeleteFunc(listOf(text), func(w string) bool { return t.Small.has(w) || t.Harmless.has(w) })
}

// about reports whether a word is one of what the question is about: a topic, or
// where the pack's wording does without those, any word of meaning in it.
func (t *tongue) about(q packs.Question, word string) bool {
	topical := func(w string) bool { return slices.Contains(q.Topics, w) }
	if slices.ContainsFunc(listOf(q.Text), topical) {
		return topical(word)
	}
	return slices.Contains(t.content(q.Text), word)
}

// covers reports whether the question holds at least half of what carries the
// meaning of one of the pack's wordings.
func (t *tongue) covers(question string, q packs.Question) bool {
	said := listOf(question)
	for _, own := range wordings(q) {
		_, asked := split(own)
		needed := t.content(asked)
		held := 0
		for _, w := range needed {
			if slices.Contains(said, w) {
				held++
			}
		}
		if 2*held >= len(needed) {
			return true
		}
	}
	return false
}

// foreignWord reports whether a question that is answered with yes or no holds a
// word of meaning that none of the pack's wordings has: "easier" instead of
// "harder" would turn the answer round.
func (t *tongue) foreignWord(question string, known []string) bool {
	return slices.ContainsFunc(t.content(question), func(w string) bool { return !slices.Contains(known, w) })
}

// turned reports whether the question negates more or less than every wording of
// the pack does.
func (t *tongue) turned(question string, q packs.Question) bool {
	n := t.negated(question)
	return !slices.ContainsFunc(wordings(q), func(own string) bool {
		_, asked := split(own)
		return t.negated(asked) == n
	})
}

func (t *tongue) negated(text string) int {
	return len(slices.DeleteFunc(listOf(text), func(w string) bool { return !t.Negations.has(w) }))
}
