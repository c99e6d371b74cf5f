package twilio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/telephony/internal/rest"
)

// Event is the kind of a Media Streams message, by its name on the wire.
type Event string

// The messages that Twilio sends. EventUnknown is any other: ignore it.
const (
	EventUnknown   Event = ""
	EventConnected Event = "connected"
	EventStart     Event = "start"
	EventMedia     Event = "media"
	EventDTMF      Event = "dtmf"
	EventMark      Event = "mark"
	EventStop      Event = "stop"
)

// ErrPayload is returned for a media message whose payload is not base64; one without a payload is
// [ErrMalformed]. In both cases the stream is intact: count the frame, drop it, and read on.
var ErrPayload = errors.New("media payload is not base64")

// Message is one message from Twilio. Event determines which field is set.
type Message struct {
	Event Event
	Start *Start // EventStart
	Media Media  // EventMedia
	Digit string // EventDTMF: the key that the person pressed
	// Mark is the name of a mark, for EventMark: everything sent before it was played, or was
	// discarded by a clear.
	Mark string
}

// Start identifies the call and the stream. It comes once, before any media.
type Start struct {
	CallSID   CallSID     `json:"callSid"`
	StreamSID StreamSID   `json:"streamSid"`
	Format    MediaFormat `json:"mediaFormat"`
	// Parameters are the parameters from the TwiML. Do not log them: one is a token.
	Parameters map[string]string `json:"customParameters"`
}

// MediaFormat describes the audio of a stream.
type MediaFormat struct {
	Encoding   string   `json:"encoding"`
	SampleRate rest.Int `json:"sampleRate"` // per second
	Channels   rest.Int `json:"channels"`
}

// ULaw8k reports whether the audio is mono µ-law at 8000 Hz, the only format that may be passed on
// without conversion. Twilio documents no other.
func (f MediaFormat) ULaw8k() bool {
	return f.Encoding == "audio/x-mulaw" && f.SampleRate == 8000 && f.Channels == 1
}

// Media is a piece of audio, usually 20 ms of it.
type Media struct {
	Outbound bool // audio that we have sent
	// Payload is the audio in base64, checked but not decoded. It aliases the decoded frame, and is
	// valid until that is reused.
	Payload []byte
}

const trackOutbound = "outbound"

// Decode reads one text frame into m, which it overwrites; reuse m for the next frame.
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

// scanMedia reads a media message in Twilio's own layout: only known keys, the significant ones
// once each, and a payload without escapes. On anything else it returns false; m is then undefined,
// and the caller falls back to encoding/json.
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
				default: // left unread, which ends the scan
				}
			})
		default:
		}
	})
	m.Event = EventMedia
	return s.Finish() && plain && seen&(event|payload) == event|payload
}

// decodeSlow decodes every message in every layout into m.
func decodeSlow(frame []byte, m *Message) error {
	var w struct {
		Event     Event     `json:"event"`
		StreamSID StreamSID `json:"streamSid"`
		Start     *Start    `json:"start"`
		Media     struct {
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
	if err := rest.Tolerant(json.Unmarshal(frame, &w)); err != nil || w.Event == "" {
		return fmt.Errorf("%w: message names no event, or is not JSON", ErrMalformed)
	}
	lacks := false
	switch w.Event {
	case EventConnected, EventStop:
	case EventStart:
		if lacks = w.Start == nil; !lacks {
			w.Start.StreamSID = cmp.Or(w.Start.StreamSID, w.StreamSID)
			lacks = w.Start.StreamSID == "" || w.Start.CallSID == ""
			m.Start = w.Start
		}
	case EventMedia:
		m.Media = Media{Outbound: w.Media.Track == trackOutbound, Payload: []byte(w.Media.Payload)}
		lacks = w.Media.Payload == ""
		if !jsonscan.IsBase64(m.Media.Payload) {
			return ErrPayload
		}
	case EventDTMF:
		m.Digit = w.DTMF.Digit
		lacks = m.Digit == ""
	case EventMark:
		m.Mark = w.Mark.Name
		lacks = m.Mark == ""
	default:
		return nil
	}
	if lacks {
		return fmt.Errorf("%w: %s without what belongs to it", ErrMalformed, w.Event)
	}
	m.Event = w.Event
	return nil
}

// AppendMedia appends a message that plays payload, which must be base64 of µ-law audio without a
// header, of any length. Twilio answers an invalid message with silence, not with an error, so
// payload must come from a decoder that checked it. Except for growing dst, it does not allocate.
func AppendMedia(dst []byte, sid StreamSID, payload []byte) []byte {
	dst = append(dst, `{"event":"media","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	dst = append(dst, `,"media":{"payload":"`...)
	dst = append(dst, payload...)
	return append(dst, `"}}`...)
}

// AppendMark appends a message that Twilio sends back once everything before it was played. Names
// should be unique on a stream, since a clear returns all marks that are pending.
func AppendMark(dst []byte, sid StreamSID, name string) []byte {
	dst = append(dst, `{"event":"mark","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	dst = append(dst, `,"mark":{"name":`...)
	dst = jsonscan.AppendString(dst, name)
	return append(dst, `}}`...)
}

// AppendClear appends a message that discards all audio not yet played.
func AppendClear(dst []byte, sid StreamSID) []byte {
	dst = append(dst, `{"event":"clear","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	return append(dst, '}')
}
