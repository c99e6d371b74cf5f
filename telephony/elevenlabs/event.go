package elevenlabs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/telephony/internal/rest"
)

// Kind is the type of an event from the conversation's socket, as it is called on
// the wire.
type Kind string

// The events that a phone call has use for. KindUnknown is any other: ignore
// it, new ones appear often.
const (
	KindUnknown         Kind = ""
	KindMetadata        Kind = "conversation_initiation_metadata"
	KindPing            Kind = "ping"
	KindAudio           Kind = "audio"
	KindUserTranscript  Kind = "user_transcript"
	KindAgentResponse   Kind = "agent_response"
	KindAgentCorrection Kind = "agent_response_correction"
	KindInterruption    Kind = "interruption"
	KindToolResponse    Kind = "agent_tool_response"
	KindError           Kind = "error"
)

// bodyKeys holds the key of each event's body.
var bodyKeys = map[Kind]string{
	KindMetadata:        "conversation_initiation_metadata_event",
	KindPing:            "ping_event",
	KindAudio:           "audio_event",
	KindUserTranscript:  "user_transcription_event",
	KindAgentResponse:   "agent_response_event",
	KindAgentCorrection: "agent_response_correction_event",
	KindInterruption:    "interruption_event",
	KindToolResponse:    "agent_tool_response",
	KindError:           "error_event",
}

// ErrAudio is returned for an audio event whose audio is not base64. The
// conversation is intact: count it, drop the event, read on.
var ErrAudio = errors.New("audio is not base64")

// Event is one event from the conversation's socket. Which fields are set
// follows from Kind.
type Event struct {
	Kind Kind
	// ID is the event_id: of a ping, to be returned; of audio and interruption,
	// which reply it belongs to. It may well be 0.
	ID int64
	// Audio is base64, checked but not decoded, of KindAudio. It aliases the
	// decoded frame, so it is good for as long as that is not reused.
	Audio []byte
	// Text is what the user said, what the agent is going to say, or, of
	// KindAgentCorrection, what it did say.
	Text string
	// Original is what the agent was going to say, of KindAgentCorrection.
	Original string

	Metadata *Metadata // KindMetadata
	Tool     *Tool     // KindToolResponse
	Failure  *Failure  // KindError
}

// Metadata is the server's first event: the conversation exists.
type Metadata struct {
	ConversationID ConversationID
	// OutputFormat and InputFormat are the formats of what the agent says and of
	// what it wants to hear.
	OutputFormat, InputFormat string
}

// formatULaw is the one audio format that a phone line can take as it is.
const formatULaw = "ulaw_8000"

// ULaw8k reports whether audio may be passed on untouched in both directions.
// When it may not, end the call: it would be a loud noise in someone's ear.
func (m Metadata) ULaw8k() bool { return m.OutputFormat == formatULaw && m.InputFormat == formatULaw }

// ToolEndCall is the name of the tool by which the agent ends the conversation.
// The server closes after it; audio that is still queued is to be heard first.
const ToolEndCall = "end_call"

// Tool is a tool that was used.
type Tool struct {
	Name    string
	IsError bool
	Called  bool // false for a tool that was asked for but not run
}

// Failure says why the server is about to close. See [CloseReason].
type Failure struct {
	Code    int // WebSocket close code, 0 when absent
	Type    string
	Message string
}

// Decode reads one text frame into e, which it overwrites; reuse e for the next
// frame.
//
// An audio event costs no allocation and no decoding of the audio; encoding/json
// decodes everything else. Errors wrap [ErrAudio] or [ErrMalformed] and quote
// nothing of the frame.
func Decode(frame []byte, e *Event) error {
	*e = Event{}
	if scanAudio(frame, e) {
		return nil
	}
	*e = Event{}
	return decodeSlow(frame, e)
}

