package audio

import "strings"

// Words puts pieces together into words. The zero value is ready to use; it is
// not safe for concurrent use.
type Words struct {
	part strings.Builder
}

// Add takes the next piece and returns the words that it completed. A word
// that was broken off by a new utterance counts as completed too: nothing more
// of it will come.
func (w *Words) Add(p Piece) []string {
	var out []string
	flush := func() {
		if w.part.Len() > 0 {
			out = append(out, w.Cut())
		}
	}
	if p.Start {
		flush()
	}
	for _, r := range p.Text {
		if r == ' ' {
			flush()
			continue
		}
		w.part.WriteRune(r)
	}
	if p.WordEnd || p.End {
		flush()
	}
	return out
}

// Cut returns the beginning of a word that has been heard so far, or "", and
// forgets it.
func (w *Words) Cut() string {
	s := w.part.String()
	w.part.Reset()
	return s
}

// Heard is what can be understood of audio: its whole words, in order. A word
// that breaks off at the very end does not count.
func Heard(p []byte) string {
	var (
		d   Decoder
		w   Words
		all []string
	)
	for _, piece := range d.Write(p) {
		all = append(all, w.Add(piece)...)
	}
	return strings.Join(all, " ")
}
