package twilio

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
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
func (e Event) String() string {
	if int(e) < len(eventNames) {
		return eventNames[e]
	}
	return eventNames[EventUnknown]
}

// ErrPayload is returned for a media message whose payload is not base64; one
// without any payload is [ErrMalformed]. In both cases the stream is intact:
// count it, drop the frame, read on.
var ErrPayload = errors.New("media payload is not base64")

// Message is one message from Twilio. Which field is set follows from Event.
type Message struct {
	Event Event
	// Name is the event as it came, for EventUnknown only.
	Name string
	// Sequence counts messages from start = 1; 0 when absent.
	Sequence int64

	Connected *Connected // EventConnected
	Start     *Start     // EventStart
	Media     Media      // EventMedia
	DTMF      *DTMF      // EventDTMF
	Mark      *Mark      // EventMark
	Stop      *Stop      // EventStop

	streamSID []byte
}

// OnStream reports whether the message says that it belongs to stream sid, or
// says nothing about it. It does not allocate.
func (m *Message) OnStream(sid StreamSID) bool {
	return len(m.streamSID) == 0 || string(m.streamSID) == string(sid)
}

// StreamSID returns the stream that the message names, or "".
func (m *Message) StreamSID() StreamSID { return StreamSID(m.streamSID) }

// Connected is the first message on the socket.
type Connected struct {
	Protocol, Version string
}

// Start says whose stream this is. It comes once, before any media.
type Start struct {
	AccountSID AccountSID
	CallSID    CallSID
	StreamSID  StreamSID
	Tracks     []string
	Format     MediaFormat
	// Parameters are those of the TwiML. Do not log them: one is a token.
	Parameters map[string]string
}

// MediaFormat describes the audio of a stream.
type MediaFormat struct {
	Encoding   string
	SampleRate int64 // per second
	Channels   int64
}

// ULaw8k reports whether the audio is mono µ-law at 8000 Hz, the only format
// that may be passed on untouched. Twilio documents no other.
func (f MediaFormat) ULaw8k() bool {
	return f.Encoding == "audio/x-mulaw" && f.SampleRate == 8000 && f.Channels == 1
}

// Media is a piece of audio, usually 20 ms of it.
type Media struct {
	Track string // "inbound" or "outbound"
	// Chunk counts a track's pieces from 1; 0 when absent.
	Chunk int64
	// Timestamp is in milliseconds since the stream began.
	Timestamp int64
	// Payload is the audio in base64, checked but not decoded. It aliases the
	// decoded frame, so it is good for as long as that is not reused.
	Payload []byte
}

// DTMF is a key that the person pressed.
type DTMF struct {
	Digit string
}

// Mark comes back when everything sent before the mark was played, or was
// thrown away by a clear.
type Mark struct {
	Name string
}

// Stop is the last message of a stream. It may be missing.
type Stop struct {
	AccountSID AccountSID
	CallSID    CallSID
}

// Decode reads one text frame into m, which it overwrites; reuse m for the next
// frame.
//
// A media message in the layout that Twilio sends costs no allocation and no
// decoding of the audio. Everything else takes the general way. Errors wrap
// [ErrPayload] or [ErrMalformed] and quote nothing of the frame.
func Decode(frame []byte, m *Message) error {
	*m = Message{}
	if scanMedia(frame, m) {
		return nil
	}
	*m = Message{}
	return decodeSlow(frame, m)
}

