package english

import (
	"slices"
	"strconv"
	"strings"
)

var (
	ones = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen`)
	tens = strings.Fields(`_ ten twenty thirty forty fifty sixty seventy eighty ninety`)
)

// Number returns the whole number that one word stands for, in digits or letters: "7", "seven",
// "seventy", "hundred".
func Number(word string) (n int, ok bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return n, true
	}
	if n = slices.Index(ones, word); n >= 0 {
		return n, true
	}
	if n = slices.Index(tens, word); n > 0 {
		return 10 * n, true
	}
	return 100, word == "hundred"
}

// NumberAt returns the whole number below a thousand at the start of words, and how many words it
// takes: "a hundred and forty two of them" begins with 142, in five. n is 0 if they begin with
// none.
func NumberAt(words ...string) (value, n int) {
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch v, ok := Number(at(0)); {
	case at(0) == "hundred":
		return addTo(100, 1, words)
	case at(0) == "a" && at(1) == "hundred":
		return addTo(100, 2, words)
	case ok && 0 < v && v < 10 && at(1) == "hundred":
		return addTo(100*v, 2, words)
	case ok && v >= 20 && v%10 == 0 && slices.Contains(tens, at(0)):
		if one := slices.Index(ones[:10], at(1)); one > 0 {
			return v + one, 2
		}
		return v, 1
	case ok:
		return v, 1
	default:
		return 0, 0
	}
}

// addTo adds the number that follows the n words of a multiple of a hundred: "and forty two".
func addTo(hundreds, n int, words []string) (value, taken int) {
	rest := words[n:]
	and := len(rest) > 0 && rest[0] == "and"
	if and {
		rest = rest[1:]
	}
	v, k := NumberAt(rest...)
	if k == 0 || v == 0 || v >= 100 {
		return hundreds, n
	}
	if and {
		n++
	}
	return hundreds + v, n + k
}
