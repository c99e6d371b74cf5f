// Package jsonscan reads JSON in one pass that checks all of it and builds
// nothing. Requests, the chunks of a model's answer and the audio of calls go
// through it, where encoding/json takes several times as long.
package jsonscan

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth bounds nesting. A chunk is five deep; schemas in tool arguments
// travel as strings.
const MaxDepth = 128

// Scanner reads one JSON text in a single pass that checks all of it and
// builds nothing. Whoever asks for a value takes it exactly once, by Object,
// Array, Str, Integer, Bool or Skip. The first mistake is sticky; [Scanner.Finish]
// tells. The zero Scanner is ready for [Scanner.Reset]; one goroutine uses it.
type Scanner struct {
	data []byte
	pos  int
	bad  bool
	deep int
	// scratch holds strings that had to be decoded. Slices of it stay valid until
	// the next reset.
	scratch []byte
}

// Reset begins with another text, which must not change while it is read.
func (s *Scanner) Reset(data []byte) {
	*s = Scanner{data: data, scratch: s.scratch[:0]}
}

// Finish reports whether the text was valid and is used up.
func (s *Scanner) Finish() bool {
	s.space()
	return !s.bad && s.pos == len(s.data)
}

func (s *Scanner) fail() {
	s.bad = true
	s.pos = len(s.data)
}

func (s *Scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// Peek returns the first byte of the next value, or 0 at the end.
func (s *Scanner) Peek() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// take consumes b if it comes next.
func (s *Scanner) take(b byte) bool {
	if s.Peek() != b || s.pos == len(s.data) {
		return false
	}
	s.pos++
	return true
}

// Object calls visit at the value of each key; visit takes the value. A value
// that is no object is skipped.
func (s *Scanner) Object(visit func(key []byte)) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	if !s.enter() {
		return
	}
	defer s.leave()
	if s.take('}') {
		return
	}
	for s.Peek() == '"' {
		key := s.Str()
		if !s.take(':') {
			break
		}
		visit(key)
		if s.take(',') {
			continue
		}
		if s.take('}') {
			return
		}
		break
	}
	s.fail()
}

// Array calls visit at each element; visit takes it. A value that is no array
// is skipped.
func (s *Scanner) Array(visit func(i int)) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	if !s.enter() {
		return
	}
	defer s.leave()
	if s.take(']') {
		return
	}
	for i := 0; !s.bad; i++ {
		visit(i)
		if s.take(',') {
			continue
		}
		if s.take(']') {
			return
		}
		break
	}
	s.fail()
}

func (s *Scanner) enter() bool {
	s.pos++
	s.deep++
	if s.deep > MaxDepth {
		s.fail()
		return false
	}
	return true
}

func (s *Scanner) leave() { s.deep-- }

// Skip takes the next value, whatever it is.
func (s *Scanner) Skip() {
	switch s.Peek() {
	case '"':
		s.skipString()
	case '{':
		s.Object(func([]byte) { s.Skip() })
	case '[':
		s.Array(func(int) { s.Skip() })
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *Scanner) word(w string) {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		s.fail()
		return
	}
	s.pos += len(w)
}

// Integer takes a value and returns it if it is a whole number of 32 bits; all
// else is 0.
func (s *Scanner) Integer() int {
	n, ok := s.Int64()
	if !ok || n > math.MaxInt32 || n < math.MinInt32 {
		return 0
	}
	return int(n)
}

// Int64 takes a value and returns it; all but a whole number that fits is not ok.
func (s *Scanner) Int64() (n int64, ok bool) {
	if c := s.Peek(); c != '-' && (c < '0' || c > '9') {
		s.Skip()
		return 0, false
	}
	n, err := strconv.ParseInt(string(s.number()), 10, 64)
	return n, err == nil
}

