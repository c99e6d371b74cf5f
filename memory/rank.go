package memory

import (
	"slices"
	"strings"
	"unicode"
)

// stop are words that say nothing about what is talked about.
var stop = set(`a about after again all also am an and any are as at be because been but by can come could did do does
	don't for from get go going good got had has have he her here him his how i i'm if in is it it's its just know like
	little me mine much my no not now of oh ok on one or our out really say see she so some something still tell than
	that that's the their them then there they thing think this time to today too up us very was we well went were what
	when where which who why will with would yes you your talk talked last call ago days yesterday earlier takes lives`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// wordsOf returns the stems of the words in s that say something.
func wordsOf(s string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if len(w) > 1 && !stop[w] {
			m[stem(w)] = true
		}
	}
	return m
}

// stem takes the commonest endings off, so that "roses" meets "rose" and
// "gardening" meets "garden". It is meant for meeting, not for reading.
func stem(w string) string {
	for _, end := range []string{"ing", "ies", "es", "ed", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

// rank returns up to limit facts, those that share words with the query first,
// and of the others at most rest.
func rank(facts []fact, query string, limit, rest int) []string {
	type scored struct {
		fact
		meets int
	}
	q := wordsOf(query)
	all := make([]scored, 0, len(facts))
	for _, f := range facts {
		meets := 0
		for w := range q {
			if f.words[w] {
				meets++
			}
		}
		all = append(all, scored{f, meets})
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.meets != b.meets:
			return b.meets - a.meets
		case a.base > b.base:
			return -1
		case a.base < b.base:
			return 1
		default:
			return 0
		}
	})
	var out []string
	for _, s := range all {
		if len(out) == limit {
			break
		}
		if s.meets == 0 {
			if rest == 0 {
				continue
			}
			rest--
		}
		out = append(out, s.text)
	}
	return out
}
