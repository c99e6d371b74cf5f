package twilio

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/telephony/internal/rest"
)

// Event is the kind of a Media Streams message.
type Event uint8

// The messages that Twilio sends. EventUnknown is one that is not known here:
// ignore it.
const (
	EventUnknown Event = iota
	EventConnected
	EventStart
	EventMedia
	EventDTMF
	EventMark
	EventStop
)

var eventNames = [...]string{"unknown", "connected", "start", "media", "dtmf", "mark", "stop"}

// String returns the event's name on the wire.
func (e Event) String() string { return eventNames[e] }

// ErrPayload is returned for a media message whose payload is not base64; one
// without any payload is [ErrMalformed]. In both cases the stream is intact:
// count it, drop the frame, read on.
var ErrPayload = errors.New("media payload is not base64")

// Message is one message from Twilio. Which field is set follows from Event.
type Message struct {
	Event Event
	Start *Start // EventStart
	Media Media  // EventMedia
	Digit string // EventDTMF: the key that the person pressed
	// Mark is the name of a mark, of EventMark: everything sent before it was
	// played, or was thrown away by a clear.
	Mark string
}

// Start says whose stream this is. It comes once, before any media.
type Start struct {
	CallSID   CallSID
	StreamSID StreamSID
	Format    MediaFormat
	// Parameters are those of the TwiML. Do not log them: one is a token.
	Parameters map[string]string
}

// MediaFormat describes the audio of a stream.
type MediaFormat struct {
	Encoding   string   `json:"encoding"`
	SampleRate rest.Int `json:"sampleRate"` // per second
	Channels   rest.Int `json:"channels"`
}

// ULaw8k reports whether the audio is mono µ-law at 8000 Hz, the only format
// that may be passed on untouched. Twilio documents no other.
func (f MediaFormat) ULaw8k() bool {
	return f.Encoding == "audio/x-mulaw" && f.SampleRate == 8000 && f.Channels == 1
}

// Media is a piece of audio, usually 20 ms of it.
type Media struct {
	Outbound bool // what we sent ourselves
	// Payload is the audio in base64, checked but not decoded. It aliases the
	// decoded frame, so it is good for as long as that is not reused.
	Payload []byte
}

const trackOutbound = "outbound"

// Decode reads one text frame into m, which it overwrites; reuse m for the next
// frame.
//
// A media message in the layout that Twilio sends costs no allocation and no
// decoding of the audio; encoding/json decodes everything else. Errors wrap
// [ErrPayload] or [ErrMalformed] and quote nothing of the frame.
func Decode(frame []byte, m *Message) error {
	*m = Message{}
	if scanMedia(frame, m) {
		return nil
	}
	*m = Message{}
	return decodeSlow(frame, m)
}

// scanMedia reads a media message in Twilio's own layout: known keys, those that
// count once, and a payload without escapes. On anything else it returns false; m
// is then undefined, and the caller falls back to encoding/json.
func scanMedia(frame []byte, m *Message) bool {
	const event, media, track, payload = 1, 2, 4, 8
	var s jsonscan.Scanner
	s.Reset(frame)
	seen, plain := 0, true
	take := func(key int, good bool) {
		plain = plain && good && seen&key == 0
		seen |= key
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "event":
			take(event, string(s.Str()) == "media")
		case "sequenceNumber", "streamSid":
			s.Skip()
		case "media":
			take(media, s.Peek() == '{')
			s.Object(func(key []byte) {
				switch string(key) {
				case "track":
					name := s.Str()
					m.Media.Outbound = string(name) == trackOutbound
					take(track, name != nil)
				case "chunk", "timestamp":
					s.Skip()
				case "payload":
					m.Media.Payload = s.Base64()
					take(payload, m.Media.Payload != nil)
				default: // not taken, which ends the scan
				}
			})
		default:
		}
	})
	m.Event = EventMedia
	return s.Finish() && plain && seen&(event|payload) == event|payload
}

type wireMessage struct {
	Event     string    `json:"event"`
	StreamSID StreamSID `json:"streamSid"`
	Start     *struct {
		CallSID    CallSID           `json:"callSid"`
		StreamSID  StreamSID         `json:"streamSid"`
		Format     MediaFormat       `json:"mediaFormat"`
		Parameters map[string]string `json:"customParameters"`
	} `json:"start"`
	Media struct {
		Track   string `json:"track"`
		Payload string `json:"payload"`
	} `json:"media"`
	DTMF struct {
		Digit string `json:"digit"`
	} `json:"dtmf"`
	Mark struct {
		Name string `json:"name"`
	} `json:"mark"`
}

// decodeSlow understands every message in every layout.
func decodeSlow(frame []byte, m *Message) error {
	var w wireMessage
	if err := rest.Tolerant(json.Unmarshal(frame, &w)); err != nil {
		return fmt.Errorf("%w: message is not JSON", ErrMalformed)
	}
	switch w.Event {
	case "":
		return fmt.Errorf("%w: message names no event", ErrMalformed)
	case "connected":
		m.Event = EventConnected
	case "start":
		return w.start(m)
	case "media":
		return w.media(m)
	case "dtmf":
		if w.DTMF.Digit == "" {
			return fmt.Errorf("%w: dtmf without a digit", ErrMalformed)
		}
		m.Event, m.Digit = EventDTMF, w.DTMF.Digit
	case "mark":
		if w.Mark.Name == "" {
			return fmt.Errorf("%w: mark without a name", ErrMalformed)
		}
		m.Event, m.Mark = EventMark, w.Mark.Name
	case "stop":
		m.Event = EventStop
	}
	return nil
}

func (w *wireMessage) start(m *Message) error {
	if w.Start == nil {
		return fmt.Errorf("%w: start without a body", ErrMalformed)
	}
	s := Start(*w.Start)
	if s.StreamSID == "" {
		s.StreamSID = w.StreamSID
	}
	if s.StreamSID == "" || s.CallSID == "" {
		return fmt.Errorf("%w: start names no stream or no call", ErrMalformed)
	}
	m.Event, m.Start = EventStart, &s
	return nil
}

func (w *wireMessage) media(m *Message) error {
	payload := []byte(w.Media.Payload)
	if len(payload) == 0 {
		return fmt.Errorf("%w: media without a payload", ErrMalformed)
	}
	if !jsonscan.IsBase64(payload) {
		return ErrPayload
	}
	m.Event, m.Media = EventMedia, Media{Outbound: w.Media.Track == trackOutbound, Payload: payload}
	return nil
}
