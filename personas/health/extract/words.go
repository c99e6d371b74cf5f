package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of what was said, and where it stands.
type word struct {
	text       string // lower case, "'" for every apostrophe
	start, end int    // in bytes
	clause     int    // words of one clause share a number
}

// joints are the words that begin another clause.
var joints = setOf("but because so although though while whereas then")

// wordsOf cuts a text into words. Marks, and words such as "but", end a clause; a
// mark between two digits ("6.5", "7:30") ends nothing.
func wordsOf(text string) []word {
	var out []word
	clause, start := 0, -1
	end := func(at int) {
		if start < 0 {
			return
		}
		w := strings.Trim(strings.ReplaceAll(strings.ToLower(text[start:at]), "’", "'"), "'")
		if w != "" {
			if joints[w] {
				clause++
			}
			out = append(out, word{text: w, start: start, end: at, clause: clause})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '\'', r == '’', between(text, i, r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
			if !unicode.IsSpace(r) && r != '-' {
				clause++
			}
		}
	}
	end(len(text))
	return out
}

// between reports whether the mark r at i stands between two digits.
func between(text string, i int, r rune) bool {
	if r != '.' && r != ',' && r != ':' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return unicode.IsDigit(before) && unicode.IsDigit(after)
}

// find is the first place at or after from where the words of quote stand in list,
// one after the other; -1 when there is none.
func find(list, quote []word, from int) int {
	if len(quote) == 0 {
		return -1
	}
next:
	for i := max(from, 0); i+len(quote) <= len(list); i++ {
		for k := range quote {
			if list[i+k].text != quote[k].text {
				continue next
			}
		}
		return i
	}
	return -1
}

type set map[string]bool

func setOf(words string) set {
	s := set{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// any reports whether one of the words is in the set, or belongs to one that is.
func (s set) any(words []word) bool {
	for _, w := range words {
		if s[w.text] || s[strings.TrimSuffix(w.text, "'s")] {
			return true
		}
	}
	return false
}
