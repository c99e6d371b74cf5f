package orchestration

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Screen looks at a sentence before it leaves. It returns why the sentence is
// withheld, or nothing where it may leave, and what is said in its place, if
// anything. It must not block, nor speak itself.
type Screen func(sentence string) (why, instead string)

// Withheld is a sentence that did not leave, and why.
type Withheld struct{ Why, Text string }

// maxPending bounds how much is held back while a sentence has no end, in bytes.
const maxPending = 400

// Through has what [Speech.Say] says pass a screen, a sentence at a time, until done
// is called, which lets the screen see what has no end.
func (s *Speech) Through(screen Screen) (done func()) {
	s.mu.Lock()
	s.screen = screen
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		rest := s.screened(true)
		s.screen = nil
		var readers []*reader
		if rest != "" && !s.shut && !s.whole {
			readers, _ = s.utter(rest)
		}
		s.mu.Unlock()
		tell(readers)
	}
}

// SayFixed is [Speech.Say] for a text that is ours: no screen needs to see it.
func (s *Speech) SayFixed(text string) error { return s.speak(text, true) }

// screened takes from what is pending the sentences that have ended, or all of it,
// and returns what is said of them. The caller holds mu.
func (s *Speech) screened(all bool) string {
	var out strings.Builder
	for s.pending != "" {
		n := pieceEnd(s.pending)
		if n < 0 && all {
			n = len(s.pending)
		}
		if n < 0 {
			break
		}
		piece := s.pending[:n]
		s.pending = s.pending[n:]
		sentence := strings.TrimSpace(piece)
		if sentence == "" {
			out.WriteString(piece)
			continue
		}
		why, instead := s.screen(sentence)
		if why != "" {
			s.withheld = append(s.withheld, Withheld{why, sentence})
			if instead == "" {
				continue
			}
			piece = strings.Replace(piece, sentence, instead, 1)
		}
		out.WriteString(piece)
	}
	return out.String()
}

// withheldText is what was withheld, for the record, and its kinds.
func (s *Speech) withheldText() (text string, kinds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, w := range s.withheld {
		lines = append(lines, w.Why+": "+w.Text)
		if !slices.Contains(kinds, w.Why) {
			kinds = append(kinds, w.Why)
		}
	}
	return strings.Join(lines, "\n"), kinds
}

// abbreviations end in a stop that ends no sentence.
var abbreviations = map[string]bool{
	"dr": true, "mr": true, "mrs": true, "ms": true, "st": true, "prof": true,
	"sr": true, "sra": true, "srta": true, "dra": true, "ud": true, "uds": true,
	"hr": true, "fr": true, "bzw": true, "ca": true, "usw": true, "etc": true, "vs": true,
}

// pieceEnd returns where the first sentence of a text that still grows ends, or -1
// where more of it may come. A sentence that ends where the text does so far is
// not kept waiting for the next word, but for a stop that may belong to a number
// or an abbreviation.
func pieceEnd(text string) int {
	begun := false
	for i, r := range text {
		switch {
		case r == '\n' && begun:
			return i
		case !strings.ContainsRune(".!?…。！？", r):
			begun = begun || !unicode.IsSpace(r)
			continue
		}
		rest := strings.TrimLeft(text[i:], ".!?…。！？\"'”’)»")
		n := len(text) - len(rest)
		next, _ := utf8.DecodeRuneInString(rest)
		if rest != "" && !unicode.IsSpace(next) && r < 0x3000 {
			continue
		}
		if r == '.' && opensOn(text[:i], rest == "") {
			continue
		}
		return n
	}
	if len(text) > maxPending {
		if n := strings.LastIndexFunc(text, unicode.IsSpace); n > 0 {
			return n
		}
		return len(text)
	}
	return -1
}

// opensOn reports whether a stop behind before may not be the end of a sentence.
func opensOn(before string, last bool) bool {
	word := strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:])
	end, _ := utf8.DecodeLastRuneInString(word)
	initial := len(word) == utf8.RuneLen(end) && unicode.IsLetter(end) && word != "i"
	return initial || abbreviations[word] || last && unicode.IsDigit(end)
}
