package elders

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
)

// subjectsOf returns what was asked about: what the questions bring up, the
// last first, and then what the rest does.
func subjectsOf(heard string) []string {
	var out []string
	questions := questionIn.FindAllString(heard, -1)
	slices.Reverse(questions)
	for _, text := range append(questions, heard) {
		for _, subject := range cued(english.Plain(text)) {
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
		if longest := longestIn(text, c.Cues); longest > 0 {
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

// longestIn returns the length of the longest cue that stands in plain text.
func longestIn(text string, cues []string) int {
	longest := 0
	for _, cue := range cues {
		if english.Holds(text, cue) {
			longest = max(longest, len(cue))
		}
	}
	return longest
}

// takesLeave reports whether the words say goodbye.
func takesLeave(text string) bool {
	return english.Holds(english.Plain(text), "goodbye", "good bye", "bye", "until next time", "talk to you soon", "speak to you soon")
}

var pressIn = regexp.MustCompile(`\bpress (?:the )?(zero|one|two|three|four|five|six|seven|eight|nine|star|hash|pound|\d)\b(.*)`)

// keyAsked returns the key that the words ask for, or "". A key that would
// stop the calls is not pressed.
func keyAsked(heard string) string {
	for sentence := range strings.SplitSeq(heard, ".") {
		text := english.Plain(sentence)
		m := pressIn.FindStringSubmatch(text)
		if m == nil || english.Holds(text, "stop", "no longer", "not be called", "never", "end these calls") {
			continue
		}
		if n, ok := english.Number(m[1]); ok {
			return strconv.Itoa(n)
		}
		switch m[1] {
		case "star":
			return "*"
		default: // hash or pound
			return "#"
		}
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
