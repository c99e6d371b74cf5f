package voice

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// agent is a configuration. It is never changed, only replaced.
type agent struct {
	doc     map[string]any // as it was given, over the defaults
	set     settings
	created time.Time
}

// settings is what a conversation needs to know of a configuration.
type settings struct {
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
	Prompt      string          `json:"prompt"`
	LLM         string          `json:"llm"`
	Temperature *float64        `json:"temperature"`
	MaxTokens   int             `json:"max_tokens"`
	NoDefaults  bool            `json:"ignore_default_personality"`
	Cascade     float64         `json:"cascade_timeout_seconds"`
	Custom      *customLLM      `json:"custom_llm"`
	Tools       map[string]tool `json:"built_in_tools"`
}

type customLLM struct {
	URL     string `json:"url"`
	ModelID string `json:"model_id"`
	APIType string `json:"api_type"`
	APIKey  *struct {
		SecretID string `json:"secret_id"`
	} `json:"api_key"`
	Headers map[string]any `json:"request_headers"`
}

// tool is a built-in tool that an agent may use. A null in the configuration
// means that it may not.
type tool struct {
	on           bool
	Description  string `json:"description"`
	Params       params `json:"params"`
	NoInterrupts bool   `json:"disable_interruptions"`
}

type params struct {
	VoicemailMessage string `json:"voicemail_message"`
}

// UnmarshalJSON notes that the tool is there at all.
func (t *tool) UnmarshalJSON(b []byte) error {
	type plain tool
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err //nolint:wrapcheck // the decoder adds where it was
	}
	*t = tool(p)
	t.on = string(b) != "null"
	return nil
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

// defaults is what an agent has where nothing was said.
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
		panic(err) // the text above is wrong
	}
	return out
}

// merge is base with over laid on it, key by key. Neither is changed.
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

// decode reads doc into a struct.
func decode(doc map[string]any, to any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err //nolint:wrapcheck // told by the caller
	}
	return json.Unmarshal(b, to) //nolint:wrapcheck // told by the caller
}

// build makes an agent of base with doc laid on it.
func (s *Server) build(base, doc map[string]any) (*agent, *refusal) {
	a := &agent{doc: merge(base, doc), created: time.Now()}
	if err := decode(a.doc, &a.set); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, &refusal{bad: []invalid{field("Input should be a valid "+t.Type.String(), t.Type.String()+"_type", strings.Split(t.Field, ".")...)}}
		}
		return nil, &refusal{bad: []invalid{field("Input is not valid", "value_error")}}
	}
	return a, s.validate(a)
}

func (s *Server) agent(id string) (*agent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agents[id]
	return a, ok
}

// resource is the agent as REST shows it.
func (a *agent) resource(id string) map[string]any {
	out := maps.Clone(a.doc)
	out["agent_id"] = id
	out["metadata"] = map[string]any{"created_at_unix_secs": a.created.Unix()}
	return out
}

func (s *Server) createAgent(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if _, ok := body["conversation_config"].(map[string]any); !ok {
		unprocessable(w, field("Field required", "missing", "conversation_config"))
		return
	}
	a, bad := s.build(defaults(), body)
	if bad != nil {
		bad.write(w)
		return
	}
	id := newID("agent_")
	s.mu.Lock()
	s.agents[id] = a
	s.mu.Unlock()
	answer(w, http.StatusOK, map[string]string{"agent_id": id})
}

func (s *Server) getAgent(w http.ResponseWriter, r *http.Request) {
	a, ok := s.agent(r.PathValue("id"))
	if !ok {
		agentNotFound(w)
		return
	}
	answer(w, http.StatusOK, a.resource(r.PathValue("id")))
}

func (s *Server) patchAgent(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	id := r.PathValue("id")
	old, ok := s.agent(id)
	if !ok {
		agentNotFound(w)
		return
	}
	a, bad := s.build(old.doc, body)
	if bad != nil {
		bad.write(w)
		return
	}
	a.created = old.created
	s.mu.Lock()
	s.agents[id] = a
	s.mu.Unlock()
	answer(w, http.StatusOK, a.resource(id))
}

func (s *Server) listAgents(w http.ResponseWriter, r *http.Request) {
	search := strings.ToLower(r.FormValue("search"))
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.agents)) {
		name, _ := s.agents[id].doc["name"].(string)
		if !strings.Contains(strings.ToLower(name), search) {
			continue
		}
		list = append(list, map[string]any{
			"agent_id": id, "name": name, "tags": s.agents[id].doc["tags"],
			"created_at_unix_secs": s.agents[id].created.Unix(), "archived": false,
		})
	}
	answer(w, http.StatusOK, map[string]any{"agents": list, "has_more": false, "next_cursor": nil})
}

func agentNotFound(w http.ResponseWriter) {
	refuse(w, http.StatusNotFound, "agent_not_found", "Agent not found.")
}
