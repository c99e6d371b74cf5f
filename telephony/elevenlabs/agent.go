package elevenlabs

import (
	"cmp"
	_ "embed" // the agent is a file
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// AgentSettings holds the settings of the agent that nAIber depends on. All others are left to the
// agent's administrators.
type AgentSettings struct {
	// Name of the agent. Required.
	Name string
	// LLMURL is the public address of our model endpoint, ending in /v1;
	// ElevenLabs appends /chat/completions. Required.
	LLMURL string
	// SecretID is the workspace secret that holds our endpoint's bearer token. Required.
	SecretID SecretID
	// VoiceID is the voice of the agent, which a conversation may override. Empty keeps the agent's
	// present one.
	VoiceID string
	// TTSModel is the speech model. Empty means eleven_flash_v2 for an agent that
	// speaks English only, and eleven_flash_v2_5 for any other.
	TTSModel string
	// Language is the agent's default language, an ISO 639-1 code. Empty means "en".
	Language string
	// Languages are the other languages that a conversation may choose. A language that is not
	// known to the agent ends the conversation.
	Languages []string
	// MaxDurationSeconds is after how long a conversation ends. Zero means 1800.
	MaxDurationSeconds int
	// WebhookID is the workspace webhook that is called for finished conversations. Empty leaves
	// the agent's webhook unchanged.
	WebhookID WebhookID
	// Unhurried gives a person more time to think, without fillers meanwhile: for cognitive checks,
	// where they would disturb.
	Unhurried bool
}

// agentConfig is the configuration that all our agents share:
//
//   - A prompt and a first message, for a conversation without its own.
//   - The longest cascade timeout that ElevenLabs allows: a turn that is late is
//     asked again while the first is running, so we want that late.
//   - A first message that cannot be interrupted: it discloses that this is an AI
//     and that the call is recorded, and that must be heard. What the person says
//     over it becomes their turn once it has been said.
//   - No end by silence: the silence ladder is ours.
//   - The back-channel sounds of a listener, which must not interrupt nAIber. ElevenLabs compares
//     whole utterances with them, without regard to case.
//   - The events that the bridge needs. Without interruption events there is no barge-in.
//   - Permission for the overrides that a conversation may carry.
//
//go:embed agent.json
var agentConfig []byte

// unhurriedSeconds is how long an unhurried agent waits before it asks what to say to a silence.
// ElevenLabs allows 30; a fluency task ends within this time of its end.
const unhurriedSeconds = 12

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

// validate returns an error that names everything that keeps s from describing a working agent.
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

// Config returns the configuration that the agent must have for s, in the form that the API
// accepts. It omits every setting that s leaves unchanged.
func (s AgentSettings) Config() (Document, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	config, err := ParseDocument(agentConfig)
	if err != nil {
		return nil, fmt.Errorf("read embedded agent: %w", err)
	}
	config["name"] = s.Name
	config.put("conversation_config.agent.language", s.Language)
	config.put("conversation_config.agent.prompt.custom_llm.url", s.LLMURL)
	config.put("conversation_config.agent.prompt.custom_llm.api_key.secret_id", string(s.SecretID))
	config.put("conversation_config.tts.model_id", s.TTSModel)
	config.put("conversation_config.conversation.max_duration_seconds", float64(s.MaxDurationSeconds))
	if s.Unhurried {
		config.put("conversation_config.turn.turn_timeout", float64(unhurriedSeconds))
		config.put("conversation_config.turn.soft_timeout_config", map[string]any{"timeout_seconds": -1.0})
		config.put("conversation_config.turn.speculative_turn", false)
	}
	if s.VoiceID != "" {
		config.put("conversation_config.tts.voice_id", s.VoiceID)
	}
	if len(s.Languages) > 0 {
		presets := map[string]any{}
		for _, language := range s.Languages {
			if language != s.Language {
				presets[language] = map[string]any{"overrides": map[string]any{}}
			}
		}
		config.put("conversation_config.language_presets", presets)
	}
	if s.WebhookID != "" {
		config.put("platform_settings.workspace_overrides.webhooks", map[string]any{
			"post_call_webhook_id": string(s.WebhookID), "events": []any{"transcript"},
		})
	}
	return config, nil
}
