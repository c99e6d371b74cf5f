package elders

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText is text in lower case, words apart by one space, without marks.
func plainText(text string) string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// says reports whether text holds the phrase as whole words. Both are plain.
func says(text, phrase string) bool {
	return strings.Contains(" "+text+" ", " "+phrase+" ")
}

// subjectsOf returns what was asked about: what the questions bring up, the
// last first, and then what the rest does.
func subjectsOf(heard string) []string {
	var out []string
	questions := questionIn.FindAllString(heard, -1)
	slices.Reverse(questions)
	for _, text := range append(questions, heard) {
		for _, subject := range cued(plainText(text)) {
			if !slices.Contains(out, subject) {
				out = append(out, subject)
			}
		}
	}
	return out
}

var questionIn = regexp.MustCompile(`[^.!?]+\?`)

// cued returns the subjects whose cues stand in plain text, the longest cue
// first.
func cued(text string) []string {
	type found struct {
		subject string
		length  int
	}
	var all []found
	for _, c := range theCues() {
		longest := 0
		for _, cue := range c.Cues {
			if says(text, cue) {
				longest = max(longest, len(cue))
			}
		}
		if longest > 0 {
			all = append(all, found{c.Subject, longest})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.length, a.length) })
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = f.subject
	}
	return out
}

// takesLeave reports whether the words say goodbye.
func takesLeave(text string) bool {
	text = plainText(text)
	return slices.ContainsFunc([]string{"goodbye", "good bye", "bye", "bye bye", "until next time", "talk to you soon", "speak to you soon"}, func(p string) bool { return says(text, p) })
}

var pressIn = regexp.MustCompile(`\bpress (?:the )?(zero|one|two|three|four|five|six|seven|eight|nine|star|hash|pound|\d)\b(.*)`)

// keyAsked returns the key that the words ask for, or "". A key that would
// stop the calls is not pressed.
func keyAsked(heard string) string {
	for sentence := range strings.SplitSeq(heard, ".") {
		text := plainText(sentence)
		m := pressIn.FindStringSubmatch(text)
		if m == nil || slices.ContainsFunc([]string{"stop", "no longer", "not be called", "never", "end these calls"}, func(p string) bool { return says(text, p) }) {
			continue
		}
		if i := slices.Index([]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}, m[1]); i >= 0 {
			return strconv.Itoa(i)
		}
		switch m[1] {
		case "star":
			return "*"
		case "hash", "pound":
			return "#"
		}
		return m[1]
	}
	return ""
}

// lowerFirst makes a sentence the second part of one, but leaves "I" and names
// that it knows from the capital of the second word alone.
func lowerFirst(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if !slices.Contains([]string{"The", "We", "They", "She", "He", "It", "There", "Someone", "My", "Our", "Her", "His", "A", "You"}, first) {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
