package elevenlabs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/telephony/internal/rest"
)

// Kind is the type of an event from the conversation's socket, by its name on the wire.
type Kind string

// The events that a phone call needs. KindUnknown is any other: ignore it, new ones appear often.
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

// ErrAudio is returned for an audio event whose audio is not base64. The conversation is intact:
// count the event, drop it, and read on.
var ErrAudio = errors.New("audio is not base64")

// Event is one event from the conversation's socket. Kind determines which fields are set.
type Event struct {
	Kind Kind
	// ID is the event_id: for a ping, the id to return; for audio and interruption, the reply that
	// it belongs to. 0 is a valid id.
	ID int64
	// Audio is base64, checked but not decoded, for KindAudio. It aliases the decoded frame, and is
	// valid until that is reused.
	Audio []byte
	// Text is what the user said, what the agent is going to say, or, for KindAgentCorrection, what
	// it did say.
	Text string
	// Original is what the agent was going to say, for KindAgentCorrection.
	Original string

	Metadata *Metadata // KindMetadata
	Tool     *Tool     // KindToolResponse
	Failure  *Failure  // KindError
}

// Metadata is the server's first event: the conversation exists.
type Metadata struct {
	ConversationID ConversationID
	// OutputFormat and InputFormat are the audio formats of the agent's speech and of the speech
	// that it accepts.
	OutputFormat, InputFormat string
}

// formatULaw is the only audio format that a phone line takes without conversion.
const formatULaw = "ulaw_8000"

// ULaw8k reports whether audio may be passed on unchanged in both directions. If not, end the call:
// the audio would be a loud noise in the person's ear.
func (m Metadata) ULaw8k() bool { return m.OutputFormat == formatULaw && m.InputFormat == formatULaw }

// ToolEndCall is the name of the tool by which the agent ends the conversation. The server closes
// after it; let audio that is still queued be heard first.
const ToolEndCall = "end_call"

// Tool is a tool that the agent used.
type Tool struct {
	Name    string
	IsError bool
	Called  bool // false for a tool that was requested but not run
}

// Failure is the reason why the server is about to close. See [CloseReason].
type Failure struct {
	Code    int // WebSocket close code, 0 when absent
	Type    string
	Message string
}

// Decode reads one text frame into e, which it overwrites; reuse e for the next frame.
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

// scanAudio reads an audio event whose known keys occur once each and whose audio has no escapes;
// other fields (alignments, mostly) are checked and skipped. On anything else it returns false; e
// is then undefined, and the caller falls back to encoding/json.
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
				case lowerCase(key): // encoding/json would match keys of other case
					s.Skip()
				}
			})
		default: // another event, or a new layout: left unread, which ends the scan
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

// wireBody is the body of an event. The type determines which fields are set.
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

// decodeSlow decodes every event in every layout into e.
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
	if raw == nil && kind == KindError { // older servers put its fields at the top level
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
