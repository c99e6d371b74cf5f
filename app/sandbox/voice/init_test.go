package voice_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// What a client may not say first, or at all.
func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	override := func(o string) string {
		return `{"type":"conversation_initiation_client_data","conversation_config_override":` + o + `}`
	}
	tests := []struct {
		name, first, then string
		kind, reason      string
	}{
		{"not JSON", "hello", "", "invalid_message", ""},
		{"audio first", `{"user_audio_chunk":"/w=="}`, "", "invalid_message", "first message"},
		{"forbidden override", override(`{"turn":{"turn_timeout":20}}`), "", "override_error", "'turn_timeout'"},
		{"forbidden beside a permitted one", override(`{"tts":{"speed":0.9,"stability":0.2}}`), "", "override_error", "'stability'"},
		{"forbidden model", override(`{"agent":{"prompt":{"llm":"gpt-4o"}}}`), "", "override_error", "'llm'"},
		{"impossible speed", override(`{"tts":{"speed":3}}`), "", "value_error", ""},
		{"empty voice", override(`{"tts":{"voice_id":""}}`), "", "value_error", ""},
		{"wrong kind", override(`{"tts":{"speed":"fast"}}`), "", "value_error", ""},
		{"missing variable", override(`{"agent":{"first_message":"Hello {{name}}."}}`), "", "missing_dynamic_variable", "name"},
		{"reserved variable", `{"type":"conversation_initiation_client_data","dynamic_variables":{"system__time":"x"}}`, "", "value_error", ""},
		{"variable that is a list", `{"type":"conversation_initiation_client_data","dynamic_variables":{"a":[1]}}`, "", "value_error", ""},
		{"language not there", override(`{"agent":{"language":"de"}}`), "", "", "Language"},
		{"initiation twice", initData, initData, "invalid_message", "begun"},
		{"audio that is not base64", initData, `{"user_audio_chunk":"***"}`, "invalid_message", "base64"},
		{"unknown type", initData, `{"type":"dance"}`, "invalid_message", "Unknown"},
		{"pong without id", initData, `{"type":"pong"}`, "missing_fields", "event_id"},
		{"message without text", initData, `{"type":"user_message"}`, "missing_fields", "text"},
		{"not JSON later", initData, `[`, "invalid_message", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, nil)
				c := st.dial(tt.first)
				if tt.then != "" {
					c.send(tt.then)
				}
				code, kind, reason := c.ends()
				if code != 1008 || kind != tt.kind || !strings.Contains(reason, tt.reason) {
					t.Errorf("ended with %d %s (%s), want 1008 %s (%s)", code, kind, reason, tt.kind, tt.reason)
				}
			})
		})
	}
}

func TestExtraBodyMustBeAllowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"custom_llm_extra_body":true`, `"custom_llm_extra_body":false`)
		c := st.dial(initData)
		if code, kind, _ := c.ends(); code != 1008 || kind != "override_error" {
			t.Errorf("ended with %d %s", code, kind)
		}
	})
}

func TestOverridesAndVariables(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil)
		c := st.call(`{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":"Good morning, {{ name }}.",
		 "prompt":{"prompt":"{{name}} is {{age}}. id={{system__conversation_id}}"},"language":null},"tts":{"speed":1.2}},"dynamic_variables":{"name":"Ada","age":84}}`)
		if text, _ := c.response(); text != "Good morning, Ada." {
			t.Errorf("greeting: %q", text)
		}
		c.hears("Ada.")
		c.say("Hello.")
		if got, want := *st.ask().body.Messages[0].Content, "Ada is 84. id="+c.id; got != want {
			t.Errorf("prompt %q, want %q", got, want)
		}
	})
}

func TestEmptyGreetingWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil)
		c := st.call(`{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":""}}}`)
		c.say("Hello?")
		_, before := c.until("user_transcript")
		for _, m := range before {
			if m["type"] == "audio" || m["type"] == "agent_response" {
				t.Errorf("the agent spoke first: %v", m["type"])
			}
		}
		if got := st.ask().dialogue(); got != "user: Hello?\n" {
			t.Errorf("dialogue: %q", got)
		}
	})
}

func TestSignedURL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil)
		dial := func(url string) error {
			conn, resp, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: st.client})
			if err != nil {
				if resp != nil && resp.Body != nil {
					_ = resp.Body.Close()
				}
				return err //nolint:wrapcheck // a test
			}
			return conn.CloseNow() //nolint:wrapcheck // a test
		}
		base := "ws" + strings.TrimPrefix(voiceURL, "http") + "/v1/convai/conversation?agent_id=" + st.agent
		if dial(base) == nil {
			t.Error("a private agent spoke without a signature")
		}
		if dial(base+"&conversation_signature=cvtkn_made_up") == nil {
			t.Error("an agent spoke with a made-up signature")
		}
		_, body := st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id="+st.agent, "")
		url, _ := body["signed_url"].(string)
		if err := dial(url); err != nil {
			t.Error(err)
		}
		if other := strings.Replace(url, st.agent, "agent_none", 1); dial(other) == nil {
			t.Error("a signature let in with another agent")
		}
		if code, body := st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id=agent_none", ""); code != 404 {
			t.Errorf("unknown agent: %d %v", code, body)
		}
		if code, body := st.request("GET", "/v1/convai/conversation/get-signed-url", ""); code != 422 {
			t.Errorf("no agent: %d %v", code, body)
		}
		if err := st.faults.Set(faults.VoiceBusy, "1"); err != nil {
			t.Fatal(err)
		}
		if code, body := st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id="+st.agent, ""); code != 429 {
			t.Errorf("busy: %d %v", code, body)
		}
	})
}

func TestSocketFaults(t *testing.T) {
	t.Parallel()
	t.Run("dropped", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t, nil)
			if err := st.faults.Set(faults.DroppedVoice, "50"); err != nil {
				t.Fatal(err)
			}
			c := st.call(initData)
			if code, kind, _ := c.ends(); code != -1 || kind != "" {
				t.Errorf("ended with %d %s", code, kind)
			}
		})
	})
	t.Run("wrong format and unknown event", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t, nil)
			for _, f := range []string{faults.WrongFormat, faults.UnknownEvent} {
				if err := st.faults.Set(f, ""); err != nil {
					t.Fatal(err)
				}
			}
			c := st.dial(initData)
			meta, _ := c.next("conversation_initiation_metadata")["conversation_initiation_metadata_event"].(map[string]any)
			if meta["agent_output_audio_format"] != "pcm_16000" {
				t.Errorf("metadata: %v", meta)
			}
			c.next("weather")
		})
	})
	t.Run("late audio", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			long := strings.Repeat("All work and no play makes Jack a dull boy. ", 60)
			st := newStage(t, nil, `"Hello."`, `"`+long+`"`)
			if err := st.faults.Set(faults.LateAudio, ""); err != nil {
				t.Fatal(err)
			}
			c := st.call(initData)
			c.next("audio")
			c.say("Stop.")
			c.next("interruption")
			c.next("audio")
		})
	})
	t.Run("quick retries", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t, nil, `"Hello."`, `""`)
			if err := st.faults.Set(faults.LLMRetries, "20"); err != nil {
				t.Fatal(err)
			}
			st.answer(hangs)
			c := st.call(initData)
			c.say("Hello.")
			if code, kind, _ := c.ends(); code != 1002 || kind != "llm_timeout" {
				t.Errorf("ended with %d %s", code, kind)
			}
			if n := len(st.asks); n != 8 {
				t.Errorf("asked %d times, want 8", n)
			}
		})
	})
}
