package score

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// numeral is a number in an answer.
type numeral struct {
	option
	ordinal, year bool // year is set for a year of four digits
}

var (
	ordinals = strings.Fields(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
		fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`)
	decades       = strings.Fields(`twenty thirty forty fifty sixty seventy eighty ninety`)
	ordinalDigits = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)$`)
	dotted        = regexp.MustCompile(`^\d+(?:[.,]\d+){2,}$`)
	digitGroup    = regexp.MustCompile(`\d+`)
	prepositions  = strings.Fields(`to too for free`) // slips only among digits
	// slips maps what recognisers write to the digit that was said.
	slips = map[string]int{
		"to": 2, "too": 2, "for": 4, "fore": 4, "ate": 8, "won": 1, "wan": 1, "tree": 3, "free": 3, "sex": 6, "sicks": 6, "nein": 9, "fife": 5,
	}
)

// numerals finds the numbers of an answer, in digits and words.
func numerals(list []token) (out []numeral) {
	for i := 0; i < len(list); {
		n, k := numeralAt(list, i)
		if k == 0 {
			i++
			continue
		}
		n.from, n.to = i, i+k
		out = append(out, n)
		i += k
	}
	return out
}

// numeralAt reads the number at a word, and returns how many words it takes.
func numeralAt(list []token, i int) (m numeral, n int) {
	texts := make([]string, 0, 6)
	for k := i; k < min(i+6, len(list)); k++ {
		if k > i && list[k].Break == english.Stop {
			break
		}
		texts = append(texts, list[k].Text)
	}
	at := func(k int) string {
		if k < len(texts) {
			return texts[k]
		}
		return ""
	}
	if y, n := yearAt(texts); n > 0 {
		return numeral{option: option{value: y}, year: true}, n
	}
	if d := ordinalDigits.FindStringSubmatch(at(0)); d != nil {
		v, _ := strconv.Atoi(d[1])
		return numeral{option: option{value: v}, ordinal: true}, 1
	}
	if v := slices.Index(ordinals, at(0)); v > 0 {
		return numeral{option: option{value: v}, ordinal: true}, 1
	}
	if at(0) == "thirtieth" {
		return numeral{option: option{value: 30}, ordinal: true}, 1
	}
	v, n := english.NumberAt(texts...)
	if slip := slips[at(0)]; at(1) == "tea" && max(v, slip) > 5 && max(v, slip) < 10 && at(2) != "time" { // "ate tea two"
		m.value, m.variant = 10*max(v, slip), true
		if one, ok := english.Number(at(2)); ok && one > 0 && one < 10 {
			m.value += one
			return m, 3
		}
		return m, 2
	}
	if n == 0 {
		return numeral{}, 0
	}
	m.value = v
	if n == 1 && v >= 20 && v%10 == 0 {
		if one := slices.Index(ordinals[:10], at(1)); one > 0 {
			return numeral{option: option{value: v + one}, ordinal: true}, 2
		}
		if one := slips[at(1)]; one > 0 && !slices.Contains(prepositions, at(1)) {
			return numeral{option: option{value: v + one, variant: true}}, 2
		}
		if one, err := strconv.Atoi(at(1)); err == nil && one > 0 && one < 10 && slices.Contains(decades, at(0)) {
			return numeral{option: option{value: v + one}}, 2
		}
		if at(1) == "th" {
			return numeral{option: option{value: v}, ordinal: true}, 2
		}
	}
	return m, n
}

// yearAt reads a year of four digits: "2026", "twenty twenty-six", "two thousand and six".
func yearAt(texts []string) (year, n int) {
	at := func(k int) string {
		if k < len(texts) {
			return texts[k]
		}
		return ""
	}
	rest := func(base, k int) (int, int) {
		joined := k
		if at(k) == "and" {
			joined++
		}
		if v, n := english.NumberAt(texts[min(joined, len(texts)):]...); n > 0 && v > 0 && v < 100 {
			return base + v, joined + n
		}
		return base, k
	}
	first := strings.ReplaceAll(at(0), ":", "")
	if v, err := strconv.Atoi(first); err == nil && len(first) == 4 && v >= 1800 && v < 2200 {
		if v == 2000 {
			return rest(v, 1)
		}
		return v, 1
	}
	if (at(0) == "two" || at(0) == "2") && at(1) == "thousand" {
		return rest(2000, 2)
	}
	if a, b, c, d := digit(at(0)), digit(at(1)), digit(at(2)), digit(at(3)); b >= 0 && c >= 0 && d >= 0 && (a == 1 && b > 7 || a == 2 && b == 0) { // "one nine four oh"
		return 1000*a + 100*b + 10*c + d, 4
	}
	century := slices.Index([]string{"eighteen", "nineteen", "twenty"}, at(0)) + 18
	if v, err := strconv.Atoi(at(0)); err == nil && v >= 18 && v <= 20 {
		century = v
	} else if century < 18 {
		return 0, 0
	}
	if at(1) == "hundred" && century < 20 {
		return rest(100*century, 2)
	}
	if a, b := digit(at(1)), digit(at(2)); a >= 0 && b >= 0 && (a > 0 && century < 20 || a == 0 && b > 0) { // "nineteen four oh"
		return 100*century + 10*a + b, 3
	}
	if v, n := english.NumberAt(texts[min(1, len(texts)):]...); n > 0 && v >= 10 && v < 100 {
		return 100*century + v, 1 + n
	}
	return 0, 0
}

// digit returns the digit that a word stands for, or -1.
func digit(w string) int {
	if v, ok := english.Number(w); ok && v < 10 {
		return v
	} else if zeros[w] {
		return 0
	}
	return -1
}

// amended reports whether the words before an option take back what was said before.
func amended(list []token, after, from int) bool {
	return corrects.MatchString(between(list, after, from))
}
