package extract

import (
	"strconv"
	"strings"
)

// number is one number in what was said, as words or digits.
type number struct {
	value   float64
	from, n int // words
}

var (
	units = map[string]float64{
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
		"nineteen": 19, "once": 1, "twice": 2, "couple": 2, "dozen": 12, "none": 0, "noon": 12, "midday": 12, "midnight": 0,
	}
	tens = map[string]float64{
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
)

// tallies say how many there were of something, and never where on a scale.
var tallies = map[string]bool{"once": true, "twice": true, "couple": true, "dozen": true}

var powers = map[string]float64{"thousand": 1e3, "million": 1e6}

// numbersIn finds all numbers. One that is made of several words ("a hundred and
// forty") is one number, so that no part of it passes for another.
func numbersIn(words []word) []number {
	var out []number
	for i := 0; i < len(words); {
		num, ok := numberAt(words, i)
		if !ok {
			i++
			continue
		}
		for i += num.n; i < len(words) && powers[words[i].text] > 0; i++ {
			num.value, num.n = num.value*powers[words[i].text], num.n+1
		}
		out = append(out, num)
	}
	return out
}

func numberAt(words []word, i int) (number, bool) {
	num := number{from: i}
	at := func(k int) string {
		if k < len(words) {
			return words[k].text
		}
		return ""
	}
	if v, ok := digits(at(i)); ok {
		num.value, num.n = v, 1
		return num, true
	}
	switch {
	case (at(i) == "a" || at(i) == "one") && at(i+1) == "hundred":
		num.value, num.n = 100, 2
	case at(i) == "half" && (at(i+1) == "dozen" || at(i+1) == "a" && at(i+2) == "dozen"):
		num.value, num.n = 6, 2
		if at(i+1) == "a" {
			num.n = 3
		}
		return num, true
	case at(i) == "hundred":
		num.value, num.n = 100, 1
	case at(i+1) == "hundred" && units[at(i)] > 0:
		num.value, num.n = 100*units[at(i)], 2
	default:
		v, n := belowHundred(at, i)
		num.value, num.n = v, n
		return num, n > 0
	}
	rest := i + num.n
	if at(rest) == "and" {
		rest++
	}
	if v, n := belowHundred(at, rest); n > 0 {
		num.value, num.n = num.value+v, rest+n-i
	}
	return num, true
}

func belowHundred(at func(int) string, i int) (value float64, n int) {
	if v, ok := tens[at(i)]; ok {
		if u := units[at(i+1)]; u > 0 && u < 10 {
			return v + u, 2
		}
		return v, 1
	}
	if v, ok := units[at(i)]; ok {
		return v, 1
	}
	return 0, 0
}

// digits reads "7", "6.5", "1,200", and the hour of "7:30" or "8am".
func digits(text string) (float64, bool) {
	text, _, _ = strings.Cut(text, ":")
	text = strings.TrimRight(strings.ReplaceAll(text, ",", ""), "amp")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1e6 {
		return 0, false
	}
	return v, true
}
