package elevenlabs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func settings() AgentSettings {
	return AgentSettings{
		Name: "naiber", LLMURL: "https://naiber.example.org/v1", SecretID: "sec_1", VoiceID: "v_1", WebhookID: "wh_1",
		MaxDurationSeconds: 1200,
	}
}

func config(t *testing.T, s AgentSettings) Document {
	t.Helper()
	d, err := s.Config()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAgentConfig(t *testing.T) {
	t.Parallel()
	want, err := ParseDocument([]byte(`{"name":"naiber",
 "conversation_config":{
  "agent":{"first_message":"Hello, this is nAIber.","language":"en","disable_first_message_interruptions":true,
   "prompt":{"prompt":"You are nAIber, a friendly voice on the phone. Conversation {{system__conversation_id}}.","llm":"custom-llm",
    "ignore_default_personality":true,"cascade_timeout_seconds":15,"backup_llm_config":{"preference":"disabled"},
    "custom_llm":{"url":"https://naiber.example.org/v1","model_id":"naiber","api_type":"chat_completions","api_key":{"secret_id":"sec_1"}},
    "built_in_tools":{"end_call":{"name":"end_call","description":"","params":{"system_tool_type":"end_call"}},
     "skip_turn":{"name":"skip_turn","description":"","params":{"system_tool_type":"skip_turn"}}}}},
  "tts":{"voice_id":"v_1","model_id":"eleven_flash_v2","agent_output_audio_format":"ulaw_8000"},
  "asr":{"quality":"high","user_input_audio_format":"ulaw_8000"},
  "turn":{"turn_timeout":10,"turn_eagerness":"patient","silence_end_call_timeout":-1,
   "interruption_ignore_terms":["mm-hmm","mm-hm","uh-huh","mhm","mmm","mm"],"transcribe_on_disabled_interruptions":true},
  "conversation":{"max_duration_seconds":1200,"client_events":["conversation_initiation_metadata","ping","audio","interruption",
   "user_transcript","agent_response","agent_response_correction","agent_tool_response"]}},
 "platform_settings":{
  "auth":{"enable_auth":true},
  "overrides":{"custom_llm_extra_body":true,"conversation_config_override":{
   "agent":{"first_message":true,"language":true,"prompt":{"prompt":true}},"tts":{"voice_id":true,"speed":true},
   "conversation":{"max_duration_seconds":true}}},
  "workspace_overrides":{"webhooks":{"post_call_webhook_id":"wh_1","events":["transcript"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, config(t, settings())); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}

	unhurried := settings()
	unhurried.Unhurried = true
	want.put("conversation_config.turn.turn_timeout", 12.0)
	want.put("conversation_config.turn.soft_timeout_config", map[string]any{"timeout_seconds": -1.0})
	want.put("conversation_config.turn.speculative_turn", false)
	if diff := cmp.Diff(want, config(t, unhurried)); diff != "" {
		t.Errorf("unhurried (-want +got):\n%s", diff)
	}

	s := settings()
	s.Languages, s.WebhookID, s.VoiceID = []string{"en", "es"}, "", ""
	raw, err := json.Marshal(config(t, s))
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"workspace_overrides", "privacy", `"voice_id":"`, "null"} {
		if strings.Contains(string(raw), absent) {
			t.Errorf("%s should be left alone: %s", absent, raw)
		}
	}
	for _, present := range []string{`"language_presets":{"es":{"overrides":{}}}`, "eleven_flash_v2_5"} {
		if !strings.Contains(string(raw), present) {
			t.Errorf("%s is missing: %s", present, raw)
		}
	}
}

func TestAgentSettingsReportAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := AgentSettings{LLMURL: "https://h/v1/chat/completions", MaxDurationSeconds: -1}.Config()
	for _, want := range []string{"name", "secret id", "/v1", "duration"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to mention %q", err, want)
		}
	}
}

func at(t *testing.T, d Document, path ...string) map[string]any {
	t.Helper()
	inner := map[string]any(d)
	for _, name := range path {
		next, ok := inner[name].(map[string]any)
		if !ok {
			t.Fatalf("no object at %s of %v", name, path)
		}
		inner = next
	}
	return inner
}

