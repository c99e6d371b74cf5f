package doctor

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const testHook = testPublic + "/elevenlabs/webhook"

func elevenLabsClient(t *testing.T, base string) *elevenlabs.Client {
	t.Helper()
	c, err := elevenlabs.New(elevenlabs.Config{APIKey: "hunter2", BaseURL: base, RetryWait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	badKey    = reply{401, `{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}`}
	forbidden = reply{401, `{"detail":{"status":"missing_permissions","message":"The key lacks a permission"}}`}
)

func TestElevenLabsKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
		want  want
	}{
		{"active", reply{200, `{"tier":"pro","status":"active","character_count":250,"character_limit":1000}`}, want{OK, "pro|25 %"}},
		{"without a limit", reply{200, `{"tier":"enterprise","status":"active"}`}, want{OK, "enterprise"}},
		{"used up", reply{200, `{"tier":"free","status":"free","character_count":1001,"character_limit":1000}`}, want{Warn, "1001 of 1000"}},
		{"not paid", reply{200, `{"tier":"pro","status":"past_due","character_limit":1000}`}, want{Warn, "past due"}},
		{"wrong key", badKey, want{Fail, "refused|ELEVENLABS_API_KEY"}},
		{"narrow key", forbidden, want{Warn, "user_read"}},
		{"down", reply{500, `oh no`}, want{Fail, "status.elevenlabs.io"}},
		{"not ElevenLabs", reply{200, `<html>`}, want{Fail, "ELEVENLABS_BASE_URL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{"/v1/user/subscription": tt.reply})
			tt.want.check(t, find(t, ElevenLabsKey(elevenLabsClient(t, s.URL))), "hunter2")
		})
	}
	want{Fail, "ELEVENLABS_API_KEY|--sandbox"}.check(t, find(t, ElevenLabsKey(nil)))
	want{Fail, "status.elevenlabs.io"}.check(t, find(t, ElevenLabsKey(elevenLabsClient(t, closed()))))
}

func TestElevenLabsAgent(t *testing.T) {
	t.Parallel()
	good, err := elevenlabs.AgentSettings{Name: "naiber", LLMURL: testPublic + "/v1", SecretID: "sec_1", WebhookID: "wh_1"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	bad := maps.Clone(good)
	delete(bad, "platform_settings")
	one := maps.Clone(good)
	one["name"] = "naiber"
	one["conversation_config"] = replaced(t, good["conversation_config"], `"high"`, `"low"`)
	list := reply{200, `{"agents":[{"agent_id":"agent_1","name":"naiber"}]}`}
	tests := []struct {
		name   string
		list   reply
		agent  reply
		change func(*agent.Settings)
		want   want
	}{
		{"as it should be", list, reply{200, asJSON(t, good)}, nil, want{OK, "agent_1"}},
		{"one setting differs", list, reply{200, asJSON(t, one)}, nil, want{Fail, "1 setting differs: conversation_config.asr.quality|naiber agent sync"}},
		{"many differ", list, reply{200, asJSON(t, bad)}, nil, want{Fail, "settings differ: platform_settings.auth.enable_auth| more|naiber agent sync"}},
		{"gone", list, reply{404, `{"detail":{"status":"agent_not_found","message":"Not found"}}`}, nil, want{Fail, "agent_1|ELEVENLABS_AGENT_ID"}},
		{"none yet", reply{200, `{"agents":[]}`}, reply{}, func(s *agent.Settings) { s.AgentID = "" }, want{Fail, "no agent|naiber agent sync"}},
		{"not configured", list, reply{200, asJSON(t, good)}, func(s *agent.Settings) { s.AgentID = "" }, want{Fail, "ELEVENLABS_AGENT_ID=agent_1"}},
		{
			"two",
			reply{200, `{"agents":[{"agent_id":"agent_1","name":"naiber"},{"agent_id":"agent_2","name":"naiber"}]}`},
			reply{},
			func(s *agent.Settings) { s.AgentID = "" },
			want{Fail, "agent_1, agent_2"},
		},
		{"wrong key", list, badKey, nil, want{Skip, "refused"}},
		{"narrow key", list, forbidden, nil, want{Fail, "permission"}},
		{"down", list, reply{500, ``}, nil, want{Fail, "status.elevenlabs.io"}},
		{"without an address", list, reply{200, asJSON(t, good)}, func(s *agent.Settings) { s.PublicURL = "" }, want{Skip, "PUBLIC_URL"}},
		{"with a bad address", list, reply{200, asJSON(t, good)}, func(s *agent.Settings) { s.PublicURL = "ftp://h" }, want{Fail, "PUBLIC_URL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{
				"/v1/convai/agents": tt.list, "/v1/convai/agents/agent_1": tt.agent,
				"/v1/convai/secrets":     {200, `{"secrets":[{"secret_id":"sec_1","name":"naiber-llm"}]}`},
				"/v1/workspace/webhooks": {200, `{"webhooks":[{"webhook_id":"wh_1","webhook_url":"` + testHook + `","retry_enabled":true}]}`},
			})
			set := agent.Settings{AgentID: "agent_1", PublicURL: testPublic, LLMSecret: "hunter2"}
			if tt.change != nil {
				tt.change(&set)
			}
			tt.want.check(t, find(t, ElevenLabsAgent(elevenLabsClient(t, s.URL), set)), "hunter2")
		})
	}
	want{Skip, "ELEVENLABS_COGNITIVE_AGENT_ID|ordinary"}.check(t, find(t, ElevenLabsAgent(elevenLabsClient(t, closed()), agent.Settings{PublicURL: testPublic, Cognitive: true})))
	want{Skip, "no key"}.check(t, find(t, ElevenLabsAgent(nil, agent.Settings{PublicURL: testPublic})))
}

