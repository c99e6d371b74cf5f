package audio

import "unicode/utf8"

// Piece is the text that one frame carried.
type Piece struct {
	// Text is part of a word, a word or, in fast speech, several words. It may begin or end with
	// a space, and may be empty at an End.
	Text string
	// Start marks the first piece of an utterance, End the last.
	Start, End bool
	// WordEnd reports whether Text ends with the last letter of a word.
	WordEnd bool
	// At is the offset of the piece in the stream, in bytes.
	At int64
}

// Decoder finds the words in a stream of audio. The zero value is ready to
// use; it is not safe for concurrent use.
type Decoder struct {
	state state
	match int // bytes of magic seen
	flags byte
	need  int
	text  []byte
	at    int64 // bytes seen
	from  int64 // offset of the current frame
}

type state uint8

const (
	hunting state = iota
	inFlags
	inLength
	inText
	inSum
)

// Write decodes the next bytes of the stream, in whatever portions they come, and returns the
// pieces that they complete. Bytes that make no sense are treated as noise.
func (d *Decoder) Write(p []byte) []Piece {
	var out []Piece
	for _, b := range p {
		if piece, ok := d.step(b); ok {
			out = append(out, piece)
		}
		d.at++
	}
	return out
}

// step decodes one byte and returns the piece that it completes, if any.
func (d *Decoder) step(b byte) (Piece, bool) {
	if b == magic0 {
		d.state, d.match, d.from = hunting, 1, d.at
		return Piece{}, false
	}
	switch d.state {
	case hunting:
		d.hunt(b)
	case inFlags:
		d.flags = b
		d.next(b <= flagsAll, inLength)
	case inLength:
		d.need, d.text = int(b), d.text[:0]
		d.next(b <= maxText, inText)
		if b == 0 {
			d.state = inSum
		}
	case inText:
		d.text = append(d.text, b)
		if len(d.text) == d.need {
			d.state = inSum
		}
	case inSum:
		d.state, d.match = hunting, 0
		return d.piece(b)
	}
	return Piece{}, false
}

func (d *Decoder) hunt(b byte) {
	if d.match == 0 {
		return
	}
	if b != magic[d.match] {
		d.match = 0
		return
	}
	if d.match++; d.match == len(magic) {
		d.match, d.state = 0, inFlags
	}
}

func (d *Decoder) next(ok bool, s state) {
	if !ok {
		s = hunting
	}
	d.state = s
}

func (d *Decoder) piece(check byte) (Piece, bool) {
	if check != sum(d.flags, string(d.text)) || !utf8.Valid(d.text) {
		return Piece{}, false
	}
	p := Piece{
		Text:    string(d.text),
		Start:   d.flags&flagStart != 0,
		End:     d.flags&flagEnd != 0,
		WordEnd: d.flags&flagWordEnd != 0,
		At:      d.from,
	}
	return p, p.Text != "" || p.Start || p.End
}
