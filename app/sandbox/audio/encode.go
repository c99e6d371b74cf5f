package audio

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The bytes of the magic never occur in UTF-8, and as samples they are soft. Only the first of
// them is special to the decoder.
const (
	magic0 byte   = 0xC1
	magic  string = "\xC1\xF9\xC0\xFB"
)

// Flags of a frame's text.
const (
	flagStart   byte = 1 << iota // the first frame of an utterance
	flagWordEnd                  // the text ends a word
	flagEnd                      // the last frame of an utterance
	flagsAll    = flagStart | flagWordEnd | flagEnd
)

// maxText is the longest text in one frame, in bytes. Only very fast speech comes near it.
const maxText = 120

// charsPerWord converts words per minute to characters: five letters and a space, the usual
// convention of typists.
const charsPerWord = 6

// Encode returns text spoken at wpm words per minute ([DefaultWPM] if wpm is not positive), as
// whole frames. White space is folded into single spaces; text without a word gives nil.
func Encode(text string, wpm int) []byte {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if text == "" {
		return nil
	}
	if wpm <= 0 {
		wpm = DefaultWPM
	}
	perChar := time.Minute / time.Duration(wpm*charsPerWord)
	frames := int((time.Duration(utf8.RuneCountInString(text))*perChar + FrameDuration - 1) / FrameDuration)
	out := make([]byte, 0, frames*FrameBytes)
	spoken := time.Duration(0)
	for f := 0; f < frames || text != ""; f++ {
		due := time.Duration(f+1) * FrameDuration
		n := 0
		for n < len(text) && spoken < due {
			_, size := utf8.DecodeRuneInString(text[n:])
			if n+size > maxText {
				break
			}
			n += size
			spoken += perChar
		}
		flags := byte(0)
		if f == 0 {
			flags |= flagStart
		}
		if n > 0 && text[n-1] != ' ' && (n == len(text) || text[n] == ' ') {
			flags |= flagWordEnd
		}
		if n == len(text) && f >= frames-1 {
			flags |= flagEnd
		}
		out = appendFrame(out, flags, text[:n])
		text = text[n:]
	}
	return out
}

// appendFrame appends one frame that carries text.
func appendFrame(dst []byte, flags byte, text string) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = append(dst, flags, byte(len(text))) //nolint:gosec // at most maxText
	dst = append(dst, text...)
	dst = append(dst, sum(flags, text))
	head := len(dst)
	dst = append(dst, make([]byte, FrameBytes-(head-start))...)
	fill(dst[head:], start)
	return dst
}

// sum returns the checksum of a frame's fields. It is below 0x80, so that it can be neither magic
// nor silence.
func sum(flags byte, text string) byte {
	s := uint32(flags) + 31*uint32(len(text)) //nolint:gosec // a text is at most 120 bytes
	for i := range len(text) {
		s = s*31 + uint32(text[i])
	}
	return byte(s % 0x7F)
}

// fill writes voice-like samples of medium loudness and both signs to p, the same for the same
// seed.
func fill(p []byte, seed int) {
	x := uint32(seed)*2654435761 + 1 //nolint:gosec // any seed will do
	for i := range p {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		p[i] = 0x20 | byte(x&0x9F) // 0x20–0x3F or 0xA0–0xBF: never magic, never silence
	}
}
