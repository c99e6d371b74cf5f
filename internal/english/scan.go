package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Break is the separation of a word from the one before it.
type Break int

// The breaks, weakest first.
const (
	Space Break = iota
	Pause       // a comma, a colon, a dash, a bracket
	Stop        // the end of a sentence or of a line
)

// Word is a word at its place in a text.
type Word struct {
	Text       string // lower case, with straight apostrophes but none around it
	Start, End int    // in bytes
	// Break is the strongest mark since the previous word. The first word of a text has a Stop
	// before it.
	Break Break
}

// Scan returns the words of a text. A mark between two digits ("6.5", "7:30") separates nothing; a
// hyphen or a quotation mark separates words only.
func Scan(text string) []Word {
	out := make([]Word, 0, len(text)/5+1)
	start, since := -1, Stop
	end := func(at int) {
		if start < 0 {
			return
		}
		if w := strings.Trim(Lower(text[start:at]), "'"); w != "" {
			out = append(out, Word{Text: w, Start: start, End: at, Break: since})
			since = Space
		}
		start = -1
	}
	for i, r := range text {
		if !outsideWord(r) || r == '’' || betweenDigits(text, i, r) {
			if start < 0 {
				start = i
			}
			continue
		}
		end(i)
		since = max(since, breakOf(r))
	}
	end(len(text))
	return out
}

func breakOf(r rune) Break {
	switch {
	case strings.ContainsRune(".!?…\n", r):
		return Stop
	case strings.ContainsRune(",;:–—¿¡()[]", r):
		return Pause
	default:
		return Space
	}
}

func betweenDigits(text string, i int, r rune) bool {
	if r != '.' && r != ',' && r != ':' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return unicode.IsDigit(before) && unicode.IsDigit(after)
}
