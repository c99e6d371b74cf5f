package extract

import (
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// number is one number in what was said, as words or digits.
type number struct {
	value   float64
	from, n int // words
}

// tallies say how many there were of something, and never where on a scale.
var tallies = map[string]float64{"once": 1, "twice": 2, "couple": 2, "dozen": 12}

// counts are other words that stand for a number.
var counts = map[string]float64{"none": 0, "noon": 12, "midday": 12, "midnight": 0}

var powers = map[string]float64{"thousand": 1e3, "million": 1e6}

// numbersIn finds all numbers. One that is made of several words ("a hundred and
// forty") is one number, so that no part of it passes for another.
func numbersIn(words []word) []number {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	var out []number
	for i := 0; i < len(texts); {
		num := number{from: i}
		num.value, num.n = numberAt(texts[i:])
		if num.n == 0 {
			i++
			continue
		}
		for i += num.n; i < len(texts) && powers[texts[i]] > 0; i++ {
			num.value, num.n = num.value*powers[texts[i]], num.n+1
		}
		out = append(out, num)
	}
	return out
}

// numberAt returns the number that words begin with, and how many it takes.
func numberAt(words []string) (value float64, n int) {
	if strings.ContainsRune("0123456789", rune(words[0][0])) {
		return digits(words[0])
	}
	for _, known := range []map[string]float64{tallies, counts} {
		if v, ok := known[words[0]]; ok {
			return v, 1
		}
	}
	for _, half := range []string{"half a dozen", "half dozen"} {
		if strings.HasPrefix(strings.Join(words[:min(len(words), 3)], " ")+" ", half+" ") {
			return 6, len(strings.Fields(half))
		}
	}
	v, n := english.NumberAt(words...)
	return float64(v), n
}

// digits reads "7", "6.5", "1,200", and the hour of "7:30" or "8am".
func digits(text string) (value float64, n int) {
	text, _, _ = strings.Cut(text, ":")
	v, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(text, ",", ""), "amp"), 64)
	if err != nil || v > 1e6 {
		return 0, 0
	}
	return v, 1
}