func TestDiffOfWhatIsRight(t *testing.T) {
	t.Parallel()
	desired, current := config(t, settings()), config(t, settings())
	// What others added is theirs.
	current["agent_id"] = "agent_1"
	at(t, current, "conversation_config", "agent", "prompt")["temperature"] = 0.3
	at(t, current, "conversation_config", "agent", "prompt", "built_in_tools", "end_call")["type"] = "system"
	events, ok := at(t, current, "conversation_config", "conversation")["client_events"].([]any)
	if !ok {
		t.Fatal("client_events is not a list")
	}
	events[0], events[7] = events[7], events[0]
	terms, ok := at(t, current, "conversation_config", "turn")["interruption_ignore_terms"].([]any)
	if !ok {
		t.Fatal("interruption_ignore_terms is not a list")
	}
	slices.Reverse(terms)
	if diff := cmp.Diff([]Change(nil), Diff(current, desired)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Document{}, Patch(current, desired)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

func TestDiffAndPatch(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Languages = []string{"es"}
	desired, current := config(t, s), config(t, s)
	at(t, current, "conversation_config", "tts")["voice_id"] = "v_2"
	prompt := at(t, current, "conversation_config", "agent", "prompt")
	prompt["cascade_timeout_seconds"] = 4.0
	at(t, current, "conversation_config", "agent", "prompt", "custom_llm")["api_key"] = "hunter3"
	delete(at(t, current, "conversation_config", "agent", "prompt", "built_in_tools"), "skip_turn")
	at(t, current, "conversation_config", "conversation")["client_events"] = []any{"audio"}
	delete(at(t, current, "conversation_config"), "language_presets")
	at(t, current, "conversation_config", "agent")["disable_first_message_interruptions"] = false
	delete(at(t, current, "conversation_config", "turn"), "interruption_ignore_terms")
	at(t, current, "platform_settings", "auth")["enable_auth"] = nil

	const llm = "conversation_config.agent.prompt."
	want := []Change{
		{"conversation_config.agent.disable_first_message_interruptions", "false", "true"},
		{llm + "built_in_tools.skip_turn.description", "", `""`},
		{llm + "built_in_tools.skip_turn.name", "", `"skip_turn"`},
		{llm + "built_in_tools.skip_turn.params.system_tool_type", "", `"skip_turn"`},
		{llm + "cascade_timeout_seconds", "4", "15"},
		{llm + "custom_llm.api_key.secret_id", "", `"sec_1"`},
		{
			"conversation_config.conversation.client_events", `["audio"]`,
			`["conversation_initiation_metadata","ping","audio","interruption","user_transcript","agent_response","agent_response_correction","agent_tool_response"]`,
		},
		{"conversation_config.language_presets.es.overrides", "", "{}"},
		{"conversation_config.tts.voice_id", `"v_2"`, `"v_1"`},
		{
			"conversation_config.turn.interruption_ignore_terms", "",
			`["mm-hmm","mm-hm","uh-huh","mhm","mmm","mm"]`,
		},
		{"platform_settings.auth.enable_auth", "null", "true"},
	}
	changes := Diff(current, desired)
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got := changes[1].String(); got != llm+`built_in_tools.skip_turn.description: (not set) → ""` {
		t.Errorf("String: %s", got)
	}

	wantedPrompt := at(t, desired, "conversation_config", "agent", "prompt")
	wantPatch := Document{
		"conversation_config": map[string]any{
			"agent": map[string]any{
				"disable_first_message_interruptions": true,
				"prompt": map[string]any{
					"cascade_timeout_seconds": 15.0,
					"built_in_tools":          wantedPrompt["built_in_tools"], "custom_llm": wantedPrompt["custom_llm"],
				},
			},
			"conversation":     map[string]any{"client_events": at(t, desired, "conversation_config", "conversation")["client_events"]},
			"language_presets": map[string]any{"es": map[string]any{"overrides": map[string]any{}}},
			"tts":              map[string]any{"voice_id": "v_1"},
			"turn":             map[string]any{"interruption_ignore_terms": at(t, desired, "conversation_config", "turn")["interruption_ignore_terms"]},
		},
		"platform_settings": map[string]any{"auth": map[string]any{"enable_auth": true}},
	}
	if diff := cmp.Diff(wantPatch, Patch(current, desired)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(desired, Patch(Document{}, desired)); diff != "" {
		t.Errorf("patch of nothing (-want +got):\n%s", diff)
	}
}

// FuzzDiff: a patch, merged, leaves nothing to change; and no answer of the
// API, however odd, makes us fall over.
func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"conversation_config":{"agent":7,"tts":{"voice_id":["a"]}}}`))
	f.Add([]byte(`{"conversation_config":null,"platform_settings":{"auth":{"enable_auth":"yes"}}}`))
	desired, err := settings().Config()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		current, err := ParseDocument(raw)
		if err != nil {
			return
		}
		merge(current, Patch(current, desired))
		if rest := Diff(current, desired); len(rest) != 0 {
			t.Errorf("after the patch: %v", rest)
		}
	})
}

func merge(into, patch map[string]any) {
	for name, value := range patch {
		from, isObject := value.(map[string]any)
		to, toObject := into[name].(map[string]any)
		if isObject && toObject {
			merge(to, from)
		} else {
			into[name] = value
		}
	}
}
