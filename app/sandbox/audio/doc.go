// Package audio encodes words in telephone audio.
//
// The simulated carrier and the simulated voice service have neither a
// microphone nor a speech model, and yet a relay between them is only proven
// if what one side says arrives at the other. So speech is written into the
// audio itself: every 20 ms frame of G.711 µ-law that belongs to speech starts
// with a short mark, followed by the piece of text that is spoken during these
// 20 ms. The rest of the frame is filler that looks like a voice. Silence is
// the same as on a telephone line.
//
//	0        4       5        6          6+n    7+n        160
//	| magic  | flags | length | text (n) | sum  | filler … |
//
// None of the four magic bytes can occur in UTF-8, in a field or in the
// filler. A [Decoder] therefore resynchronizes after any cut, and does not
// depend on how the bytes were divided on their way: text that was cut away was
// not heard, and all other text was.
package audio

import (
	"bytes"
	"time"
)

const (
	// SampleRate is the number of samples, and so of bytes, in one second of telephone audio.
	SampleRate = 8000
	// FrameDuration is the playing time of one frame.
	FrameDuration = 20 * time.Millisecond
	// FrameBytes is the length of one frame.
	FrameBytes = SampleRate / 1000 * 20
	// Silence is the µ-law sample of no sound.
	Silence byte = 0xFF
	// DefaultWPM is the default speed of speech, in words per minute.
	DefaultWPM = 170
)

// negativeZero is the other µ-law sample of no sound.
const negativeZero byte = 0x7F

// Duration returns the playing time of n bytes of audio.
func Duration(n int) time.Duration {
	return time.Duration(n) * time.Second / SampleRate
}

// Bytes returns the number of bytes that play during d.
func Bytes(d time.Duration) int {
	return int(d * SampleRate / time.Second)
}

// Quiet returns n bytes of silence.
func Quiet(n int) []byte {
	return bytes.Repeat([]byte{Silence}, n)
}

// Beep returns a sound without words that lasts d, rounded up to whole frames: the tone of an
// answering machine, or noise in a room.
func Beep(d time.Duration) []byte {
	out := make([]byte, (Bytes(d)+FrameBytes-1)/FrameBytes*FrameBytes)
	fill(out, 0)
	return out
}

// Silent reports whether p holds no sound at all. An empty p is silent.
func Silent(p []byte) bool {
	for _, b := range p {
		if b != Silence && b != negativeZero {
			return false
		}
	}
	return true
}
