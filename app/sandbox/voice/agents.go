package voice

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// agent is the configuration of an agent. It is never changed, only replaced.
type agent struct {
	doc     map[string]any // as given, merged over the defaults
	created time.Time
	// The parts that a conversation needs.
	Conversation conversationConfig `json:"conversation_config"`
	Platform     platformSettings   `json:"platform_settings"`
}

type conversationConfig struct {
	Agent struct {
		FirstMessage string       `json:"first_message"`
		FirstInFull  bool         `json:"disable_first_message_interruptions"`
		Language     string       `json:"language"`
		Prompt       promptConfig `json:"prompt"`
		Variables    struct {
			Placeholders map[string]any `json:"dynamic_variable_placeholders"`
		} `json:"dynamic_variables"`
	} `json:"agent"`
	TTS struct {
		VoiceID string   `json:"voice_id"`
		ModelID string   `json:"model_id"`
		Format  string   `json:"agent_output_audio_format"`
		Speed   *float64 `json:"speed"`
	} `json:"tts"`
	ASR struct {
		Format string `json:"user_input_audio_format"`
	} `json:"asr"`
	Turn struct {
		Timeout    float64  `json:"turn_timeout"`
		Eagerness  string   `json:"turn_eagerness"`
		SilenceEnd float64  `json:"silence_end_call_timeout"`
		Ignore     []string `json:"interruption_ignore_terms"`
		Transcribe bool     `json:"transcribe_on_disabled_interruptions"`
	} `json:"turn"`
	Conversation struct {
		MaxDuration float64  `json:"max_duration_seconds"`
		Events      []string `json:"client_events"`
	} `json:"conversation"`
	Presets map[string]any `json:"language_presets"`
}

type promptConfig struct {
	Prompt      string   `json:"prompt"`
	LLM         string   `json:"llm"`
	Temperature *float64 `json:"temperature"`
	MaxTokens   int      `json:"max_tokens"`
	NoDefaults  bool     `json:"ignore_default_personality"`
	Cascade     float64  `json:"cascade_timeout_seconds"`
	Custom      *struct {
		URL     string `json:"url"`
		ModelID string `json:"model_id"`
		APIType string `json:"api_type"`
		APIKey  *struct {
			SecretID string `json:"secret_id"`
		} `json:"api_key"`
	} `json:"custom_llm"`
	// Tools are the built-in tools that the agent may use. A null tool is not allowed.
	Tools map[string]*struct {
		Description string `json:"description"`
	} `json:"built_in_tools"`
}

type platformSettings struct {
	Auth struct {
		Enabled bool `json:"enable_auth"`
	} `json:"auth"`
	Overrides struct {
		ExtraBody bool           `json:"custom_llm_extra_body"`
		Config    map[string]any `json:"conversation_config_override"`
	} `json:"overrides"`
	Workspace struct {
		Webhooks struct {
			ID     string   `json:"post_call_webhook_id"`
			Events []string `json:"events"`
		} `json:"webhooks"`
	} `json:"workspace_overrides"`
}

// defaults returns the default configuration of an agent.
func defaults() map[string]any {
	const doc = `{
	"name": "", "tags": [],
	"conversation_config": {
		"agent": {"first_message": "", "disable_first_message_interruptions": false, "language": "en", "dynamic_variables": {"dynamic_variable_placeholders": {}},
			"prompt": {"prompt": "", "llm": "gemini-2.0-flash", "temperature": 0, "max_tokens": -1,
				"ignore_default_personality": false, "cascade_timeout_seconds": 8,
				"backup_llm_config": {"preference": "default"}, "built_in_tools": {}}},
		"tts": {"voice_id": "cjVigY5qzO86Huf0OWal", "model_id": "eleven_flash_v2", "agent_output_audio_format": "pcm_16000",
			"speed": 1, "stability": 0.5, "similarity_boost": 0.8},
		"asr": {"quality": "high", "user_input_audio_format": "pcm_16000", "keywords": []},
		"turn": {"turn_timeout": 7, "turn_eagerness": "normal", "silence_end_call_timeout": -1, "mode": "turn",
			"interruption_ignore_terms": [], "transcribe_on_disabled_interruptions": false},
		"conversation": {"text_only": false, "max_duration_seconds": 600, "client_events": ["audio", "interruption",
			"agent_response", "user_transcript", "tentative_user_transcript", "conversation_initiation_metadata", "ping"]},
		"language_presets": {}},
	"platform_settings": {"auth": {"enable_auth": false},
		"overrides": {"custom_llm_extra_body": false, "conversation_config_override": {}},
		"workspace_overrides": {"webhooks": {"post_call_webhook_id": null, "events": ["transcript"]}},
		"privacy": {"record_voice": true, "retention_days": -1}}}`
	var out map[string]any
	if err := json.Unmarshal([]byte(doc), &out); err != nil {
		panic(err) // a mistake in the text above
	}
	return out
}

