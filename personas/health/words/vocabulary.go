package words

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

func listOf(text string) []string { return strings.Fields(english.Plain(text)) }

// wordings returns the question's own wordings.
func wordings(q packs.Question) []string { return append([]string{q.Text}, q.Alternatives...) }

// vocabulary returns the words of the question's own wordings.
func vocabulary(q packs.Question) []string {
	var out []string
	for _, w := range wordings(q) {
		out = append(out, listOf(w)...)
	}
	return out
}

// content returns the words of a text that carry its meaning.
func (t *tongue) content(text string) []string {
	return slices.DeleteFunc(listOf(text), func(w string) bool { return t.Small.has(w) || t.Harmless.has(w) })
}

// about reports whether a word shows what the question is about: a topic, or if the pack's wording
// has no topic, any word of it that carries meaning.
func (t *tongue) about(q packs.Question, word string) bool {
	topical := func(w string) bool { return slices.Contains(q.Topics, w) }
	if slices.ContainsFunc(listOf(q.Text), topical) {
		return topical(word)
	}
	return slices.Contains(t.content(q.Text), word)
}

// covers reports whether the question has at least half of the words that carry the meaning of one
// of the pack's wordings.
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

// foreignWord reports whether a yes/no question has a word with a meaning that none of the pack's
// wordings has: "easier" instead of "harder" would reverse the answer.
func (t *tongue) foreignWord(question string, known []string) bool {
	return slices.ContainsFunc(t.content(question), func(w string) bool { return !slices.Contains(known, w) })
}

// turned reports whether the question has more or fewer negations than every wording of the pack.
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
