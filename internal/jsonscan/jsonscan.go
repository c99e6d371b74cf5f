// Package jsonscan reads JSON in one pass, with a complete check and without building values. It is
// used for requests, the chunks of a model's answer and the audio of calls, for which encoding/json
// takes several times as long.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth bounds nesting. A chunk has five levels; schemas in tool arguments are strings.
const MaxDepth = 128

// Scanner reads one JSON text in a single pass that checks all of it. Each value must be consumed
// exactly once, by Object, Array, Str, Integer, Int64, Bool, Base64 or Skip. The first error is
// sticky, and [Scanner.Finish] reports it. The zero Scanner is ready for [Scanner.Reset]. It must
// not be used concurrently.
type Scanner struct {
	data []byte
	pos  int
	bad  bool
	deep int
}

// Reset starts reading another text, which must not change while it is read.
func (s *Scanner) Reset(data []byte) {
	*s = Scanner{data: data}
}

// Finish reports whether the text was valid and fully read.
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

// take consumes b if it comes next, and reports whether it did.
func (s *Scanner) take(b byte) bool {
	if s.Peek() != b {
		return false
	}
	s.pos++
	return true
}

// Object calls visit for each key; visit must consume the key's value. A value that is not an
// object is skipped.
func (s *Scanner) Object(visit func(key []byte)) {
	s.each('{', '}', func(int) {
		if s.Peek() != '"' {
			s.fail()
			return
		}
		key := s.Str()
		if !s.take(':') {
			s.fail()
			return
		}
		visit(key)
	})
}

// Array calls visit for each element, which visit must consume. A value that is not an array is
// skipped.
func (s *Scanner) Array(visit func(i int)) { s.each('[', ']', visit) }

// each calls item for each part, between commas, of a value from begin to end.
func (s *Scanner) each(begin, end byte, item func(i int)) {
	if s.Peek() != begin {
		s.Skip()
		return
	}
	s.pos++
	if s.deep++; s.deep > MaxDepth {
		s.fail()
	}
	done := s.take(end)
	for i := 0; !done && !s.bad; i++ {
		item(i)
		if done = s.take(end); !done && !s.take(',') {
			s.fail()
		}
	}
	s.deep--
}

// Skip consumes the next value of any type.
func (s *Scanner) Skip() {
	switch s.Peek() {
	case '"':
		if text, escaped := s.text(); escaped && !json.Valid(s.data[s.pos-len(text)-2:s.pos]) {
			s.fail()
		}
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

// Integer consumes a value and returns it if it is a whole number of 32 bits, else 0.
func (s *Scanner) Integer() int {
	n, ok := s.Int64()
	if !ok || n > math.MaxInt32 || n < math.MinInt32 {
		return 0
	}
	return int(n)
}

// Int64 consumes a value and returns it; ok is false unless it is a whole number that fits.
func (s *Scanner) Int64() (n int64, ok bool) {
	if c := s.Peek(); c != '-' && (c < '0' || c > '9') {
		s.Skip()
		return 0, false
	}
	n, err := strconv.ParseInt(string(s.number()), 10, 64)
	return n, err == nil
}

// number consumes a number and returns its text.
func (s *Scanner) number() []byte {
	from := s.pos
	s.oneOf("-")
	if !s.oneOf("0") {
		s.digits()
	}
	if s.oneOf(".") {
		s.digits()
	}
	if s.oneOf("eE") {
		s.oneOf("+-")
		s.digits()
	}
	if s.bad {
		return nil
	}
	return s.data[from:s.pos]
}

// oneOf consumes the next byte if it is in set, and reports whether it did.
func (s *Scanner) oneOf(set string) bool {
	if s.pos == len(s.data) || strings.IndexByte(set, s.data[s.pos]) < 0 {
		return false
	}
	s.pos++
	return true
}

// digits consumes one or more digits.
func (s *Scanner) digits() {
	from := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == from {
		s.fail()
	}
}

// Bool consumes a value and returns it; ok is false unless it is true or false.
func (s *Scanner) Bool() (value, ok bool) {
	c := s.Peek()
	s.Skip()
	return c == 't', c == 't' || c == 'f'
}

// text consumes the next string and returns the text between its quotes, with its escapes, which
// are not checked.
func (s *Scanner) text() (text []byte, escaped bool) {
	from := s.pos + 1
	for i := from; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return s.data[from:i:i], escaped
		case c == '\\':
			escaped = true
			i++ // the escaped byte may be a quote
		case c < ' ':
			s.fail()
			return nil, false
		}
	}
	s.fail()
	return nil, false
}

// Str consumes a value and returns the text of a string, as valid UTF-8, or nil for anything else.
// The slice is valid as long as the data.
func (s *Scanner) Str() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	text, escaped := s.text()
	if !escaped && utf8.Valid(text) {
		return text
	}
	var decoded string
	if json.Unmarshal(s.data[s.pos-len(text)-2:s.pos], &decoded) != nil {
		s.fail()
		return nil
	}
	return []byte(decoded)
}

// Base64 consumes a value and returns a string of padded standard base64, not decoded and not
// copied, or nil for anything else, including the empty string and strings with escapes.
func (s *Scanner) Base64() []byte {
	if s.Peek() == '"' {
		rest := s.data[s.pos+1:]
		if n := bytes.IndexByte(rest, '"'); n > 0 && IsBase64(rest[:n]) {
			s.pos += n + 2
			return rest[:n:n]
		}
	}
	s.Skip()
	return nil
}

// AppendString appends s as a JSON string. For printable ASCII without quotes and backslashes it
// does not allocate, except for growing dst.
func AppendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("jsonscan: a string does not marshal: " + err.Error()) // it always marshals
			}
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// notBase64 is 0 for the bytes of the standard base64 alphabet and 1 for all
// others, padding included.
var notBase64 = func() (table [256]byte) {
	for i := range table {
		table[i] = 1
	}
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		table[c] = 0
	}
	return table
}()

// IsBase64 reports whether b is padded standard base64, without decoding it. Empty input counts as
// base64.
func IsBase64(b []byte) bool {
	if len(b)%4 != 0 {
		return false
	}
	if n := len(b); n > 0 && b[n-1] == '=' {
		b = b[:n-1]
		if b[n-2] == '=' {
			b = b[:n-2]
		}
	}
	var bad byte
	for _, c := range b {
		bad |= notBase64[c]
	}
	return bad == 0
}