// merge returns base with over merged into it, key by key. Neither is changed.
func merge(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = make(map[string]any, len(over))
	}
	for key, value := range over {
		below, ok := out[key].(map[string]any)
		above, isMap := value.(map[string]any)
		if ok && isMap {
			value = merge(below, above)
		}
		out[key] = value
	}
	return out
}

// decode decodes doc into the struct to which to points.
func decode(doc map[string]any, to any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err //nolint:wrapcheck // told by the caller
	}
	return json.Unmarshal(b, to) //nolint:wrapcheck // told by the caller
}

// build returns an agent made of base with doc merged into it. The caller holds mu.
func (s *Server) build(base, doc map[string]any) (*agent, *refusal) {
	a := &agent{doc: merge(base, doc), created: time.Now()}
	if err := decode(a.doc, a); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, unprocessable(field("Input should be a valid "+t.Type.String(), t.Type.String()+"_type", t.Field))
		}
		return nil, unprocessable(field("Input is not valid", "value_error", ""))
	}
	return a, s.validate(a)
}

// resource returns the agent as REST shows it.
func (a *agent) resource(id string) map[string]any {
	out := maps.Clone(a.doc)
	out["agent_id"] = id
	out["metadata"] = map[string]any{"created_at_unix_secs": a.created.Unix()}
	return out
}

var errNoAgent = refuse(http.StatusNotFound, "agent_not_found", "Agent not found.")

func (s *Server) createAgent(r request) (any, *refusal) {
	if _, ok := r.body["conversation_config"].(map[string]any); !ok {
		return nil, missing("conversation_config")
	}
	a, bad := s.build(defaults(), r.body)
	if bad != nil {
		return nil, bad
	}
	id := wire.ID("agent_")
	s.agents[id] = a
	return map[string]string{"agent_id": id}, nil
}

func (s *Server) getAgent(r request) (any, *refusal) {
	id := r.PathValue("id")
	a, ok := s.agents[id]
	if !ok {
		return nil, errNoAgent
	}
	return a.resource(id), nil
}

func (s *Server) patchAgent(r request) (any, *refusal) {
	id := r.PathValue("id")
	old, ok := s.agents[id]
	if !ok {
		return nil, errNoAgent
	}
	a, bad := s.build(old.doc, r.body)
	if bad != nil {
		return nil, bad
	}
	a.created = old.created
	s.agents[id] = a
	return a.resource(id), nil
}

func (s *Server) listAgents(r request) (any, *refusal) {
	found := maps.Clone(s.agents)
	maps.DeleteFunc(found, func(_ string, a *agent) bool {
		name, _ := a.doc["name"].(string)
		return !strings.Contains(strings.ToLower(name), strings.ToLower(r.FormValue("search")))
	})
	return map[string]any{"has_more": false, "next_cursor": nil, "agents": listed(found, func(id string, a *agent) map[string]any {
		return map[string]any{
			"agent_id": id, "name": a.doc["name"], "tags": a.doc["tags"],
			"created_at_unix_secs": a.created.Unix(), "archived": false,
		}
	})}, nil
}

var (
	formats   = strings.Fields("pcm_8000 pcm_16000 pcm_22050 pcm_24000 pcm_44100 pcm_48000 ulaw_8000")
	ttsModels = append(strings.Fields("eleven_flash_v2_5 eleven_multilingual_v2 eleven_turbo_v2_5"), englishModels...)
	// The models that speak English, and those of them that speak only English.
	englishModels = append(strings.Fields("eleven_v3_conversational eleven_v4 eleven_v4_turbo"), onlyEnglish...)
	onlyEnglish   = strings.Fields("eleven_flash_v2 eleven_turbo_v2")
	clientEvents  = strings.Fields(`audio interruption agent_response agent_response_correction user_transcript
		tentative_user_transcript conversation_initiation_metadata asr_initiation_metadata ping
		agent_chat_response_part agent_reasoning_response_part client_tool_call agent_tool_request
		agent_tool_response agent_tool_response_full_payload mcp_tool_call mcp_connection_status vad_score
		internal_turn_probability turn_probability internal_tentative_agent_response tentative_agent_response
		context_usage guardrail_triggered agent_typing external_agent_connected external_agent_disconnected
		rich_content audio_alignment agent_response_metadata agent_response_complete client_error dtmf_request`)
	builtInTools = strings.Fields("end_call skip_turn language_detection voicemail_detection transfer_to_number transfer_to_agent play_keypad_touch_tone")
)

