package elevenlabs

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// AppendUserAudio appends an event that carries what the person said, in
// base64. Send every frame as it comes, silence too: turn-taking and barge-in
// live on them, and a minute without any ends the conversation. Except for
// growing dst, it does not allocate.
func AppendUserAudio(dst, payload []byte) []byte {
	dst = append(dst, `{"user_audio_chunk":"`...)
	dst = append(dst, payload...)
	return append(dst, `"}`...)
}

// AppendPong appends the answer to a ping with this event id, which may be 0.
func AppendPong(dst []byte, id int64) []byte {
	dst = append(dst, `{"type":"pong","event_id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	return append(dst, '}')
}

// AppendUserMessage appends a text to be treated as if the person had said it.
func AppendUserMessage(dst []byte, text string) []byte {
	dst = append(dst, `{"type":"user_message","text":`...)
	dst = appendString(dst, text)
	return append(dst, '}')
}

// AppendContextualUpdate appends a remark that informs the agent without making
// it speak. One with the same contextID replaces the earlier one; an empty
// contextID is left out.
func AppendContextualUpdate(dst []byte, text, contextID string) []byte {
	dst = append(dst, `{"type":"contextual_update","text":`...)
	dst = appendString(dst, text)
	if contextID != "" {
		dst = append(dst, `,"context_id":`...)
		dst = appendString(dst, contextID)
	}
	return append(dst, '}')
}

// AppendUserActivity appends a note that the person is busy, which defers the
// agent's asking again.
func AppendUserActivity(dst []byte) []byte {
	return append(dst, `{"type":"user_activity"}`...)
}

// AppendToolResult appends the answer to a client tool call.
func AppendToolResult(dst []byte, callID, result string, isError bool) []byte {
	dst = append(dst, `{"type":"client_tool_result","tool_call_id":`...)
	dst = appendString(dst, callID)
	dst = append(dst, `,"result":`...)
	dst = appendString(dst, result)
	dst = append(dst, `,"is_error":`...)
	dst = strconv.AppendBool(dst, isError)
	return append(dst, '}')
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("elevenlabs: a string does not marshal: " + err.Error()) // it always does
	}
	return append(dst, quoted...)
}

// Init is what a conversation begins with. A zero field is left out of the
// message, so that the agent's own setting holds; each override must be
// permitted by the agent, see [AgentSettings].
type Init struct {
	// Prompt is the system prompt.
	Prompt string
	// FirstMessage is what the agent says first. Nil leaves the agent's own;
	// empty makes the agent wait for the person to speak.
	FirstMessage *string
	// Language is an ISO 639-1 code that the agent has.
	Language string
	// VoiceID is the voice that speaks.
	VoiceID string
	// Speed is the voice's, 0.7 to 1.2.
	Speed float64
	// MaxDurationSeconds ends the conversation.
	MaxDurationSeconds int
	// ExtraBody comes back as elevenlabs_extra_body in each request for a turn.
	ExtraBody map[string]any
	// DynamicVariables fill {{placeholders}} in prompt and first message. They
	// are strings, numbers or booleans; nil values are left out.
	DynamicVariables map[string]any
	// UserID comes back as user_id.
	UserID string
}

type wireInit struct {
	Type      string         `json:"type"`
	Override  wireOverride   `json:"conversation_config_override,omitzero"`
	Extra     map[string]any `json:"custom_llm_extra_body,omitempty"`
	Variables map[string]any `json:"dynamic_variables,omitempty"`
	UserID    string         `json:"user_id,omitempty"`
}

type wireOverride struct {
	Agent struct {
		FirstMessage *string `json:"first_message,omitempty"`
		Language     string  `json:"language,omitempty"`
		Prompt       struct {
			Prompt string `json:"prompt,omitempty"`
		} `json:"prompt,omitzero"`
	} `json:"agent,omitzero"`
	TTS struct {
		VoiceID string  `json:"voice_id,omitempty"`
		Speed   float64 `json:"speed,omitempty"`
	} `json:"tts,omitzero"`
	Conversation struct {
		MaxDurationSeconds int `json:"max_duration_seconds,omitempty"`
	} `json:"conversation,omitzero"`
}

// AppendInit appends the message that must be the first on the socket. It fails
// only for values in the two maps that JSON cannot hold.
func AppendInit(dst []byte, in Init) ([]byte, error) {
	w := wireInit{
		Type: "conversation_initiation_client_data", Extra: in.ExtraBody,
		Variables: withoutNil(in.DynamicVariables), UserID: in.UserID,
	}
	w.Override.Agent.FirstMessage = in.FirstMessage
	w.Override.Agent.Language = in.Language
	w.Override.Agent.Prompt.Prompt = in.Prompt
	w.Override.TTS.VoiceID = in.VoiceID
	w.Override.TTS.Speed = in.Speed
	w.Override.Conversation.MaxDurationSeconds = in.MaxDurationSeconds
	message, err := json.Marshal(w)
	if err != nil {
		return dst, fmt.Errorf("marshal conversation init: %w", err)
	}
	return append(dst, message...), nil
}

func withoutNil(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if v != nil {
			out[k] = v
		}
	}
	return out
}
