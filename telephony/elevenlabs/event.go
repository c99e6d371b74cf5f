package elevenlabs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/naiber/naiber/internal/jsonscan"
	"github.com/naiber/naiber/telephony/internal/rest"
)

// Kind is the type of an event from the conversation's socket.
type Kind uint8

// The events that a phone call has use for. KindUnknown is any other: ignore
// it, new ones appear often.
const (
	KindUnknown Kind = iota
	KindMetadata
	KindPing
	KindAudio
	KindUserTranscript
	KindAgentResponse
	KindAgentCorrection
	KindInterruption
	KindToolResponse
	KindError
)

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

// wireEvent is an event in any layout: its type, and a body under a key of its own.
type wireEvent struct {
	Type         string    `json:"type"`
	Metadata     *wireBody `json:"conversation_initiation_metadata_event"`
	Ping         *wireBody `json:"ping_event"`
	Audio        *wireBody `json:"audio_event"`
	User         *wireBody `json:"user_transcription_event"`
	Agent        *wireBody `json:"agent_response_event"`
	Correction   *wireBody `json:"agent_response_correction_event"`
	Interruption *wireBody `json:"interruption_event"`
	Tool         *wireBody `json:"agent_tool_response"`
	Error        *wireBody `json:"error_event"`
	wireFailure            // older servers put it at the top
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
	wireFailure
}

type wireFailure struct {
	Code      rest.Int `json:"code"`
	ErrorType string   `json:"error_type"`
	Message   string   `json:"message"`
}

// body returns the kind of an event and its body, nil where that is missing.
func (w *wireEvent) body() (Kind, *wireBody) {
	switch w.Type {
	case "conversation_initiation_metadata":
		return KindMetadata, w.Metadata
	case "ping":
		return KindPing, w.Ping
	case "audio":
		return KindAudio, w.Audio
	case "user_transcript":
		return KindUserTranscript, w.User
	case "agent_response":
		return KindAgentResponse, w.Agent
	case "agent_response_correction":
		return KindAgentCorrection, w.Correction
	case "interruption":
		return KindInterruption, w.Interruption
	case "agent_tool_response":
		return KindToolResponse, w.Tool
	case "error":
		if w.Error == nil {
			return KindError, &wireBody{wireFailure: w.wireFailure}
		}
		return KindError, w.Error
	default:
		return KindUnknown, &wireBody{}
	}
}

// decodeSlow understands every event in every layout.
func decodeSlow(frame []byte, e *Event) error {
	var w wireEvent
	if err := rest.Tolerant(json.Unmarshal(frame, &w)); err != nil {
		return fmt.Errorf("%w: event is not JSON", ErrMalformed)
	}
	if w.Type == "" {
		return fmt.Errorf("%w: event has no type", ErrMalformed)
	}
	kind, body := w.body()
	if body == nil {
		return fmt.Errorf("%w: %s without a body", ErrMalformed, w.Type)
	}
	e.Kind, e.ID = kind, int64(body.ID)
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
			return fmt.Errorf("%w: %s names no tool", ErrMalformed, w.Type)
		}
		e.Tool = &Tool{Name: body.ToolName, IsError: body.IsError, Called: body.Called == nil || *body.Called}
	case KindError:
		e.Failure = &Failure{Code: int(body.Code), Type: body.ErrorType, Message: body.Message}
	case KindUnknown, KindPing, KindInterruption:
	}
	return nil
}
