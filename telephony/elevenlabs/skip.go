package elevenlabs

// maxDepth is how deep a skipped value may nest before the general decoder is
// asked. An alignment has a depth of 2.
const maxDepth = 8

// skip passes over one JSON value of any kind and reports whether it is valid,
// as strictly as encoding/json.
func (s *scanner) skip(depth int) bool {
	s.space()
	switch s.next() {
	case '{':
		return depth > 0 && s.skipObject(depth)
	case '[':
		return depth > 0 && s.skipArray(depth)
	case '"':
		return s.skipString()
	case 't':
		return s.skipWord("true")
	case 'f':
		return s.skipWord("false")
	case 'n':
		return s.skipWord("null")
	default:
		return s.skipNumber()
	}
}

func (s *scanner) skipObject(depth int) bool {
	s.at++
	if s.take('}') {
		return true
	}
	for {
		s.space()
		if s.next() != '"' || !s.skipString() || !s.take(':') || !s.skip(depth-1) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

func (s *scanner) skipArray(depth int) bool {
	s.at++
	if s.take(']') {
		return true
	}
	for {
		if !s.skip(depth - 1) {
			return false
		}
		if !s.take(',') {
			return s.take(']')
		}
	}
}

// skipString is at the opening quote. Bytes that are not UTF-8 pass, as they do
// in encoding/json.
func (s *scanner) skipString() bool {
	for s.at++; s.at < len(s.buf); s.at++ {
		switch c := s.buf[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return false
		case c == '\\':
			s.at++
			if !s.skipEscape() {
				return false
			}
		}
	}
	return false
}

// skipEscape is behind the backslash, and leaves the last byte to the caller.
func (s *scanner) skipEscape() bool {
	const hexDigits = 4
	switch s.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range hexDigits {
			s.at++
			if !isHex(s.next()) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) skipWord(word string) bool {
	if len(s.buf)-s.at < len(word) || string(s.buf[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) skipNumber() bool {
	if s.next() == '-' {
		s.at++
	}
	start := s.at
	switch digits := s.skipDigits(); {
	case digits == 0, digits > 1 && s.buf[start] == '0':
		return false
	}
	if s.next() == '.' {
		s.at++
		if s.skipDigits() == 0 {
			return false
		}
	}
	if c := s.next(); c != 'e' && c != 'E' {
		return true
	}
	s.at++
	if c := s.next(); c == '+' || c == '-' {
		s.at++
	}
	return s.skipDigits() > 0
}

func (s *scanner) skipDigits() int {
	start := s.at
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		s.at++
	}
	return s.at - start
}
