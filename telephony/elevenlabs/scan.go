package elevenlabs

import "bytes"

// scanAudio reads an audio event without allocating. It returns true only when
// the whole frame is valid JSON whose known keys come once each and whose audio
// is valid; what lies beside them (alignments, mostly) is checked and skipped.
// On any surprise it returns false, leaves e in pieces, and the general decoder
// has the say.
func scanAudio(frame []byte, e *Event) bool {
	const kind, audio = 1, 2
	s := scanner{buf: frame}
	if !s.take('{') {
		return false
	}
	for seen := 0; ; {
		key, ok := s.key()
		if !ok {
			return false
		}
		var field int
		switch string(key) {
		case "type":
			var name []byte
			field = kind
			name, ok = s.text()
			ok = ok && string(name) == "audio"
		case "audio_event":
			field = audio
			ok = s.audioEvent(e)
		default: // another event, or a layout that is new
			return false
		}
		if !ok || seen&field != 0 {
			return false
		}
		seen |= field
		if s.take(',') {
			continue
		}
		e.Kind = KindAudio
		return s.take('}') && s.end() && seen == kind|audio
	}
}

func (s *scanner) audioEvent(e *Event) bool {
	const id, audio = 1, 2
	if !s.take('{') {
		return false
	}
	for seen := 0; ; {
		key, ok := s.key()
		if !ok {
			return false
		}
		var field int
		switch string(key) {
		case "event_id":
			field = id
			e.ID, ok = s.number()
		case "audio_base_64":
			field = audio
			e.Audio, ok = s.audio()
		default:
			// encoding/json matches names regardless of case, so only a key that
			// is all lower case is surely none of the above.
			ok = lowerCase(key) && s.skip(maxDepth)
		}
		if !ok || seen&field != 0 {
			return false
		}
		seen |= field
		if s.take(',') {
			continue
		}
		return s.take('}') && seen&audio != 0
	}
}

func lowerCase(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// scanner reads JSON in place.
type scanner struct {
	buf []byte
	at  int
}

func (s *scanner) space() {
	for s.at < len(s.buf) {
		switch s.buf[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// take skips space and then c, if that is what comes.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.buf) && s.buf[s.at] == c {
		s.at++
		return true
	}
	return false
}

// next is the byte at hand, or 0 at the end, where no JSON has a 0.
func (s *scanner) next() byte {
	if s.at < len(s.buf) {
		return s.buf[s.at]
	}
	return 0
}

func (s *scanner) end() bool {
	s.space()
	return s.at == len(s.buf)
}

func (s *scanner) key() ([]byte, bool) {
	key, ok := s.text()
	return key, ok && s.take(':')
}

// text reads a string of printable ASCII without escapes.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for i := s.at; i < len(s.buf); i++ {
		switch c := s.buf[i]; {
		case c == '"':
			text := s.buf[s.at:i]
			s.at = i + 1
			return text, true
		case c < ' ' || c > '~' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// maxDigits is how many decimal digits surely fit an int64.
const maxDigits = 18

// number reads a whole number that is not negative.
func (s *scanner) number() (int64, bool) {
	s.space()
	start, n := s.at, int64(0)
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		n = n*10 + int64(c-'0')
		s.at++
		if s.at-start > maxDigits {
			return 0, false
		}
	}
	digits := s.at - start
	return n, digits > 0 && (digits == 1 || s.buf[start] != '0')
}

func (s *scanner) audio() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	length := bytes.IndexByte(s.buf[s.at:], '"')
	if length < 0 {
		return nil, false
	}
	audio := s.buf[s.at : s.at+length : s.at+length]
	s.at += length + 1
	return audio, length > 0 && isBase64(audio)
}