// number takes a number and returns its text.
func (s *Scanner) number() []byte {
	from := s.pos
	at := func() byte {
		if s.pos < len(s.data) {
			return s.data[s.pos]
		}
		return 0
	}
	digits := func() bool {
		start := s.pos
		for c := at(); c >= '0' && c <= '9'; c = at() {
			s.pos++
		}
		return s.pos > start
	}
	if at() == '-' {
		s.pos++
	}
	if at() == '0' {
		s.pos++
	} else if !digits() {
		s.fail()
		return nil
	}
	if at() == '.' {
		s.pos++
		if !digits() {
			s.fail()
			return nil
		}
	}
	if c := at(); c == 'e' || c == 'E' {
		s.pos++
		if c := at(); c == '+' || c == '-' {
			s.pos++
		}
		if !digits() {
			s.fail()
			return nil
		}
	}
	return s.data[from:s.pos]
}

// Bool takes a value and returns it; all but true and false is not ok.
func (s *Scanner) Bool() (value, ok bool) {
	c := s.Peek()
	s.Skip()
	return c == 't', c == 't' || c == 'f'
}

// skipString takes a string without decoding it.
func (s *Scanner) skipString() {
	var unused [utf8.UTFMax]byte // what an escape stands for
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return
		case c == '\\':
			s.escape(unused[:0])
			if s.bad {
				return
			}
		case c < ' ':
			s.fail()
			return
		default:
			s.pos++
		}
	}
	s.fail()
}

// Str takes a value and returns the text of a string, as valid UTF-8, or nil
// for anything else. The slice lives as long as the data and the scratch do.
func (s *Scanner) Str() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	from := s.pos + 1
	for i := from; i < len(s.data); i++ {
		c := s.data[i]
		if c == '"' {
			s.pos = i + 1
			return s.data[from:i]
		}
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			s.pos = i
			return s.decode(from)
		}
	}
	s.fail()
	return nil
}

// Base64 takes a value and returns a string of padded standard base64, not
// decoded and not copied, or nil for anything else, such as the empty string or
// one with escapes.
func (s *Scanner) Base64() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	text := s.data[s.pos+1:]
	n := bytes.IndexByte(text, '"')
	if n <= 0 || !IsBase64(text[:n]) {
		s.skipString()
		return nil
	}
	s.pos += n + 2
	return text[:n:n]
}

// decode finishes a string that began at from and is plain up to s.pos.
func (s *Scanner) decode(from int) []byte {
	start := len(s.scratch)
	out := s.scratch
	out = append(out, s.data[from:s.pos]...)
	for s.pos < len(s.data) && !s.bad {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			s.scratch = out
			return out[start:len(out):len(out)]
		case c == '\\':
			out = s.escape(out)
		case c < ' ':
			s.fail()
		case c < utf8.RuneSelf:
			out = append(out, c)
			s.pos++
		default:
			// A byte that is no UTF-8 becomes U+FFFD, as in encoding/json.
			r, size := utf8.DecodeRune(s.data[s.pos:])
			out = utf8.AppendRune(out, r)
			s.pos += size
		}
	}
	s.fail()
	return nil
}

// escape takes the escape at s.pos and appends what it stands for.
func (s *Scanner) escape(out []byte) []byte {
	if s.pos+1 >= len(s.data) {
		s.fail()
		return out
	}
	c := s.data[s.pos+1]
	s.pos += 2
	switch c {
	case '"', '\\', '/':
		return append(out, c)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return s.unicode(out)
	default:
		s.fail()
		return out
	}
}

// unicode takes the digits after \u, with the second half of a surrogate pair
// if it follows. A half alone becomes U+FFFD.
func (s *Scanner) unicode(out []byte) []byte {
	r, ok := hex4(s.data[s.pos:])
	if !ok {
		s.fail()
		return out
	}
	s.pos += 4
	if utf16.IsSurrogate(r) {
		rest := s.data[s.pos:]
		if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
			if low, ok := hex4(rest[2:]); ok {
				if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
					s.pos += 6
					return utf8.AppendRune(out, whole)
				}
			}
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(out, r)
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
