package llm

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting. A chunk is five deep; schemas in tool arguments
// travel as strings.
const maxDepth = 128

// scanner reads one JSON text in a single pass that checks all of it and
// builds nothing. Whoever asks for a value takes it exactly once, by object,
// array, str, integer or skip. The first mistake is sticky, in bad.
type scanner struct {
	data []byte
	pos  int
	bad  bool
	deep int
	// scratch holds strings that had to be decoded. Slices of it stay valid until
	// the next reset.
	scratch []byte
}

func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, scratch: s.scratch[:0]}
}

// finish reports whether the text was valid and is used up.
func (s *scanner) finish() bool {
	s.space()
	return !s.bad && s.pos == len(s.data)
}

func (s *scanner) fail() {
	s.bad = true
	s.pos = len(s.data)
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, or 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// take consumes b if it comes next.
func (s *scanner) take(b byte) bool {
	if s.peek() != b || s.pos == len(s.data) {
		return false
	}
	s.pos++
	return true
}

// object calls visit at the value of each key; visit takes the value. A value
// that is no object is skipped.
func (s *scanner) object(visit func(key []byte)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	if !s.enter() {
		return
	}
	defer s.leave()
	if s.take('}') {
		return
	}
	for s.peek() == '"' {
		key := s.str()
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

// array calls visit at each element; visit takes it. A value that is no array
// is skipped.
func (s *scanner) array(visit func(i int)) {
	if s.peek() != '[' {
		s.skip()
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

func (s *scanner) enter() bool {
	s.pos++
	s.deep++
	if s.deep > maxDepth {
		s.fail()
		return false
	}
	return true
}

func (s *scanner) leave() { s.deep-- }

// skip takes the next value, whatever it is.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
	case '{':
		s.object(func([]byte) { s.skip() })
	case '[':
		s.array(func(int) { s.skip() })
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

func (s *scanner) word(w string) {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		s.fail()
		return
	}
	s.pos += len(w)
}

// integer takes a value and returns it if it is a whole number that fits; all
// else is 0.
func (s *scanner) integer() int {
	if c := s.peek(); c != '-' && (c < '0' || c > '9') {
		s.skip()
		return 0
	}
	n, err := strconv.ParseInt(string(s.number()), 10, 64)
	if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
		return 0
	}
	return int(n)
}

// number takes a number and returns its text.
func (s *scanner) number() []byte {
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

// skipString takes a string without decoding it.
func (s *scanner) skipString() {
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return
		case c == '\\':
			s.escape(nil)
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

// str takes a value and returns the text of a string, as valid UTF-8, or nil
// for anything else. The slice lives as long as the data and the scratch do.
func (s *scanner) str() []byte {
	if s.peek() != '"' {
		s.skip()
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

// decode finishes a string that began at from and is plain up to s.pos.
func (s *scanner) decode(from int) []byte {
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
func (s *scanner) escape(out []byte) []byte {
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
func (s *scanner) unicode(out []byte) []byte {
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