// replaced is v with a piece of its JSON exchanged.
func replaced(t *testing.T, v any, old, with string) any {
	t.Helper()
	raw := asJSON(t, v)
	i := indexOf(t, raw, old)
	var out any
	if err := json.Unmarshal([]byte(raw[:i]+with+raw[i+len(old):]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestElevenLabsConversation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
		want  want
	}{
		{"handed out", reply{200, `{"signed_url":"wss://api.elevenlabs.io/v1/convai/conversation?agent_id=a&conversation_signature=hunter2"}`}, want{OK, "signed"}},
		{"unknown agent", reply{404, `{"detail":{"status":"agent_not_found","message":"Not found"}}`}, want{Fail, "agent_1|ELEVENLABS_AGENT_ID"}},
		{"wrong key", badKey, want{Skip, "refused"}},
		{"narrow key", forbidden, want{Fail, "convai_write"}},
		{"full", reply{429, `{"detail":{"status":"too_many_concurrent_requests","message":"Too many"}}`}, want{Warn, "as many"}},
		{"nonsense", reply{200, `{"signed_url":"http://hunter2"}`}, want{Fail, "wss"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{"/v1/convai/conversation/get-signed-url": tt.reply})
			tt.want.check(t, find(t, ElevenLabsConversation(elevenLabsClient(t, s.URL), "agent_1")), "hunter2")
		})
	}
	want{Skip, "no key"}.check(t, find(t, ElevenLabsConversation(nil, "agent_1")))
	want{Skip, "ELEVENLABS_AGENT_ID"}.check(t, find(t, ElevenLabsConversation(elevenLabsClient(t, closed()), "")))
}

func TestElevenLabsWebhook(t *testing.T) {
	t.Parallel()
	hooks := func(fields string) reply {
		return reply{200, `{"webhooks":[{"webhook_id":"wh_0","webhook_url":"https://other.example.org/","is_disabled":true},` +
			`{"webhook_id":"wh_1","webhook_url":"` + testHook + `"` + fields + `}]}`}
	}
	tests := []struct {
		name   string
		reply  reply
		secret bool
		want   want
	}{
		{"on", hooks(`,"retry_enabled":true`), true, want{OK, "wh_1"}},
		{"none", reply{200, `{"webhooks":[]}`}, true, want{Fail, testHook + "|naiber agent sync"}},
		{"gave up", hooks(`,"is_auto_disabled":true,"most_recent_failure_error_code":502`), true, want{Fail, "502|PUBLIC_URL"}},
		{"gave up, silently", hooks(`,"is_auto_disabled":true`), true, want{Fail, "too many failures|PUBLIC_URL"}},
		{"switched off", hooks(`,"is_disabled":true`), true, want{Fail, "switched wh_1 off|naiber agent sync"}},
		{"tries once", hooks(``), true, want{Warn, "again|naiber agent sync"}},
		{"secret unknown", hooks(`,"retry_enabled":true`), false, want{Fail, "ELEVENLABS_WEBHOOK_SECRET|wh_1"}},
		{"wrong key", badKey, true, want{Skip, "refused"}},
		{"narrow key", forbidden, true, want{Fail, "webhooks"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{"/v1/workspace/webhooks": tt.reply})
			tt.want.check(t, find(t, ElevenLabsWebhook(elevenLabsClient(t, s.URL), testHook, tt.secret)), "hunter2")
		})
	}
	want{Skip, "no key"}.check(t, find(t, ElevenLabsWebhook(nil, testHook, true)))
	want{Skip, "PUBLIC_URL"}.check(t, find(t, ElevenLabsWebhook(elevenLabsClient(t, closed()), "/elevenlabs/webhook", true)))
}
