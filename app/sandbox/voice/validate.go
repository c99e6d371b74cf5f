package voice

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// refusal is why a configuration is not accepted.
type refusal struct {
	bad             []invalid // 422
	status, message string    // 400
}

// Error is the reason in short.
func (r *refusal) Error() string {
	if len(r.bad) > 0 {
		return r.bad[0].Msg
	}
	return r.message
}

func (r *refusal) write(w http.ResponseWriter) {
	if len(r.bad) > 0 {
		unprocessable(w, r.bad...)
		return
	}
	refuse(w, http.StatusBadRequest, r.status, r.message)
}

var (
	formats   = []string{"pcm_8000", "pcm_16000", "pcm_22050", "pcm_24000", "pcm_44100", "pcm_48000", "ulaw_8000"}
	ttsModels = []string{
		"eleven_flash_v2_5", "eleven_flash_v2", "eleven_multilingual_v2", "eleven_turbo_v2", "eleven_turbo_v2_5",
		"eleven_v3_conversational", "eleven_v4", "eleven_v4_turbo",
	}
	englishModels = []string{"eleven_flash_v2", "eleven_turbo_v2", "eleven_v3_conversational", "eleven_v4", "eleven_v4_turbo"}
	onlyEnglish   = []string{"eleven_flash_v2", "eleven_turbo_v2"}
	clientEvents  = []string{
		"audio", "interruption", "agent_response", "agent_response_correction", "user_transcript",
		"tentative_user_transcript", "conversation_initiation_metadata", "asr_initiation_metadata", "ping",
		"agent_chat_response_part", "agent_reasoning_response_part", "client_tool_call", "agent_tool_request",
		"agent_tool_response", "agent_tool_response_full_payload", "mcp_tool_call", "mcp_connection_status", "vad_score",
		"internal_turn_probability", "turn_probability", "internal_tentative_agent_response", "tentative_agent_response",
		"context_usage", "guardrail_triggered", "agent_typing", "external_agent_connected", "external_agent_disconnected",
		"rich_content", "audio_alignment", "agent_response_metadata", "agent_response_complete", "client_error",
		"dtmf_request",
	}
	builtInTools = []string{
		"end_call", "skip_turn", "language_detection", "voicemail_detection", "transfer_to_number", "transfer_to_agent",
		"play_keypad_touch_tone",
	}
)

// validate checks an agent. nil means that it may be kept.
func (s *Server) validate(a *agent) *refusal {
	c := &a.set.Conversation
	p := &c.Agent.Prompt
	var bad []invalid
	check := func(ok bool, msg, kind string, path ...string) {
		if !ok {
			bad = append(bad, field(msg, kind, append([]string{"conversation_config"}, path...)...))
		}
	}
	check(p.Cascade >= 2 && p.Cascade <= 15, "Input should be between 2 and 15", "value_error", "agent", "prompt", "cascade_timeout_seconds")
	check(p.Temperature == nil || *p.Temperature >= 0 && *p.Temperature <= 2, "Input should be between 0 and 2", "value_error", "agent", "prompt", "temperature")
	check(slices.Contains(formats, c.TTS.Format), "Input should be a known audio format", "enum", "tts", "agent_output_audio_format")
	check(slices.Contains(formats, c.ASR.Format), "Input should be a known audio format", "enum", "asr", "user_input_audio_format")
	check(slices.Contains(ttsModels, c.TTS.ModelID), "Input should be a known model", "enum", "tts", "model_id")
	check(c.TTS.VoiceID != "", "String should have at least 1 character", "string_too_short", "tts", "voice_id")
	check(speedOK(c.TTS.Speed), "Input should be between 0.7 and 1.2", "value_error", "tts", "speed")
	check(c.Turn.Timeout == -1 || c.Turn.Timeout >= 1 && c.Turn.Timeout <= 30, "Input should be -1 or between 1 and 30", "value_error", "turn", "turn_timeout")
	check(slices.Contains([]string{"patient", "normal", "eager"}, c.Turn.Eagerness), "Input should be 'patient', 'normal' or 'eager'", "enum", "turn", "turn_eagerness")
	check(c.Conversation.MaxDuration > 0, "Input should be greater than 0", "greater_than", "conversation", "max_duration_seconds")
	for _, e := range c.Conversation.Events {
		check(slices.Contains(clientEvents, e), "Input should be a known event: "+e, "enum", "conversation", "client_events")
	}
	for name := range p.Tools {
		check(slices.Contains(builtInTools, name), "Extra inputs are not permitted", "extra_forbidden", "agent", "prompt", "built_in_tools", name)
	}
	if p.LLM == "custom-llm" {
		check(p.Custom != nil && webURL(p.Custom.URL), "A custom LLM needs a URL", "value_error", "agent", "prompt", "custom_llm", "url")
	}
	if p.Custom != nil {
		check(slices.Contains([]string{"", "chat_completions", "responses", "websocket"}, p.Custom.APIType), "Input should be a known API type", "enum", "agent", "prompt", "custom_llm", "api_type")
	}
	if len(bad) > 0 {
		return &refusal{bad: bad}
	}
	return s.consistent(a)
}

// consistent checks what the fields of an agent mean together.
func (s *Server) consistent(a *agent) *refusal {
	c := &a.set.Conversation
	english := strings.HasPrefix(c.Agent.Language, "en")
	if english && !slices.Contains(englishModels, c.TTS.ModelID) {
		return &refusal{status: "invalid_model", message: "English Agents must use turbo or flash v2."}
	}
	if !english && slices.Contains(onlyEnglish, c.TTS.ModelID) {
		return &refusal{status: "invalid_model", message: "Non-english Agents must use turbo or flash v2_5."}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if llm := c.Agent.Prompt.Custom; llm != nil && llm.APIKey != nil && llm.APIKey.SecretID != "" {
		if _, ok := s.secrets[llm.APIKey.SecretID]; !ok {
			return &refusal{status: "secret_not_found", message: "The secret of the custom LLM does not exist."}
		}
	}
	if id := a.set.Platform.Workspace.Webhooks.ID; id != "" {
		if _, ok := s.webhooks[id]; !ok {
			return &refusal{status: "webhook_not_found", message: "The post-call webhook does not exist."}
		}
	}
	return nil
}

func speedOK(speed *float64) bool {
	return speed == nil || *speed >= 0.7 && *speed <= 1.2
}

func webURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