func speedOK(speed *float64) bool { return speed == nil || *speed >= 0.7 && *speed <= 1.2 }

// validate checks an agent. It returns nil if the agent may be stored. The caller holds mu.
func (s *Server) validate(a *agent) *refusal {
	type check struct {
		ok              bool
		path, kind, msg string
	}
	c, p := &a.Conversation, &a.Conversation.Agent.Prompt
	checks := []check{
		{p.Cascade >= 2 && p.Cascade <= 15, "agent.prompt.cascade_timeout_seconds", "value_error", "Input should be between 2 and 15"},
		{p.Temperature == nil || *p.Temperature >= 0 && *p.Temperature <= 2, "agent.prompt.temperature", "value_error", "Input should be between 0 and 2"},
		{slices.Contains(formats, c.TTS.Format), "tts.agent_output_audio_format", "enum", "Input should be a known audio format"},
		{slices.Contains(formats, c.ASR.Format), "asr.user_input_audio_format", "enum", "Input should be a known audio format"},
		{slices.Contains(ttsModels, c.TTS.ModelID), "tts.model_id", "enum", "Input should be a known model"},
		{c.TTS.VoiceID != "", "tts.voice_id", "string_too_short", "String should have at least 1 character"},
		{speedOK(c.TTS.Speed), "tts.speed", "value_error", "Input should be between 0.7 and 1.2"},
		{c.Turn.Timeout == -1 || c.Turn.Timeout >= 1 && c.Turn.Timeout <= 30, "turn.turn_timeout", "value_error", "Input should be -1 or between 1 and 30"},
		{patience[c.Turn.Eagerness] > 0, "turn.turn_eagerness", "enum", "Input should be 'patient', 'normal' or 'eager'"},
		{c.Conversation.MaxDuration > 0, "conversation.max_duration_seconds", "greater_than", "Input should be greater than 0"},
		{p.LLM != "custom-llm" || p.Custom != nil && wire.IsURL(p.Custom.URL), "agent.prompt.custom_llm.url", "value_error", "A custom LLM needs a URL"},
		{
			p.Custom == nil || slices.Contains([]string{"", "chat_completions", "responses", "websocket"}, p.Custom.APIType),
			"agent.prompt.custom_llm.api_type", "enum", "Input should be a known API type",
		},
	}
	for _, e := range c.Conversation.Events {
		checks = append(checks, check{slices.Contains(clientEvents, e), "conversation.client_events", "enum", "Input should be a known event: " + e})
	}
	for name := range p.Tools {
		checks = append(checks, check{slices.Contains(builtInTools, name), "agent.prompt.built_in_tools." + name, "extra_forbidden", "Extra inputs are not permitted"})
	}
	var bad []invalid
	for _, check := range checks {
		if !check.ok {
			bad = append(bad, field(check.msg, check.kind, "conversation_config."+check.path))
		}
	}
	if len(bad) > 0 {
		return unprocessable(bad...)
	}
	return s.consistent(a)
}

// consistent checks the fields of an agent that depend on each other. The caller holds mu.
func (s *Server) consistent(a *agent) *refusal {
	c := &a.Conversation
	english, hook := strings.HasPrefix(c.Agent.Language, "en"), a.Platform.Workspace.Webhooks.ID
	noSecret := false
	if llm := c.Agent.Prompt.Custom; llm != nil && llm.APIKey != nil && llm.APIKey.SecretID != "" {
		noSecret = s.secrets[llm.APIKey.SecretID] == secret{}
	}
	switch {
	case english && !slices.Contains(englishModels, c.TTS.ModelID):
		return refuse(http.StatusBadRequest, "invalid_model", "English Agents must use turbo or flash v2.")
	case !english && slices.Contains(onlyEnglish, c.TTS.ModelID):
		return refuse(http.StatusBadRequest, "invalid_model", "Non-english Agents must use turbo or flash v2_5.")
	case noSecret:
		return refuse(http.StatusBadRequest, "secret_not_found", "The secret of the custom LLM does not exist.")
	case hook != "" && s.webhooks[hook] == nil:
		return refuse(http.StatusBadRequest, "webhook_not_found", "The post-call webhook does not exist.")
	}
	return nil
}