// scanAudio reads an audio event whose known keys come once each and whose audio
// has no escapes; what lies next to them (alignments, mostly) is checked and
// skipped. On anything else it returns false; e is then undefined, and the caller
// falls back to encoding/json.
func scanAudio(frame []byte, e *Event) bool {
	const kind, body, id, audio = 1, 2, 4, 8
	var s jsonscan.Scanner
	s.Reset(frame)
	seen, plain := 0, true
	take := func(key int, good bool) {
		plain = plain && good && seen&key == 0
		seen |= key
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			take(kind, string(s.Str()) == "audio")
		case "audio_event":
			take(body, s.Peek() == '{')
			s.Object(func(key []byte) {
				switch {
				case string(key) == "event_id":
					n, whole := s.Int64()
					e.ID = n
					take(id, whole)
				case string(key) == "audio_base_64":
					e.Audio = s.Base64()
					take(audio, e.Audio != nil)
				case lowerCase(key): // encoding/json would match the others regardless of case
					s.Skip()
				}
			})
		default: // another event, or a new layout: not taken, which ends the scan
		}
	})
	e.Kind = KindAudio
	return s.Finish() && plain && seen&(kind|audio) == kind|audio
}

func lowerCase(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// wireBody is the body of an event. Which fields are set follows from the type.
type wireBody struct {
	ID             rest.Int       `json:"event_id"`
	ConversationID ConversationID `json:"conversation_id"`
	OutputFormat   string         `json:"agent_output_audio_format"`
	InputFormat    string         `json:"user_input_audio_format"`
	Audio          string         `json:"audio_base_64"`
	UserText       string         `json:"user_transcript"`
	AgentText      string         `json:"agent_response"`
	Corrected      string         `json:"corrected_agent_response"`
	Original       string         `json:"original_agent_response"`
	ToolName       string         `json:"tool_name"`
	IsError        bool           `json:"is_error"`
	Called         *bool          `json:"is_called"`
	Code           rest.Int       `json:"code"`
	ErrorType      string         `json:"error_type"`
	Message        string         `json:"message"`
}

// decodeSlow understands every event in every layout.
func decodeSlow(frame []byte, e *Event) error {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(frame, &parts); err != nil {
		return fmt.Errorf("%w: event is not a JSON object", ErrMalformed)
	}
	var kind Kind
	if err := json.Unmarshal(parts["type"], &kind); err != nil || kind == "" {
		return fmt.Errorf("%w: event has no type", ErrMalformed)
	}
	key, known := bodyKeys[kind]
	if !known {
		return nil
	}
	raw, body := parts[key], (*wireBody)(nil)
	if raw == nil && kind == KindError { // older servers put it at the top
		raw = frame
	}
	if err := rest.Tolerant(json.Unmarshal(raw, &body)); err != nil || body == nil {
		return fmt.Errorf("%w: %s without a body", ErrMalformed, kind)
	}
	e.ID = int64(body.ID)
	switch kind {
	case KindMetadata:
		if body.ConversationID == "" {
			return fmt.Errorf("%w: metadata names no conversation", ErrMalformed)
		}
		e.Metadata = &Metadata{ConversationID: body.ConversationID, OutputFormat: body.OutputFormat, InputFormat: body.InputFormat}
	case KindAudio:
		if body.Audio == "" {
			return fmt.Errorf("%w: audio without any", ErrMalformed)
		}
		if e.Audio = []byte(body.Audio); !jsonscan.IsBase64(e.Audio) {
			return ErrAudio
		}
	case KindUserTranscript:
		e.Text = body.UserText
	case KindAgentResponse:
		e.Text = body.AgentText
	case KindAgentCorrection:
		e.Text, e.Original = body.Corrected, body.Original
	case KindToolResponse:
		if body.ToolName == "" {
			return fmt.Errorf("%w: %s names no tool", ErrMalformed, kind)
		}
		e.Tool = &Tool{Name: body.ToolName, IsError: body.IsError, Called: body.Called == nil || *body.Called}
	case KindError:
		e.Failure = &Failure{Code: int(body.Code), Type: body.ErrorType, Message: body.Message}
	case KindUnknown, KindPing, KindInterruption:
	}
	e.Kind = kind
	return nil
}
