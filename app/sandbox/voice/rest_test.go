package voice_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	for key, want := range map[string]string{"": "needs_authorization", "wrong": "invalid_api_key"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, voiceURL+"/v1/user/subscription", nil)
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			req.Header.Set("Xi-Api-Key", key)
		}
		resp, err := st.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Detail struct{ Status, Message string }
		}
		err = json.NewDecoder(resp.Body).Decode(&body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusUnauthorized || body.Detail.Status != want {
			t.Errorf("key %q: %d %+v", key, resp.StatusCode, body)
		}
	}
	if code, body := st.request("GET", "/v1/user/subscription", ""); code != 200 || body["status"] != "active" {
		t.Errorf("subscription: %d %v", code, body)
	}
	if code, body := st.request("GET", "/v1/nothing", ""); code != 404 || body["detail"] != "Not Found" {
		t.Errorf("unknown path: %d %v", code, body)
	}
}

// An agent is kept as it was given, and changed key by key.
func TestAgents(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	code, body := st.request("POST", "/v1/convai/agents/create", strings.NewReplacer("LLM", modelURL, "SECRET", st.secret, `"HOOK"`, "null").Replace(agentDoc))
	id, _ := body["agent_id"].(string)
	if code != 200 || id == "" {
		t.Fatalf("create: %d %v", code, body)
	}
	code, body = st.request("PATCH", "/v1/convai/agents/"+id, `{"name":"renamed","conversation_config":{"agent":{"prompt":{"temperature":null}},"turn":{"turn_timeout":12}}}`)
	if code != 200 {
		t.Fatalf("patch: %d %v", code, body)
	}
	code, body = st.request("GET", "/v1/convai/agents/"+id, "")
	if code != 200 || body["name"] != "renamed" || body["agent_id"] != id {
		t.Errorf("get: %d %v", code, body)
	}
	at := func(path string) any {
		var v any = body
		for key := range strings.SplitSeq(path, ".") {
			m, ok := v.(map[string]any)
			if !ok {
				return nil
			}
			v = m[key]
		}
		return v
	}
	for path, want := range map[string]any{
		"conversation_config.turn.turn_timeout":                         12.0,
		"conversation_config.turn.turn_eagerness":                       "patient",
		"conversation_config.turn.silence_end_call_timeout":             -1.0,
		"conversation_config.agent.prompt.temperature":                  nil,
		"conversation_config.agent.prompt.custom_llm.api_key.secret_id": st.secret,
		"platform_settings.overrides.custom_llm_extra_body":             true,
		"conversation_config.agent.prompt.built_in_tools.end_call.name": "end_call",
		"conversation_config.agent.prompt.custom_llm.model_id":          "naiber",
	} {
		got, _ := json.Marshal(at(path))
		expect, _ := json.Marshal(want)
		if string(got) != string(expect) {
			t.Errorf("%s is %s, want %s", path, got, expect)
		}
	}
	_, body = st.request("GET", "/v1/convai/agents?search=RENAM&page_size=30", "")
	if list, _ := body["agents"].([]any); len(list) != 1 {
		t.Errorf("search: %v", body)
	}
	for _, method := range []string{"GET", "PATCH"} {
		if code, _ := st.request(method, "/v1/convai/agents/agent_none", "{}"); code != 404 {
			t.Errorf("%s of nothing: %d", method, code)
		}
	}
}