type wireMessage struct {
	Event     string     `json:"event"`
	Sequence  lenientInt `json:"sequenceNumber"`
	StreamSID string     `json:"streamSid"`
	Protocol  string     `json:"protocol"`
	Version   string     `json:"version"`
	Start     *struct {
		AccountSID AccountSID `json:"accountSid"`
		CallSID    CallSID    `json:"callSid"`
		StreamSID  StreamSID  `json:"streamSid"`
		Tracks     []string   `json:"tracks"`
		Format     struct {
			Encoding   string     `json:"encoding"`
			SampleRate lenientInt `json:"sampleRate"`
			Channels   lenientInt `json:"channels"`
		} `json:"mediaFormat"`
		Parameters map[string]string `json:"customParameters"`
	} `json:"start"`
	Media *struct {
		Track     string     `json:"track"`
		Chunk     lenientInt `json:"chunk"`
		Timestamp lenientInt `json:"timestamp"`
		Payload   string     `json:"payload"`
	} `json:"media"`
	DTMF *struct {
		Digit string `json:"digit"`
	} `json:"dtmf"`
	Mark *struct {
		Name string `json:"name"`
	} `json:"mark"`
	Stop *struct {
		AccountSID AccountSID `json:"accountSid"`
		CallSID    CallSID    `json:"callSid"`
	} `json:"stop"`
}

// decodeSlow understands every message in every layout.
func decodeSlow(frame []byte, m *Message) error {
	var w wireMessage
	if err := tolerant(json.Unmarshal(frame, &w)); err != nil {
		return fmt.Errorf("%w: message is not JSON", ErrMalformed)
	}
	m.Sequence = int64(w.Sequence)
	if w.StreamSID != "" {
		m.streamSID = []byte(w.StreamSID)
	}
	switch w.Event {
	case "":
		return fmt.Errorf("%w: message names no event", ErrMalformed)
	case "connected":
		m.Event, m.Connected = EventConnected, &Connected{Protocol: w.Protocol, Version: w.Version}
	case "start":
		return w.start(m)
	case "media":
		return w.media(m)
	case "dtmf":
		if w.DTMF == nil || w.DTMF.Digit == "" {
			return fmt.Errorf("%w: dtmf without a digit", ErrMalformed)
		}
		m.Event, m.DTMF = EventDTMF, &DTMF{Digit: w.DTMF.Digit}
	case "mark":
		if w.Mark == nil || w.Mark.Name == "" {
			return fmt.Errorf("%w: mark without a name", ErrMalformed)
		}
		m.Event, m.Mark = EventMark, &Mark{Name: w.Mark.Name}
	case "stop":
		m.Event, m.Stop = EventStop, &Stop{}
		if w.Stop != nil {
			*m.Stop = Stop{AccountSID: w.Stop.AccountSID, CallSID: w.Stop.CallSID}
		}
	default:
		m.Name = w.Event
	}
	return nil
}

func (w *wireMessage) start(m *Message) error {
	if w.Start == nil {
		return fmt.Errorf("%w: start without a body", ErrMalformed)
	}
	s := &Start{
		AccountSID: w.Start.AccountSID, CallSID: w.Start.CallSID, StreamSID: w.Start.StreamSID,
		Tracks: w.Start.Tracks, Parameters: w.Start.Parameters,
		Format: MediaFormat{
			Encoding: w.Start.Format.Encoding, SampleRate: int64(w.Start.Format.SampleRate),
			Channels: int64(w.Start.Format.Channels),
		},
	}
	if s.StreamSID == "" {
		s.StreamSID = StreamSID(w.StreamSID)
	}
	if s.StreamSID == "" || s.CallSID == "" {
		return fmt.Errorf("%w: start names no stream or no call", ErrMalformed)
	}
	m.Event, m.Start = EventStart, s
	return nil
}

func (w *wireMessage) media(m *Message) error {
	if w.Media == nil || w.Media.Payload == "" {
		return fmt.Errorf("%w: media without a payload", ErrMalformed)
	}
	payload := []byte(w.Media.Payload)
	if !isBase64(payload) {
		return ErrPayload
	}
	m.Event = EventMedia
	m.Media = Media{
		Track: w.Media.Track, Chunk: int64(w.Media.Chunk), Timestamp: int64(w.Media.Timestamp), Payload: payload,
	}
	return nil
}

// lenientInt takes a whole number as a number or as a string, as Twilio sends
// both. Anything else counts as 0: audio is not dropped over a counter.
type lenientInt int64

// UnmarshalJSON implements [json.Unmarshaler] and never fails.
func (n *lenientInt) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = lenientInt(v)
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < math.MaxInt64/2 {
		*n = lenientInt(f)
	}
	return nil
}
