package words

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

// keepsScale reports whether the question names both ends of the scale, each with its meaning.
func (t *tongue) keepsScale(q packs.Question, question string) bool {
	low, high := t.meaning(q, q.Min), t.meaning(q, q.Max)
	for _, end := range []struct {
		value       int
		mine, other []string
	}{{q.Min, low, high}, {q.Max, high, low}} {
		said, ok := after(question, end.value)
		has := func(list, but []string) bool {
			return slices.ContainsFunc(said, func(w string) bool { return slices.Contains(list, w) && !slices.Contains(but, w) })
		}
		// A topic ("how was your sleep?") may follow either end.
		if !ok || len(end.mine) > 0 && !has(end.mine, end.other) || has(end.other, append(end.mine, q.Topics...)) {
			return false
		}
	}
	return true
}

// meaning returns the words for one end of the scale, from the pack's own wording and the anchors.
func (t *tongue) meaning(q packs.Question, value int) []string {
	out, _ := after(q.Text, value)
	for _, a := range q.Anchors {
		if a.Value == value {
			out = append(out, listOf(a.Label+" "+strings.Join(a.Words, " "))...)
		}
	}
	return slices.DeleteFunc(out, func(w string) bool { return t.Small.has(w) })
}

// after returns the words that follow a number, up to the next one, and reports whether the text
// has the number.
func after(text string, value int) (words []string, ok bool) {
	within := false
	for _, w := range listOf(text) {
		if n, is := english.Number(w); is {
			within = n == value
			ok = ok || within
			continue
		}
		if within {
			words = append(words, w)
		}
	}
	return words, ok
}

// foreignNumber reports whether the text has a number that the pack's wording does not.
func foreignNumber(text, own string) bool {
	known := map[int]bool{}
	for _, w := range listOf(own) {
		if n, ok := english.Number(w); ok {
			known[n] = true
		}
	}
	for _, w := range listOf(text) {
		if n, ok := english.Number(w); ok && !known[n] && w != "one" {
			return true // "one" may be a pronoun, "1" may not
		}
	}
	return false
}
