package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// quoteBytes is about how much of the last words a continuation is asked to repeat, which makes
	// the seam detectable.
	quoteBytes = 48
	// minRepeat is the length from which an answer that only repeats what was said counts as a
	// repetition, and not as a short last word.
	minRepeat = 24
)

// continuation returns the messages that request the rest of said. The model must repeat the last
// words because chat models drop the blank at the start of a message: "…have you" and "slept well"
// would else become one word.
func continuation(said string) []Message {
	return []Message{
		{Role: RoleAssistant, Content: said},
		{Role: RoleUser, Content: "Your last message was cut off before its end. Continue it exactly where it stopped: " +
			"first repeat its last words letter for letter (" + lastWords(said) + "), then go straight on in the same language and tone. " +
			"Do not greet, apologise, comment or start over."},
	}
}

// lastWords returns the end of said from the start of a word.
func lastWords(said string) string {
	if len(said) <= quoteBytes {
		return said
	}
	tail := said[len(said)-quoteBytes:]
	if i := strings.IndexFunc(tail, unicode.IsSpace); i >= 0 && i < len(tail)-1 {
		return strings.TrimLeftFunc(tail[i:], unicode.IsSpace)
	}
	for !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return tail
}

// seam joins a continuation to what was said before, without repeating the overlap. It holds text
// back only while that could still be overlap.
type seam struct {
	said string
	held string
	// places holds the positions in said where the overlap may begin, earliest (longest) first.
	places []int
	open   bool
}

func newSeam(said string) *seam {
	s := &seam{said: said, open: said != ""}
	for i := range said {
		if s.open && mayBegin(said, i) {
			s.places = append(s.places, i)
		}
	}
	return s
}

// mayBegin reports whether an overlap may begin at said[i:]: not in the middle of a word or a
// number, where a match is accidental ("book" and "keeper").
func mayBegin(said string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(said[:i])
	here, _ := utf8.DecodeRuneInString(said[i:])
	return i == 0 || !wordRune(before) || !wordRune(here)
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\''
}

// join accepts the next piece of the continuation and returns what can be said.
func (s *seam) join(text string) string {
	if !s.open {
		return text
	}
	s.held += text
	if s.maybeOverlap() || (s.betweenWords(s.held) && maybeSuffix(s.held)) {
		return ""
	}
	return s.resolve()
}

// maybeOverlap reports whether the held text may still be overlap.
func (s *seam) maybeOverlap() bool {
	plain := unquoted(s.held)
	for _, at := range s.places {
		rest := s.said[at:]
		if shorterPrefix(rest, s.held) || shorterPrefix(rest, plain) {
			return true
		}
	}
	return false
}

// unquoted returns text without the characters that some models put before a repetition.
func unquoted(text string) string { return strings.TrimLeft(text, " \"'“«….") }

// shorterPrefix reports whether s begins with prefix and continues after it.
func shorterPrefix(s, prefix string) bool { return len(prefix) < len(s) && hasPrefixFold(s, prefix) }

// hasPrefixFold reports whether s begins with prefix, regardless of case, since some models begin
// with a capital.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) || (len(s) > len(prefix) && !utf8.RuneStart(s[len(prefix)])) {
		return false
	}
	return strings.EqualFold(s[:len(prefix)], prefix)
}

// resolve ends the search: it returns the held text without the longest overlap.
func (s *seam) resolve() string {
	held := s.held
	s.open, s.held = false, ""
	for _, candidate := range []string{held, unquoted(held)} {
		for _, at := range s.places {
			if overlap := s.said[at:]; hasPrefixFold(candidate, overlap) && trusted(overlap) {
				return candidate[len(overlap):]
			}
		}
	}
	return s.gap(held) + held
}

// trusted reports whether an apparent overlap is a real one. Blanks and words are; digits and dots
// alone may as well be new text ("10" and "00", "wait." and "..").
func trusted(overlap string) bool {
	blank := true
	for _, r := range overlap {
		if unicode.IsLetter(r) {
			return true
		}
		blank = blank && unicode.IsSpace(r)
	}
	return blank
}

// gap returns the blank that is missing between what was said and held, which does not repeat it.
// Most cuts are between words, and "wonder ful" is understood but "theroses" is not: so a blank is
// left out only before text that can only be the end of a word.
func (s *seam) gap(held string) string {
	last, _ := utf8.DecodeLastRuneInString(s.said)
	first, _ := utf8.DecodeRuneInString(held)
	switch {
	case strings.ContainsRune(",;!?…)”»", last) && unicode.IsLetter(first),
		strings.ContainsRune(".:", last) && unicode.IsUpper(first),
		s.betweenWords(held) && !suffixes[firstWord(held)]:
		return " "
	}
	return ""
}

// betweenWords reports whether what was said and held would run together as one word, in a script
// that separates words by blanks. Two digits do not count: a number can be cut anywhere.
func (s *seam) betweenWords(held string) bool {
	last, _ := utf8.DecodeLastRuneInString(s.said)
	first, _ := utf8.DecodeRuneInString(held)
	return spaced(last) && spaced(first) && (!unicode.IsDigit(last) || !unicode.IsDigit(first))
}

func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// suffixes are endings of English words that are not themselves words in English, German or
// Spanish.
var suffixes = func() map[string]bool {
	all := make(map[string]bool)
	for s := range strings.FieldsSeq("s d ed ly ful fully ness less lessly ment ments tion tions ation ations ing ings ning ting ding ring ling " +
		"ier iest ily ity ities ible ible ous ously ive ively ize ized ise ised ish ship ships th nd rd st") {
		all[s] = true
	}
	return all
}()

// maybeSuffix reports whether text may become one of the suffixes, or is one that may still become
// another word.
func maybeSuffix(text string) bool {
	for s := range suffixes {
		if strings.HasPrefix(s, text) {
			return true
		}
	}
	return false
}

// firstWord returns the word that text begins with.
func firstWord(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return !wordRune(r) }); i >= 0 {
		return text[:i]
	}
	return text
}

// flush returns the text that is still held when the continuation has ended, without a repetition.
// If it only repeats a good part of what was said, flush returns "".
func (s *seam) flush(finish string) string {
	if !s.open || s.held == "" {
		return ""
	}
	if s.maybeOverlap() && (len(s.held) >= minRepeat || finish == FinishLength) {
		s.open, s.held = false, ""
		return ""
	}
	return s.resolve()
}
