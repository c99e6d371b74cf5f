package twilio

import "bytes"

// scanMedia reads a media message without allocating. It returns true only
// when it understood every byte: known keys once each, plain ASCII strings
// without escapes, a valid payload. On any surprise it returns false, leaves m
// in pieces, and the general decoder has the say.
func scanMedia(frame []byte, m *Message) bool {
	const event, sequence, stream, media = 1, 2, 4, 8
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
		case "event":
			var name []byte
			field = event
			name, ok = s.text()
			ok = ok && string(name) == "media"
		case "sequenceNumber":
			field = sequence
			m.Sequence, ok = s.number()
		case "streamSid":
			field = stream
			m.streamSID, ok = s.text()
		case "media":
			field = media
			ok = s.media(&m.Media)
		default:
			return false
		}
		if !ok || seen&field != 0 {
			return false
		}
		seen |= field
		if s.take(',') {
			continue
		}
		m.Event = EventMedia
		return s.take('}') && s.end() && seen&(event|media) == event|media
	}
}

// scanner reads the small part of JSON that media messages are made of.
type scanner struct {
	buf []byte
	at  int
}

func (s *scanner) media(m *Media) bool {
	const track, chunk, timestamp, payload = 1, 2, 4, 8
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
		case "track":
			field = track
			m.Track, ok = s.track()
		case "chunk":
			field = chunk
			m.Chunk, ok = s.number()
		case "timestamp":
			field = timestamp
			m.Timestamp, ok = s.number()
		case "payload":
			field = payload
			m.Payload, ok = s.payload()
		default:
			return false
		}
		if !ok || seen&field != 0 {
			return false
		}
		seen |= field
		if s.take(',') {
			continue
		}
		return s.take('}') && seen&payload != 0
	}
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

// track returns the constant, so that nothing is allocated for it.
func (s *scanner) track() (string, bool) {
	text, ok := s.text()
	switch {
	case !ok:
		return "", false
	case string(text) == "inbound":
		return "inbound", true
	case string(text) == "outbound":
		return "outbound", true
	default:
		return "", false
	}
}

// maxDigits is how many decimal digits surely fit an int64.
const maxDigits = 18

// number reads a whole number that is not negative, bare or in quotes.
func (s *scanner) number() (int64, bool) {
	quoted := s.take('"')
	start, n := s.at, int64(0)
	for s.at < len(s.buf) && s.buf[s.at] >= '0' && s.buf[s.at] <= '9' {
		n = n*10 + int64(s.buf[s.at]-'0')
		s.at++
		if s.at-start > maxDigits {
			return 0, false
		}
	}
	digits := s.at - start
	if digits == 0 || (!quoted && digits > 1 && s.buf[start] == '0') {
		return 0, false
	}
	if quoted {
		if s.at == len(s.buf) || s.buf[s.at] != '"' {
			return 0, false
		}
		s.at++
	}
	return n, true
}

func (s *scanner) payload() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	length := bytes.IndexByte(s.buf[s.at:], '"')
	if length < 0 {
		return nil, false
	}
	payload := s.buf[s.at : s.at+length : s.at+length]
	s.at += length + 1
	return payload, length > 0 && isBase64(payload)
}
