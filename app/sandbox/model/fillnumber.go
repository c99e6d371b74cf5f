package model

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number appends a number within the bounds: one that was said, or one that
// the field's name calls for, or the nearest to zero that is allowed.
func (f *filler) number(out []byte, s *schema, fd field, whole bool) ([]byte, error) {
	n, ok := f.findNumber(s, fd)
	if !ok {
		n = 0
		if slices.Contains(s.Types, "null") {
			return append(out, "null"...), nil
		}
	}
	n, ok = s.fitNumber(n, whole)
	if !ok {
		return nil, errNever
	}
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return strconv.AppendInt(out, int64(n), 10), nil
	}
	return strconv.AppendFloat(out, n, 'g', -1, 64), nil
}

// fitNumber moves n to the nearest value that the schema allows.
func (s *schema) fitNumber(n float64, whole bool) (float64, bool) {
	low, high := math.Inf(-1), math.Inf(1)
	step := 0.0
	if whole {
		step = 1
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
		if whole && step != math.Trunc(step) {
			step = wholeMultiple(step)
		}
	}
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.ExclMin != nil {
		low = max(low, math.Nextafter(*s.ExclMin, math.Inf(1)))
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	if s.ExclMax != nil {
		high = min(high, math.Nextafter(*s.ExclMax, math.Inf(-1)))
	}
	n = min(max(n, low), high)
	if step > 0 {
		n = math.Round(n/step) * step
		if n < low {
			n = math.Ceil(low/step) * step
		}
		if n > high {
			n = math.Floor(high/step) * step
		}
	}
	return n, n >= low && n <= high && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// wholeMultiple is the least whole multiple of a broken step, for steps of a
// few decimals.
func wholeMultiple(step float64) float64 {
	for k := 1.0; k <= 1000; k++ {
		if v := step * k; math.Abs(v-math.Round(v)) < 1e-9 {
			return math.Round(v)
		}
	}
	return math.Ceil(step)
}

// findNumber looks for the number that a field asks for. s bounds it, and may
// be nil.
func (f *filler) findNumber(s *schema, fd field) (float64, bool) {
	if n, ok := f.namedNumber(s, fd); ok {
		return n, true
	}
	for _, text := range f.numberSources(fd) {
		numbers := numbersIn(text)
		if fd.is("diastolic", "lower", "second") && len(numbers) > 1 {
			numbers = numbers[1:]
		}
		for _, n := range numbers {
			if s == nil || s.within(n) {
				return n, true
			}
		}
	}
	return 0, false
}

// namedNumber answers fields whose names call for a number of our own: how sure
// we are, how often, in which place.
func (f *filler) namedNumber(s *schema, fd field) (float64, bool) {
	switch {
	case fd.is("confidence", "certainty", "probability", "relevance", "similarity", "likelihood"):
		share := 0.9
		if len(f.said) == 0 || isSilence(f.heard(fd)) {
			share = 0.1
		}
		if s != nil && s.Maximum != nil && *s.Maximum > 1 {
			share *= *s.Maximum
		}
		return share, true
	case fd.is("importance", "salience", "weight") && fd.listed:
		if s != nil && s.Maximum != nil && *s.Maximum > 1 {
			return math.Round(*s.Maximum * 0.7), true
		}
		return 0.7, true
	case fd.is("count", "mention", "frequency", "occurrence"):
		if fd.topic != nil {
			return float64(fd.topic.count), true
		}
	case fd.is("sentiment", "valence", "polarity"):
		return max(-1, min(1, float64(f.mood(fd))/4)), true
	case fd.is("rank", "order", "position") && fd.listed:
		return float64(fd.index + 1), true
	case fd.is("index", "turn", "idx") && fd.listed:
		return float64(fd.index), true
	}
	return 0, false
}

// numberSources are the texts that a number may stand in, the likeliest first:
// the item, the nearest sentence that has a number, the last words.
func (f *filler) numberSources(fd field) []string {
	if fd.focus != "" {
		return []string{fd.focus}
	}
	numbered := slices.DeleteFunc(slices.Clone(f.said), func(s string) bool { return len(numbersIn(s)) == 0 })
	var out []string
	if near, ok := f.best(fd.about(), numbered, fitsAsked); ok {
		out = append(out, near)
	}
	// The last words answer the last question, so they count only when the
	// field is about that question, or about nothing in particular.
	if len(out) == 0 && (plainAnswer(fd) || f.asked(fd)) {
		out = append(out, f.sc.lastWords())
	}
	return out
}

// plainAnswer reports whether a field holds the answer itself, whatever the
// question was.
func plainAnswer(fd field) bool {
	return fd.name == "" || fd.is("answer", "value", "response", "number", "score", "rating", "scale", "amount", "level", "result", "extracted", "normalized", "normalised")
}

// asked reports whether the last question was about what the field is about.
func (f *filler) asked(fd field) bool {
	q := f.lastQuestion()
	return q != "" && (f.likeness(fd.about(), q) > fitsAsked || sharesWord(spaced(fd.name), q))
}

// lastQuestion is what the agent said last; empty when it said nothing.
func (f *filler) lastQuestion() string {
	for _, l := range slices.Backward(f.sc.lines) {
		if l.agent {
			return l.text
		}
	}
	return ""
}

// sharesWord reports whether two texts have a word that means something in
// common.
func sharesWord(a, b string) bool {
	stems := stemsOf(b)
	return slices.ContainsFunc(stemsOf(a), func(s string) bool { return !stopWords[s] && slices.Contains(stems, s) })
}

func (s *schema) within(n float64) bool {
	return (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum) &&
		(s.ExclMin == nil || n > *s.ExclMin) && (s.ExclMax == nil || n < *s.ExclMax)
}

var (
	digits   = regexp.MustCompile(`^\d{1,9}(?:\.\d{1,6})?(?:st|nd|rd|th|ish|mg|kg|lb|lbs|am|pm|h)?$`)
	outOf    = regexp.MustCompile(`(?i)\bout of (?:\d+|ten|five|a hundred|hundred)\b`)
	scaleFor = regexp.MustCompile(`(?i)\b(?:scale of|from) (?:one|1|zero|0) to (?:ten|10|five|5|\d+)\b`)
)

var numberWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"once": 1, "twice": 2, "dozen": 12, "couple": 2, "none": 0, "hundred": 100,
}

// numbersIn reads the numbers of spoken English, in digits and in words:
// "seven-ish", "twenty-one", "a hundred and thirty", "six and a half".
func numbersIn(text string) []float64 {
	text = scaleFor.ReplaceAllString(outOf.ReplaceAllString(text, " "), " ")
	words := spokenWords(text)
	var out []float64
	for i := 0; i < len(words); {
		n, used := numberAt(words, i)
		if used == 0 {
			i++
			continue
		}
		i += used
		if i+2 < len(words) && words[i] == "and" && words[i+1] == "a" && words[i+2] == "half" {
			n += 0.5
			i += 3
		}
		out = append(out, n)
	}
	return out
}

// spokenWords splits at everything that separates number words, hyphens too,
// but keeps decimal points.
func spokenWords(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \n\t,;:!?()\"/-–—“”", r) })
	for i, w := range fields {
		fields[i] = strings.Trim(w, ".'’")
	}
	return slices.DeleteFunc(fields, func(w string) bool { return w == "" || w == "ish" })
}

