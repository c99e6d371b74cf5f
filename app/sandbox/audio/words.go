package audio

import "strings"

// Words joins pieces to words. The zero value is ready to use; it is not safe for concurrent use.
type Words struct {
	part strings.Builder
}

// Add adds the next piece and returns the words that it completed. A word that a new utterance
// breaks off is complete too, since no more of it will come.
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

// Cut returns the part of a word that has been heard so far, or "", and forgets it.
func (w *Words) Cut() string {
	s := w.part.String()
	w.part.Reset()
	return s
}

// Heard returns the whole words in audio, in order, joined by spaces. A word that breaks off at
// the very end does not count.
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
