package elevenlabs

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// AgentSettings is what nAIber needs of its agent. What is not in here is left
// to whoever looks after the agent.
type AgentSettings struct {
	// Name of the agent. Required.
	Name string
	// LLMURL is the public address of our model endpoint, ending in /v1;
	// ElevenLabs appends /chat/completions. Required.
	LLMURL string
	// SecretID is the workspace secret with the bearer that our endpoint wants.
	// Required.
	SecretID SecretID
	// VoiceID is the voice that a conversation may override. Empty leaves the
	// agent's.
	VoiceID string
	// TTSModel is the speech model. Empty means eleven_flash_v2 for an agent that
	// speaks English only, and eleven_flash_v2_5 for any other.
	TTSModel string
	// Language is the agent's own, an ISO 639-1 code. Empty means "en".
	Language string
	// Languages are the others that a conversation may choose; one that is not
	// known to the agent ends the conversation.
	Languages []string
	// MaxDurationSeconds ends a conversation. Zero means 1800.
	MaxDurationSeconds int
	// WebhookID is the workspace webhook that is told of finished conversations.
	// Empty leaves that alone.
	WebhookID WebhookID
}

const (
	// cascadeTimeoutSeconds is the most that ElevenLabs allows. A turn that is
	// late is asked again while the first is running, so we want that late.
	cascadeTimeoutSeconds = 15
	// turnTimeoutSeconds is the silence after which a turn is asked for.
	turnTimeoutSeconds = 10

	// Prompt and first message serve only where a conversation brings none of its own.
	defaultPrompt       = "You are nAIber, a friendly voice on the phone. Conversation {{system__conversation_id}}."
	defaultFirstMessage = "Hello, this is nAIber."
)

func (s AgentSettings) withDefaults() AgentSettings {
	s.Language = cmp.Or(s.Language, "en")
	if s.TTSModel == "" {
		s.TTSModel = "eleven_flash_v2_5"
		if s.Language == "en" && len(s.Languages) == 0 {
			s.TTSModel = "eleven_flash_v2"
		}
	}
	s.MaxDurationSeconds = cmp.Or(s.MaxDurationSeconds, 1800)
	return s
}

// validate reports all that keeps s from describing a working agent.
func (s AgentSettings) validate() error {
	var errs []error
	if s.Name == "" {
		errs = append(errs, errors.New("name is missing"))
	}
	if s.SecretID == "" {
		errs = append(errs, errors.New("secret id is missing"))
	}
	u, err := url.Parse(s.LLMURL)
	if err != nil || u.Host == "" || !strings.HasSuffix(u.Path, "/v1") {
		errs = append(errs, errors.New("LLM URL must be absolute and end in /v1"))
	}
	if s.MaxDurationSeconds < 0 {
		errs = append(errs, errors.New("maximum duration must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("agent settings: %w", err)
	}
	return nil
}

// Config returns the configuration that the agent must have for s, as the API
// takes it. It holds nothing that s leaves alone.
//
// Whatever s says, the first message cannot be interrupted: it discloses that
// this is an AI and that the call is recorded, and that must be heard. What the
// person says over it is not lost, it becomes their turn once it has been said.
// A "mm-hm" interrupts nothing.
func (s AgentSettings) Config() (Document, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	conversation := map[string]any{
		"agent": s.agent(),
		"tts":   s.tts(),
		"asr":   map[string]any{"quality": "high", "user_input_audio_format": formatULaw},
		"turn": map[string]any{
			"turn_timeout": turnTimeoutSeconds, "turn_eagerness": "patient",
			"silence_end_call_timeout":  -1, // the silence ladder is ours
			"interruption_ignore_terms": backchannels(),
			// What is said over the first message is answered after it.
			"transcribe_on_disabled_interruptions": true,
		},
		"conversation": map[string]any{
			"max_duration_seconds": s.MaxDurationSeconds, "client_events": clientEvents(),
		},
	}
	if len(s.Languages) > 0 {
		presets := map[string]any{}
		for _, language := range s.Languages {
			if language != s.Language {
				presets[language] = map[string]any{"overrides": map[string]any{}}
			}
		}
		conversation["language_presets"] = presets
	}
	return normalise(map[string]any{
		"name": s.Name, "conversation_config": conversation, "platform_settings": s.platform(),
	})
}

func (s AgentSettings) agent() map[string]any {
	return map[string]any{
		"first_message": defaultFirstMessage, "language": s.Language,
		"disable_first_message_interruptions": true,
		"prompt": map[string]any{
			"prompt": defaultPrompt, "llm": "custom-llm",
			"custom_llm": map[string]any{
				"url": s.LLMURL, "model_id": "naiber", "api_type": "chat_completions",
				"api_key": map[string]any{"secret_id": s.SecretID},
			},
			"ignore_default_personality": true,
			"cascade_timeout_seconds":    cascadeTimeoutSeconds,
			"backup_llm_config":          map[string]any{"preference": "disabled"},
			"built_in_tools": map[string]any{
				ToolEndCall: systemTool(ToolEndCall), "skip_turn": systemTool("skip_turn"),
			},
		},
	}
}

func systemTool(name string) map[string]any {
	return map[string]any{
		"name": name, "description": "", "params": map[string]any{"system_tool_type": name},
	}
}

func (s AgentSettings) tts() map[string]any {
	tts := map[string]any{"model_id": s.TTSModel, "agent_output_audio_format": formatULaw}
	if s.VoiceID != "" {
		tts["voice_id"] = s.VoiceID
	}
	return tts
}

// backchannels are the sounds of somebody who listens: they do not mean that
// nAIber should stop. ElevenLabs compares whole utterances with them, without
// regard to case.
func backchannels() []string {
	return []string{"mm-hmm", "mm-hm", "uh-huh", "mhm", "mmm", "mm"}
}

// clientEvents are the events that the bridge lives on. Without interruption
// there is no barge-in.
func clientEvents() []string {
	return []string{
		"conversation_initiation_metadata", "ping", "audio", "interruption", "user_transcript",
		"agent_response", "agent_response_correction", "agent_tool_response",
	}
}

// platform permits the overrides that a conversation may carry.
func (s AgentSettings) platform() map[string]any {
	platform := map[string]any{
		"auth": map[string]any{"enable_auth": true},
		"overrides": map[string]any{
			"custom_llm_extra_body": true,
			"conversation_config_override": map[string]any{
				"agent": map[string]any{
					"first_message": true, "language": true, "prompt": map[string]any{"prompt": true},
				},
				"tts":          map[string]any{"voice_id": true, "speed": true},
				"conversation": map[string]any{"max_duration_seconds": true},
			},
		},
	}
	if s.WebhookID != "" {
		platform["workspace_overrides"] = map[string]any{"webhooks": map[string]any{
			"post_call_webhook_id": s.WebhookID, "events": []string{"transcript"},
		}}
	}
	return platform
}