// numberAt reads a number that begins at word i, and how many words it took.
func numberAt(words []string, i int) (float64, int) {
	w := words[i]
	if digits.MatchString(w) {
		n, err := strconv.ParseFloat(strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz"), 64)
		if err != nil {
			return 0, 0
		}
		return n, 1
	}
	n, ok := numberWords[w]
	if !ok || (w == "one" && !countsAsOne(words, i)) {
		return 0, 0
	}
	used := 1
	next := func() (float64, bool) {
		if i+used >= len(words) {
			return 0, false
		}
		v, ok := numberWords[words[i+used]]
		return v, ok
	}
	if v, ok := next(); ok && n >= 20 && n < 100 && v >= 1 && v <= 9 {
		n += v
		used++
	}
	if v, ok := next(); ok && v == 100 && n < 10 {
		n *= 100
		used++
	}
	if n >= 100 {
		at := i + used
		if at < len(words) && words[at] == "and" {
			at++
		}
		if at >= len(words) {
			return n, used
		}
		if v, more := numberAt(words, at); more > 0 && v < 100 && !digits.MatchString(words[at]) {
			return n + v, at + more - i
		}
	}
	return n, used
}

// countsAsOne tells the number from the pronoun: "that one", "one of them".
func countsAsOne(words []string, i int) bool {
	if i > 0 && slices.Contains([]string{"no", "that", "this", "the", "any", "every", "which", "another", "some", "good", "little", "each", "other"}, words[i-1]) {
		return false
	}
	return i+1 >= len(words) || !slices.Contains([]string{"of", "day", "more", "thing", "another", "does", "never", "can", "must", "should"}, words[i+1])
}
