package orchestration

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Screen checks a sentence before it leaves. It returns the reason for withholding the sentence, or
// "" if it may leave, and a replacement, if any. It must not block, nor speak itself.
type Screen func(sentence string) (why, instead string)

// Withheld is a sentence that was withheld, and why.
type Withheld struct{ Why, Text string }

// maxPending bounds how much is held back while a sentence has no end, in bytes.
const maxPending = 400

// Through passes the text of [Speech.Say] through a screen, one sentence at a time, until done is
// called. done also screens a last sentence without an end.
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

// SayFixed says one of our own texts, as [Speech.Say] does, but without the screen.
func (s *Speech) SayFixed(text string) error { return s.speak(text, true) }

// screened removes the complete sentences, or everything, from the pending text and returns what
// may be said of them. The caller must hold s.mu.
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

// withheldText returns the withheld sentences as text for the record, and their kinds.
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

// abbreviations end in a full stop that does not end a sentence.
var abbreviations = map[string]bool{
	"dr": true, "mr": true, "mrs": true, "ms": true, "st": true, "prof": true,
	"sr": true, "sra": true, "srta": true, "dra": true, "ud": true, "uds": true,
	"hr": true, "fr": true, "bzw": true, "ca": true, "usw": true, "etc": true, "vs": true,
}

// pieceEnd returns the end of the first sentence of a text that still grows, or -1 if more of it
// may come. A sentence that ends at the end of the text does not wait for the next word, unless its
// full stop may belong to a number or an abbreviation.
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

// opensOn reports whether a full stop after before may not be the end of a sentence.
func opensOn(before string, last bool) bool {
	word := strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:])
	end, _ := utf8.DecodeLastRuneInString(word)
	initial := len(word) == utf8.RuneLen(end) && unicode.IsLetter(end) && word != "i"
	return initial || abbreviations[word] || last && unicode.IsDigit(end)
}
