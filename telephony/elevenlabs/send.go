package elevenlabs

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/naiber/naiber/internal/jsonscan"
)

// AppendUserAudio appends an event that carries the person's audio, in base64. Send every frame as
// it comes, silence too: turn-taking and barge-in depend on them, and a minute without any ends the
// conversation. Except for growing dst, it does not allocate.
func AppendUserAudio(dst, payload []byte) []byte {
	dst = append(dst, `{"user_audio_chunk":"`...)
	dst = append(dst, payload...)
	return append(dst, `"}`...)
}

// AppendPong appends the answer to a ping with the given event id, which may be 0.
func AppendPong(dst []byte, id int64) []byte {
	dst = append(dst, `{"type":"pong","event_id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	return append(dst, '}')
}

// AppendUserMessage appends a text to be treated as if the person had said it.
func AppendUserMessage(dst []byte, text string) []byte {
	dst = append(dst, `{"type":"user_message","text":`...)
	dst = jsonscan.AppendString(dst, text)
	return append(dst, '}')
}

// Init holds the settings that a conversation begins with. A zero field is left out of the message
// and keeps the agent's own setting; each override must be permitted by the agent, see
// [AgentSettings].
type Init struct {
	// Prompt is the system prompt.
	Prompt string
	// FirstMessage is what the agent says first. Nil keeps the agent's own; empty makes the agent
	// wait for the person to speak.
	FirstMessage *string
	// Language is an ISO 639-1 code of a language that the agent has.
	Language string
	// ExtraBody is returned as elevenlabs_extra_body in each request for a turn.
	ExtraBody map[string]any
	// UserID is returned as user_id.
	UserID string
}

// AppendInit appends the message that must be the first on the socket. It fails only for values in
// ExtraBody that JSON cannot represent.
func AppendInit(dst []byte, in Init) ([]byte, error) {
	var w struct {
		Type     string `json:"type"`
		Override struct {
			Agent struct {
				FirstMessage *string `json:"first_message,omitempty"`
				Language     string  `json:"language,omitempty"`
				Prompt       struct {
					Prompt string `json:"prompt,omitempty"`
				} `json:"prompt,omitzero"`
			} `json:"agent,omitzero"`
		} `json:"conversation_config_override,omitzero"`
		Extra  map[string]any `json:"custom_llm_extra_body,omitempty"`
		UserID string         `json:"user_id,omitempty"`
	}
	w.Type, w.Extra, w.UserID = "conversation_initiation_client_data", in.ExtraBody, in.UserID
	w.Override.Agent.FirstMessage, w.Override.Agent.Language = in.FirstMessage, in.Language
	w.Override.Agent.Prompt.Prompt = in.Prompt
	message, err := json.Marshal(w)
	if err != nil {
		return dst, fmt.Errorf("marshal conversation init: %w", err)
	}
	return append(dst, message...), nil
}
