package words

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/personas/health/packs"
)

// keepsScale reports whether both ends are named, each with what it means.
func keepsScale(q packs.Question, question string) bool {
	low, high := meaning(q, q.Min), meaning(q, q.Max)
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

// meaning are the words for one end of the scale, in the pack's own wording and in
// its anchors.
func meaning(q packs.Question, value int) []string {
	out, _ := after(q.Text, value)
	for _, a := range q.Anchors {
		if a.Value == value {
			out = append(out, listOf(a.Label+" "+strings.Join(a.Words, " "))...)
		}
	}
	return slices.DeleteFunc(out, func(w string) bool { return slices.Contains(small, w) })
}

// after are the words that follow a number, up to the next one, and whether the
// number stands there at all.
func after(text string, value int) (words []string, ok bool) {
	within := false
	for _, w := range listOf(text) {
		if n, is := numberOf(w); is {
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

// foreignNumber reports whether the text holds a number that the pack's does not.
func foreignNumber(text, own string) bool {
	var known []int
	for _, w := range listOf(own) {
		if n, ok := numberOf(w); ok {
			known = append(known, n)
		}
	}
	for _, w := range listOf(text) {
		if n, ok := numberOf(w); ok && n != 1 && !slices.Contains(known, n) || ok && n == 1 && w == "1" && !slices.Contains(known, 1) {
			return true // "one" may be a pronoun, "1" may not
		}
	}
	return false
}

// numberWords are those up to twelve, and the tens.
var numberWords = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
	"eighty": 80, "ninety": 90, "hundred": 100,
}

func numberOf(word string) (int, bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return n, true
	}
	n, ok := numberWords[word]
	return n, ok
}