func TestAgentsRefused(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	config := func(c string) string { return `{"conversation_config":` + c + `}` }
	tests := []struct {
		name, body string
		code       int
		says       string
	}{
		{"cascade too long", config(`{"agent":{"prompt":{"cascade_timeout_seconds":16}}}`), 422, "cascade_timeout_seconds"},
		{"cascade too short", config(`{"agent":{"prompt":{"cascade_timeout_seconds":1}}}`), 422, "between 2 and 15"},
		{"format", config(`{"tts":{"agent_output_audio_format":"mp3"}}`), 422, "agent_output_audio_format"},
		{"turn timeout", config(`{"turn":{"turn_timeout":31}}`), 422, "turn_timeout"},
		{"eagerness", config(`{"turn":{"turn_eagerness":"lazy"}}`), 422, "turn_eagerness"},
		{"speed", config(`{"tts":{"speed":2}}`), 422, "speed"},
		{"event", config(`{"conversation":{"client_events":["audio","thunder"]}}`), 422, "thunder"},
		{"tool", config(`{"agent":{"prompt":{"built_in_tools":{"order_pizza":{}}}}}`), 422, "order_pizza"},
		{"custom model without URL", config(`{"agent":{"prompt":{"llm":"custom-llm"}}}`), 422, "custom_llm"},
		{"wrong kind", config(`{"turn":{"turn_timeout":"long"}}`), 422, "turn_timeout"},
		{"English with a multilingual model", config(`{"tts":{"model_id":"eleven_multilingual_v2"}}`), 400, "English Agents"},
		{"German with an English model", config(`{"agent":{"language":"de"}}`), 400, "Non-english"},
		{"no such secret", config(`{"agent":{"prompt":{"custom_llm":{"url":"http://x/v1","api_key":{"secret_id":"sec_none"}}}}}`), 400, "secret_not_found"},
		{"no such webhook", `{"conversation_config":{},"platform_settings":{"workspace_overrides":{"webhooks":{"post_call_webhook_id":"wh_none"}}}}`, 400, "webhook_not_found"},
		{"no config", `{"name":"x"}`, 422, "conversation_config"},
		{"not JSON", `{`, 422, "json_invalid"},
		{"too large", `{"name":"` + strings.Repeat("x", 2<<20) + `"}`, 413, "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, body := st.request("POST", "/v1/convai/agents/create", tt.body)
			b, _ := json.Marshal(body)
			if code != tt.code || !strings.Contains(string(b), tt.says) {
				t.Errorf("got %d %s, want %d with %s", code, b, tt.code, tt.says)
			}
			if strings.HasPrefix(tt.body, `{"conversation_config":{"`) {
				if code, _ := st.request("PATCH", "/v1/convai/agents/"+st.agent, tt.body); tt.code == 422 && tt.name != "custom model without URL" && code != 422 {
					t.Errorf("patch: %d", code)
				}
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	code, body := st.request("POST", "/v1/convai/secrets", `{"type":"new","name":"naiber-llm","value":"s3cret"}`)
	id, _ := body["secret_id"].(string)
	if code != 200 || id == "" {
		t.Fatalf("create: %d %v", code, body)
	}
	for _, bad := range []string{`{}`, `{"type":"new","name":"x"}`, `{"type":"new","value":"x"}`, `[]`} {
		if code, _ := st.request("POST", "/v1/convai/secrets", bad); code != 422 {
			t.Errorf("%s: %d", bad, code)
		}
	}
	if code, _ := st.request("PATCH", "/v1/convai/secrets/"+id, `{"type":"update","name":"naiber-llm","value":"n3w-s3cret"}`); code != 200 {
		t.Errorf("update: %d", code)
	}
	if code, _ := st.request("PATCH", "/v1/convai/secrets/none", `{"type":"update","name":"n","value":"v"}`); code != 404 {
		t.Errorf("update of nothing: %d", code)
	}
	_, body = st.request("GET", "/v1/convai/secrets", "")
	b, _ := json.Marshal(body)
	if !strings.Contains(string(b), id) || strings.Contains(string(b), "n3w-s3cret") || strings.Contains(string(b), "s3cret") {
		t.Errorf("list: %s", b)
	}
}

// A webhook of the agent's own gets the conversation; one that keeps failing is
// switched off.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	code, body := st.request("POST", "/v1/workspace/webhooks", `{"settings":{"auth_type":"hmac","name":"naiber","webhook_url":"`+modelURL+`/hook"}}`)
	id, _ := body["webhook_id"].(string)
	if code != 200 || id == "" || body["webhook_secret"] == "" {
		t.Fatalf("create: %d %v", code, body)
	}
	for _, bad := range []string{`{}`, `{"settings":{"auth_type":"none"}}`, `{"settings":{"auth_type":"hmac","name":"n","webhook_url":"x"}}`, `{"settings":{"auth_type":"hmac"}}`} {
		if code, _ := st.request("POST", "/v1/workspace/webhooks", bad); code != 422 {
			t.Errorf("%s: %d", bad, code)
		}
	}
	patch := `{"platform_settings":{"workspace_overrides":{"webhooks":{"post_call_webhook_id":"` + id + `","events":["transcript"]}}}}`
	if code, body := st.request("PATCH", "/v1/convai/agents/"+st.agent, patch); code != 200 {
		t.Fatalf("patch agent: %d %v", code, body)
	}
	c := st.call(initData)
	_ = c.conn.Close(1000, "")
	wait(t, st.hooks, "webhook")
	if code, _ := st.request("PATCH", "/v1/workspace/webhooks/"+id, `{"is_disabled":true,"retry_enabled":true,"name":"n2"}`); code != 200 {
		t.Errorf("patch: %d", code)
	}
	_, body = st.request("GET", "/v1/workspace/webhooks", "")
	b, _ := json.Marshal(body)
	if !strings.Contains(string(b), `"is_disabled":true`) || !strings.Contains(string(b), `"n2"`) || strings.Contains(string(b), "wsec_") {
		t.Errorf("list: %s", b)
	}
	if code, _ := st.request("PATCH", "/v1/workspace/webhooks/none", `{}`); code != 404 {
		t.Errorf("patch of nothing: %d", code)
	}
}
