package elevenlabs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
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
	KindClientToolCall
	KindError
)

var kindNames = [...]string{
	"unknown", "conversation_initiation_metadata", "ping", "audio", "user_transcript", "agent_response",
	"agent_response_correction", "interruption", "agent_tool_response", "client_tool_call", "error",
}

// String returns the event's type on the wire.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// ErrAudio is returned for an audio event whose audio is not base64. The
// conversation is intact: count it, drop the event, read on.
var ErrAudio = errors.New("audio is not base64")

// Event is one event from the conversation's socket. Which fields are set
// follows from Kind.
type Event struct {
	Kind Kind
	// Type is the event's type as it came, for KindUnknown only.
	Type string
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
	Tool     *Tool     // KindToolResponse and KindClientToolCall
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

// Tool is a tool that was used, or is to be used by us.
type Tool struct {
	Name, CallID string
	// Type is "system", "client", …; of KindToolResponse.
	Type    string
	IsError bool
	// Called is false for a tool that was asked for but not run.
	Called bool
	// Parameters are the arguments, of KindClientToolCall.
	Parameters json.RawMessage
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
// An audio event costs no allocation and no decoding of the audio. Everything
// else takes the general way. Errors wrap [ErrAudio] or [ErrMalformed] and
// quote nothing of the frame.
func Decode(frame []byte, e *Event) error {
	*e = Event{}
	if scanAudio(frame, e) {
		return nil
	}
	*e = Event{}
	return decodeSlow(frame, e)
}

type wireEvent struct {
	Type     string `json:"type"`
	Metadata *struct {
		ConversationID ConversationID `json:"conversation_id"`
		OutputFormat   string         `json:"agent_output_audio_format"`
		InputFormat    string         `json:"user_input_audio_format"`
	} `json:"conversation_initiation_metadata_event"`
	Ping *struct {
		ID lenientInt `json:"event_id"`
	} `json:"ping_event"`
	Audio *struct {
		ID    lenientInt `json:"event_id"`
		Audio string     `json:"audio_base_64"`
	} `json:"audio_event"`
	User *struct {
		ID   lenientInt `json:"event_id"`
		Text string     `json:"user_transcript"`
	} `json:"user_transcription_event"`
	Agent *struct {
		ID   lenientInt `json:"event_id"`
		Text string     `json:"agent_response"`
	} `json:"agent_response_event"`
	Correction *struct {
		ID       lenientInt `json:"event_id"`
		Text     string     `json:"corrected_agent_response"`
		Original string     `json:"original_agent_response"`
	} `json:"agent_response_correction_event"`
	Interruption *struct {
		ID lenientInt `json:"event_id"`
	} `json:"interruption_event"`
	ToolResponse *wireTool    `json:"agent_tool_response"`
	ClientTool   *wireTool    `json:"client_tool_call"`
	Error        *wireFailure `json:"error_event"`
	wireFailure               // older servers put it at the top
}

type wireTool struct {
	ID         lenientInt      `json:"event_id"`
	Name       string          `json:"tool_name"`
	CallID     string          `json:"tool_call_id"`
	Type       string          `json:"tool_type"`
	IsError    bool            `json:"is_error"`
	Called     *bool           `json:"is_called"`
	Parameters json.RawMessage `json:"parameters"`
}

type wireFailure struct {
	Code      lenientInt `json:"code"`
	ErrorType string     `json:"error_type"`
	Message   string     `json:"message"`
}

// decodeSlow understands every event in every layout.
func decodeSlow(frame []byte, e *Event) error {
	var w wireEvent
	if err := tolerant(json.Unmarshal(frame, &w)); err != nil {
		return fmt.Errorf("%w: event is not JSON", ErrMalformed)
	}
	switch w.Type {
	case "":
		return fmt.Errorf("%w: event has no type", ErrMalformed)
	case "audio":
		return w.audio(e)
	case "ping":
		if w.Ping == nil {
			return missing(w.Type)
		}
		e.Kind, e.ID = KindPing, int64(w.Ping.ID)
	case "conversation_initiation_metadata":
		return w.metadata(e)
	case "user_transcript":
		if w.User == nil {
			return missing(w.Type)
		}
		e.Kind, e.ID, e.Text = KindUserTranscript, int64(w.User.ID), w.User.Text
	case "agent_response":
		if w.Agent == nil {
			return missing(w.Type)
		}
		e.Kind, e.ID, e.Text = KindAgentResponse, int64(w.Agent.ID), w.Agent.Text
	case "agent_response_correction":
		if w.Correction == nil {
			return missing(w.Type)
		}
		e.Kind, e.ID = KindAgentCorrection, int64(w.Correction.ID)
		e.Text, e.Original = w.Correction.Text, w.Correction.Original
	case "interruption":
		if w.Interruption == nil {
			return missing(w.Type)
		}
		e.Kind, e.ID = KindInterruption, int64(w.Interruption.ID)
	case "agent_tool_response":
		return w.ToolResponse.event(e, KindToolResponse)
	case "client_tool_call":
		return w.ClientTool.event(e, KindClientToolCall)
	case "error":
		w.failure(e)
	default:
		e.Type = w.Type
	}
	return nil
}

func missing(eventType string) error {
	return fmt.Errorf("%w: %s without a body", ErrMalformed, eventType)
}

func (w *wireEvent) audio(e *Event) error {
	if w.Audio == nil || w.Audio.Audio == "" {
		return missing(w.Type)
	}
	audio := []byte(w.Audio.Audio)
	if !isBase64(audio) {
		return ErrAudio
	}
	e.Kind, e.ID, e.Audio = KindAudio, int64(w.Audio.ID), audio
	return nil
}

func (w *wireEvent) metadata(e *Event) error {
	if w.Metadata == nil || w.Metadata.ConversationID == "" {
		return fmt.Errorf("%w: metadata names no conversation", ErrMalformed)
	}
	e.Kind = KindMetadata
	e.Metadata = &Metadata{
		ConversationID: w.Metadata.ConversationID,
		OutputFormat:   w.Metadata.OutputFormat, InputFormat: w.Metadata.InputFormat,
	}
	return nil
}

func (w *wireTool) event(e *Event, kind Kind) error {
	if w == nil || w.Name == "" {
		return fmt.Errorf("%w: %s names no tool", ErrMalformed, kind)
	}
	e.Kind, e.ID = kind, int64(w.ID)
	e.Tool = &Tool{
		Name: w.Name, CallID: w.CallID, Type: w.Type, IsError: w.IsError, Parameters: w.Parameters,
		Called: w.Called == nil || *w.Called,
	}
	return nil
}

func (w *wireEvent) failure(e *Event) {
	f := w.wireFailure
	if w.Error != nil {
		f = *w.Error
	}
	e.Kind = KindError
	e.Failure = &Failure{Code: int(f.Code), Type: f.ErrorType, Message: f.Message}
}

// lenientInt takes a whole number as a number or as a string. Anything else
// counts as 0.
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
