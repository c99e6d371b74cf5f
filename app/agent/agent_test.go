package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

const secretValue = "correct horse battery staple"

func settings() Settings {
	return Settings{
		PublicURL: "https://naiber.example.org/", LLMSecret: secretValue, VoiceID: "voice_1",
		MaxDuration: 20 * time.Minute, HasWebhookSecret: true,
	}
}

// made is a workspace in which everything is as it should be, with its client.
func made(t *testing.T) (*workspace, *elevenlabs.Client) {
	t.Helper()
	w := newWorkspace()
	c := w.client(t)
	apply(t, c, settings())
	w.changed()
	return w, c
}

func plan(t *testing.T, c *elevenlabs.Client, s Settings) *Plan {
	t.Helper()
	p, err := NewPlan(t.Context(), c, s)
	if err != nil {
		t.Fatalf("NewPlan: %v", err)
	}
	return p
}

func apply(t *testing.T, c *elevenlabs.Client, s Settings) Result {
	t.Helper()
	res, err := plan(t, c, s).Apply(t.Context())
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return res
}

func TestFromNothing(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	c := w.client(t)
	p := plan(t, c, settings())
	want := []string{
		"will create the secret naiber-llm",
		"will create the webhook to https://naiber.example.org/elevenlabs/webhook",
		"will create the agent naiber",
	}
	if diff := cmp.Diff(want, p.Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if p.Empty() || p.AgentID() != "" || len(p.Changes) < 20 {
		t.Errorf("Empty = %t, agent %q, %d changes; want everything to be made", p.Empty(), p.AgentID(), len(p.Changes))
	}
	if got := w.changed(); got != nil {
		t.Errorf("planning changed: %v", got)
	}

	res, err := p.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res.AgentID != "agent_3" || string(res.WebhookSecret) != "wsec_wh_2" {
		t.Errorf("result = %+v, webhook secret %q", res, string(res.WebhookSecret))
	}
	if got := w.secrets["sec_1"]; got != [2]string{"naiber-llm", secretValue} {
		t.Errorf("secret = %v", got)
	}
	llm := w.object(t, "agent_3", "conversation_config", "agent", "prompt", "custom_llm")
	if llm["url"] != "https://naiber.example.org/v1" || llm["api_key"].(map[string]any)["secret_id"] != "sec_1" {
		t.Errorf("custom LLM = %v", llm)
	}
	if hooks := w.object(t, "agent_3", "platform_settings", "workspace_overrides", "webhooks"); hooks["post_call_webhook_id"] != "wh_2" {
		t.Errorf("webhooks = %v", hooks)
	}
	if w.webhooks["wh_2"]["retry_enabled"] != true {
		t.Error("the webhook does not retry")
	}

	if again := plan(t, c, settings()); !again.Empty() || len(again.Lines()) > 0 || again.AgentID() != "agent_3" {
		t.Errorf("a second plan is not empty: %v %v", again.Lines(), again.Changes)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		drift    func(t *testing.T, w *workspace)
		settings func(*Settings)
		lines    []string
		paths    []string // of the changes
		requests []string // beside writing the secret
	}{
		{name: "nothing"},
		{
			name: "agent was changed by hand",
			drift: func(t *testing.T, w *workspace) {
				t.Helper()
				w.object(t, "agent_3", "conversation_config", "tts")["voice_id"] = "voice_9"
				w.object(t, "agent_3", "platform_settings", "auth")["enable_auth"] = false
			},
			lines:    []string{"will change 2 settings of the agent agent_3"},
			paths:    []string{"conversation_config.tts.voice_id", "platform_settings.auth.enable_auth"},
			requests: []string{"PATCH /v1/convai/agents/agent_3"},
		},
		{
			name:     "address changed",
			settings: func(s *Settings) { s.PublicURL = "https://new.example.org" },
			lines: []string{
				"will create the webhook to https://new.example.org/elevenlabs/webhook",
				"will change 2 settings of the agent agent_3",
			},
			paths: []string{
				"conversation_config.agent.prompt.custom_llm.url",
				"platform_settings.workspace_overrides.webhooks.post_call_webhook_id",
			},
			requests: []string{"POST /v1/workspace/webhooks", "PATCH /v1/workspace/webhooks/wh_4", "PATCH /v1/convai/agents/agent_3"},
		},
		{
			name: "webhook was switched off by its failures",
			drift: func(_ *testing.T, w *workspace) {
				w.webhooks["wh_2"]["is_auto_disabled"] = true
				w.webhooks["wh_2"]["most_recent_failure_error_code"] = 502
			},
			lines:    []string{"will switch the webhook wh_2 on again, which ElevenLabs switched off after failed deliveries (the last was answered with 502)"},
			requests: []string{"PATCH /v1/workspace/webhooks/wh_2"},
		},
		{
			name:     "webhook was switched off by somebody",
			drift:    func(_ *testing.T, w *workspace) { w.webhooks["wh_2"]["is_disabled"] = true },
			lines:    []string{"will switch the webhook wh_2 on again, which somebody switched off"},
			requests: []string{"PATCH /v1/workspace/webhooks/wh_2"},
		},
		{
			name:     "webhook does not retry",
			drift:    func(_ *testing.T, w *workspace) { w.webhooks["wh_2"]["retry_enabled"] = false },
			lines:    []string{"will let the webhook wh_2 deliver again what could not be delivered"},
			requests: []string{"PATCH /v1/workspace/webhooks/wh_2"},
		},
		{
			name:     "language added",
			settings: func(s *Settings) { s.Languages = []string{"de"} },
			lines:    []string{"will change 2 settings of the agent agent_3"},
			paths:    []string{"conversation_config.language_presets.de.overrides", "conversation_config.tts.model_id"},
			requests: []string{"PATCH /v1/convai/agents/agent_3"},
		},
		{
			name: "somebody's speech model is left alone",
			drift: func(t *testing.T, w *workspace) {
				t.Helper()
				w.object(t, "agent_3", "conversation_config", "tts")["model_id"] = "eleven_v4"
			},
		},
		{
			name:     "an agent named by its id keeps its name",
			drift:    func(_ *testing.T, w *workspace) { w.agents["agent_3"]["name"] = "Our own" },
			settings: func(s *Settings) { s.AgentID = "agent_3" },
		},
		{
			name: "several of a kind: the one in use is meant",
			drift: func(_ *testing.T, w *workspace) {
				w.secrets["sec_0"] = [2]string{"naiber-llm", "x"}
				w.webhooks["wh_0"] = hook("wh_0", "https://naiber.example.org/elevenlabs/webhook")
			},
		},
		{
			name:  "a name that contains ours is another",
			drift: func(_ *testing.T, w *workspace) { w.agents["agent_0"] = map[string]any{"name": "naiber-staging"} },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, c := made(t)
			if tt.drift != nil {
				tt.drift(t, w)
			}
			s := settings()
			if tt.settings != nil {
				tt.settings(&s)
			}
			p := plan(t, c, s)
			if diff := cmp.Diff(tt.lines, p.Lines()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			var paths []string
			for _, change := range p.Changes {
				paths = append(paths, change.Path)
			}
			if diff := cmp.Diff(tt.paths, paths); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if p.Empty() != (len(tt.lines) == 0) {
				t.Errorf("Empty = %t", p.Empty())
			}
			if _, err := p.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := append([]string{"PATCH /v1/convai/secrets/sec_1"}, tt.requests...)
			if diff := cmp.Diff(want, w.changed()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if again := plan(t, c, s); !again.Empty() {
				t.Errorf("still differs: %v %v", again.Lines(), again.Changes)
			}
		})
	}
}

func TestSecretIsWrittenAnew(t *testing.T) {
	t.Parallel()
	w, c := made(t)
	s := settings()
	s.LLMSecret = "another one altogether"
	apply(t, c, s)
	if got := w.secrets["sec_1"][1]; got != "another one altogether" {
		t.Errorf("secret = %q: the old one was kept", got)
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		prepare  func(w *workspace)
		settings func(*Settings)
		want     []string // in the error
		is       error
	}{
		{"no address", nil, func(s *Settings) { s.PublicURL = "" }, []string{"PUBLIC_URL is not set"}, nil},
		{"plain http", nil, func(s *Settings) { s.PublicURL = "http://naiber.example.org" }, []string{"https"}, nil},
		{"not a URL", nil, func(s *Settings) { s.PublicURL = "https://u:hunter2@%" }, []string{"is not a URL"}, nil},
		{"a query", nil, func(s *Settings) { s.PublicURL = "https://h/?a=b" }, []string{"no more"}, nil},
		{"unknown agent", nil, func(s *Settings) { s.AgentID = "agent_77" }, []string{"agent_77", "ELEVENLABS_AGENT_ID"}, nil},
		{
			"two agents of one name",
			func(w *workspace) {
				w.agents["agent_8"], w.agents["agent_9"] = map[string]any{"name": "naiber"}, map[string]any{"name": "naiber"}
			},
			nil,
			[]string{"agent_8, agent_9", "ELEVENLABS_AGENT_ID"},
			ErrAmbiguous,
		},
		{
			"more agents than are shown",
			func(w *workspace) {
				for range foundLimit {
					w.agents[w.id("agent")] = map[string]any{"name": "naiber of somebody"}
				}
			},
			nil,
			[]string{"ELEVENLABS_AGENT_ID"},
			ErrAmbiguous,
		},
		{
			"two secrets, neither in use",
			func(w *workspace) {
				w.secrets["sec_8"], w.secrets["sec_9"] = [2]string{"naiber-llm"}, [2]string{"naiber-llm"}
			},
			nil,
			[]string{"sec_8, sec_9"},
			ErrAmbiguous,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, s := newWorkspace(), settings()
			if tt.prepare != nil {
				tt.prepare(w)
			}
			if tt.settings != nil {
				tt.settings(&s)
			}
			_, err := NewPlan(t.Context(), w.client(t), s)
			if err == nil {
				t.Fatal("want an error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("err = %v, want it to mention %q", err, want)
				}
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("err = %v, want %v", err, tt.is)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("err = %v tells a password", err)
			}
		})
	}
}

// A failure in the middle says what was done, keeps the webhook's secret, and
// the next try makes nothing twice.
// Both agents share a secret and a webhook, and neither is taken for the other.
func TestCognitiveAgent(t *testing.T) {
	t.Parallel()
	w, c := made(t)
	s := settings()
	s.Cognitive = true
	if diff := cmp.Diff([]string{"will create the agent naiber-cognitive"}, plan(t, c, s).Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	res := apply(t, c, s)
	if w.agents[string(res.AgentID)]["name"] != "naiber-cognitive" || len(w.agents) != 2 || len(w.secrets) != 1 || len(w.webhooks) != 1 {
		t.Errorf("made %+v, with %d agents, %d secrets, %d webhooks", res, len(w.agents), len(w.secrets), len(w.webhooks))
	}
	if p := plan(t, c, settings()); !p.Empty() || p.AgentID() == res.AgentID {
		t.Errorf("the ordinary agent is %s, with changes %v", p.AgentID(), p.Changes)
	}
	s.AgentID = "agent_77"
	if _, err := NewPlan(t.Context(), c, s); err == nil || !strings.Contains(err.Error(), "ELEVENLABS_COGNITIVE_AGENT_ID") {
		t.Errorf("err = %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		refuse string
		done   int
		secret bool
	}{
		{"POST /v1/convai/secrets", 0, false},
		{"POST /v1/workspace/webhooks", 1, false},
		{"PATCH /v1/workspace/webhooks/wh_2", 2, true},
		{"POST /v1/convai/agents/create", 3, true},
	}
	for _, tt := range tests {
		t.Run(tt.refuse, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			w.refuse = tt.refuse
			c := w.client(t)
			p := plan(t, c, settings())
			res, err := p.Apply(t.Context())
			if err == nil || len(res.Done) != tt.done || elevenlabs.ClassOf(err) != elevenlabs.ClassConfiguration {
				t.Fatalf("err = %v after %v, want one after %d steps", err, res.Done, tt.done)
			}
			for _, done := range append(res.Done, "safe to run this again") {
				if !strings.Contains(err.Error(), done) {
					t.Errorf("err = %v, want it to mention %q", err, done)
				}
			}
			if (res.WebhookSecret != "") != tt.secret {
				t.Errorf("webhook secret kept: %t, want %t", res.WebhookSecret != "", tt.secret)
			}
			if again := apply(t, c, settings()); again.AgentID == "" || (again.WebhookSecret == "") != tt.secret {
				t.Errorf("second result lacks the agent, or has a second webhook's secret: %+v", again)
			}
			if len(w.agents) != 1 || len(w.secrets) != 1 || len(w.webhooks) != 1 {
				t.Errorf("%d agents, %d secrets, %d webhooks; want one of each", len(w.agents), len(w.secrets), len(w.webhooks))
			}
		})
	}
}

func TestNotKept(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.forget = "agent_output_audio_format"
	res, err := plan(t, w.client(t), settings()).Apply(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not keep: conversation_config.tts.agent_output_audio_format (") {
		t.Fatalf("err = %v, want the one field that was not kept", err)
	}
	if res.AgentID == "" || res.WebhookSecret == "" {
		t.Errorf("result = %+v", res)
	}
}

func TestApplyWantsASecret(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), settings()
	s.LLMSecret = ""
	if _, err := plan(t, w.client(t), s).Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "NAIBER_LLM_SECRET") {
		t.Errorf("err = %v", err)
	}
	if got := w.changed(); got != nil {
		t.Errorf("changed all the same: %v", got)
	}
}
