package voice_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/voice"
)

// A conversation from its greeting to its webhook: what is said reaches the
// model, and what the model says is heard.
func TestConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil)
		st.answer(says("I slept ", "well. And", " you?"))
		c := st.call(initData)
		if ev, _ := c.next("ping")["ping_event"].(map[string]any); ev["event_id"] != 0.0 || ev["ping_ms"] != nil {
			t.Errorf("first ping: %v", ev)
		}
		if text, _ := c.response(); text != "Hello." {
			t.Errorf("greeting: %q", text)
		}
		c.hears("Hello.")
		c.played("Hello.")
		c.say("Good morning, how did you sleep?")
		ev, _ := c.next("user_transcript")["user_transcription_event"].(map[string]any)
		if ev["user_transcript"] != "Good morning, how did you sleep?" {
			t.Errorf("transcript: %v", ev)
		}
		a := st.ask()
		if a.path != "/v1/chat/completions" || a.header.Get("Authorization") != "Bearer "+llmSecret {
			t.Errorf("asked at %s with %v", a.path, a.header)
		}
		if want := "assistant: Hello.\nuser: Good morning, how did you sleep?\n"; a.dialogue() != want {
			t.Errorf("dialogue:\n%swant:\n%s", a.dialogue(), want)
		}
		if got := *a.body.Messages[0].Content; got != "You are kind. ["+c.id+"]" {
			t.Errorf("prompt: %q", got)
		}
		b := a.body
		if b.Model != "naiber" || !b.Stream || *b.Temperature != 0.3 || b.MaxTokens != nil || b.UserID != "u_17" || string(b.Extra) != `{"call":"c_1","token":"t"}` || len(b.Tools) != 2 {
			t.Errorf("request: %s", a.raw)
		}
		c.hears("I slept well. And you?")
		c.played("I slept well. And you?")
		_ = c.conn.Close(1000, "")
		checkWebhook(t, st, c.id)
	})
}

func checkWebhook(t *testing.T, st *stage, id string) {
	t.Helper()
	r := wait(t, st.hooks, "webhook")
	raw, _ := io.ReadAll(r.Body)
	stamp, sig, _ := strings.Cut(r.Header.Get("Elevenlabs-Signature"), ",v0=")
	mac := hmac.New(sha256.New, []byte(st.key))
	mac.Write([]byte(strings.TrimPrefix(stamp, "t=") + "." + string(raw)))
	if hex.EncodeToString(mac.Sum(nil)) != sig {
		t.Error("webhook's signature is wrong")
	}
	var body struct {
		Type string `json:"type"`
		Data struct {
			ID         string `json:"conversation_id"`
			Status     string `json:"status"`
			Transcript []struct {
				Role    string `json:"role"`
				Message string `json:"message"`
			} `json:"transcript"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	if d := body.Data; body.Type != "post_call_transcription" || d.ID != id || d.Status != "done" || len(d.Transcript) != 3 ||
		d.Transcript[1].Role != "user" || !strings.HasPrefix(d.Transcript[2].Message, "I slept") {
		t.Errorf("webhook: %s", raw)
	}
}

// Audio comes in bursts of awkward sizes, faster than it plays.
func TestAudioPieces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `"`+strings.Repeat("I have so much to tell you. ", 20)+`"`)
		c := st.call(initData)
		start, total := time.Now(), 0
		want := len(audio.Encode(strings.Repeat("I have so much to tell you. ", 20), 600))
		sizes := map[int]bool{}
		for total < want {
			n := len(audioOf(t, c.next("audio")))
			if total += n; total < want && n%audio.FrameBytes == 0 {
				t.Errorf("a piece of %d bytes is whole frames", n)
			}
			sizes[n] = true
		}
		if len(sizes) < 3 {
			t.Errorf("sizes: %v", sizes)
		}
		if took, plays := time.Since(start), audio.Duration(want)/10; took > plays*3/4 {
			t.Errorf("sent in %v what plays in %v", took, plays)
		}
	})
}

// Speech begins at the first whole sentence, while the model still speaks.
func TestFirstSentenceIsSpokenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		release := make(chan struct{})
		st.answer(func(w http.ResponseWriter, _ *http.Request) {
			event(w, delta("Oh, that is lovely. And then"))
			<-release
			event(w, delta(" what happened?"))
			event(w, stop)
			event(w, "[DONE]")
		})
		c := st.call(initData)
		c.say("We went to the sea.")
		c.hears("lovely.")
		close(release)
		if text, _ := c.response(); text != "Oh, that is lovely. And then what happened?" {
			t.Errorf("response: %q", text)
		}
		c.hears("And then what happened?")
	})
}

// A barge-in cuts the reply to what was heard of it, for the client and for
// the model.
func TestBargeIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty."
		st := newStage(t, func(c *voice.Config) { c.WPM = 120 }, `"Hello."`, `""`)
		st.answer(says(long), says("Sorry."))
		c := st.call(initData)
		c.say("Please count.")
		st.ask()
		_, id := c.response()
		<-time.After(300 * time.Millisecond) // three seconds of counting
		c.say("Stop it now.")
		ev, _ := c.next("interruption")["interruption_event"].(map[string]any)
		if ev["event_id"] != float64(id) {
			t.Errorf("interruption of %v, want %d", ev["event_id"], id)
		}
		ev, before := c.until("agent_response_correction")
		for _, m := range before {
			if m["type"] == "audio" {
				t.Error("audio after the interruption")
			}
		}
		cor, _ := ev["agent_response_correction_event"].(map[string]any)
		heard, _ := cor["corrected_agent_response"].(string)
		if cor["original_agent_response"] != long || !strings.HasPrefix(long, heard+" ") || !strings.Contains(heard, "two") || strings.Contains(heard, "twelve") {
			t.Errorf("correction: %v", cor)
		}
		if got, want := st.ask().dialogue(), "user: Please count.\nassistant: "+heard+"\nuser: Stop it now.\n"; got != want {
			t.Errorf("dialogue:\n%swant:\n%s", got, want)
		}
		c.hears("Sorry.")
	})
}

// A reply of which nothing was heard never existed: the turn is asked again,
// longer.
func TestSpeakerGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		gone := make(chan struct{})
		st.answer(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			close(gone)
		}, says("I see."))
		c := st.call(initData)
		c.say("Well, I was")
		if got := st.ask().dialogue(); got != "user: Well, I was\n" {
			t.Errorf("first: %q", got)
		}
		c.say("in the garden.")
		if got := st.ask().dialogue(); got != "user: Well, I was in the garden.\n" {
			t.Errorf("again: %q", got)
		}
		wait(t, gone, "end of the superseded request")
		c.hears("I see.")
	})
}

// Noise is not a turn; the same is asked again.
func TestNoiseWhileThinking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		st.answer(hangs, says("I see."))
		c := st.call(initData)
		c.say("Hello there.")
		first := st.ask()
		c.speech <- audio.Beep(400 * time.Millisecond)
		if again := st.ask(); again.raw != first.raw {
			t.Errorf("asked %s, then %s", first.raw, again.raw)
		}
		c.hears("I see.")
	})
}

// When nobody speaks the model is asked for something to say, in either form.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"turn_timeout":-1`, `"turn_timeout":3`)
		st.answer(says("Are you there?"), says("Hello?"))
		c := st.call(initData)
		c.hears("Hello.")
		if got, want := st.ask().dialogue(), "assistant: Hello.\nuser: ...\n"; got != want {
			t.Errorf("first: %q, want %q", got, want)
		}
		c.hears("Are you there?")
		if got, want := st.ask().dialogue(), "assistant: Hello.\nuser: ...\nassistant: Are you there?\n"; got != want {
			t.Errorf("second: %q, want %q", got, want)
		}
		c.hears("Hello?")
		c.played("Hello?")
		c.say("Yes, yes.")
		if got := st.ask().dialogue(); !strings.HasSuffix(got, "assistant: Hello?\nuser: Yes, yes.\n") {
			t.Errorf("third: %q", got)
		}
	})
}

// A slow turn is asked again and again, without an end to the first.
func TestRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`, `"cascade_timeout_seconds":15`, `"cascade_timeout_seconds":2`)
		release := make(chan struct{})
		st.answer(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
				says("I am late.")(w, r)
			case <-r.Context().Done():
				t.Error("the first attempt was cancelled")
			}
		}, hangs)
		c := st.call(initData)
		c.say("Hello.")
		first := st.ask()
		for range 3 {
			if again := st.ask(); again.raw != first.raw {
				t.Errorf("asked %s, then %s", first.raw, again.raw)
			}
		}
		close(release)
		c.hears("I am late.")
	})
}

func TestRepeatedTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		if err := st.faults.Set(faults.RepeatedTurn, "*1"); err != nil {
			t.Fatal(err)
		}
		c := st.call(initData)
		c.say("Hello.")
		if a, b := st.ask(), st.ask(); a.raw != b.raw {
			t.Errorf("asked %s and %s", a.raw, b.raw)
		}
		if text, _ := c.response(); text != "I see." {
			t.Errorf("said %q", text)
		}
		c.say("Goodbye.")
		if got, want := st.ask().dialogue(), "user: Hello.\nassistant: I see.\nuser: Goodbye.\n"; got != want {
			t.Errorf("then asked %q", got)
		}
	})
}

// What the model does wrong ends the conversation as the real one ends it.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	raw := func(contentType, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		}
	}
	const sse = "text/event-stream"
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		kind   string
		reason string
		asks   int
	}{
		{"nothing", raw(sse, "data: "+stop+"\n\ndata: [DONE]\n\n"), "custom_llm_error", "Brain returned no response", 1},
		{"only DONE", raw(sse, "data: [DONE]\n\n"), "custom_llm_error", "Brain returned no response", 1},
		{"500", status(500), "custom_llm_error", "generation failed", 3},
		{"401", status(401), "custom_llm_error", "generation failed", 3},
		{"a web page", raw("text/html", "<html>"), "custom_llm_error", "generation failed", 3},
		{"not streamed", raw("application/json", `{"choices":[{"message":{"content":"hi"}}]}`), "custom_llm_error", "generation failed", 3},
		{"half a chunk", raw(sse, `data: {"object":"chat.comp`), "custom_llm_error", "generation failed", 3},
		{"no end", raw(sse, "data: "+delta("I was")+"\n\n"), "custom_llm_error", "generation failed", 3},
		{"no end after a sentence", raw(sse, "data: "+delta("I was. ")+"\n\n"), "custom_llm_error", "generation failed", 1},
		{"no answer", hangs, "llm_timeout", "timeout", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, nil, `"Hello."`, `""`)
				st.answer(tt.answer)
				c := st.call(initData)
				c.say("Hello.")
				code, kind, reason := c.ends()
				if code != 1002 || kind != tt.kind || !strings.Contains(reason, tt.reason) {
					t.Errorf("ended with %d %s (%s), want 1002 %s (%s)", code, kind, reason, tt.kind, tt.reason)
				}
				if got := len(st.asks); got != tt.asks {
					t.Errorf("asked %d times, want %d", got, tt.asks)
				}
			})
		})
	}
}

// A failure that passes is not noticed.
func TestModelRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		st.answer(status(503), says("Here I am."))
		c := st.call(initData)
		c.say("Hello.")
		c.hears("Here I am.")
	})
}

func TestEndCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args, said, heard string
	}{
		{"with a message", `{"reason":"goodbye","message":"Goodbye, Ada."}`, "", "Goodbye, Ada."},
		{"with text before it", `{"reason":"goodbye"}`, "Take care now.", "Take care now."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, nil, `"Hello."`, `""`)
				st.answer(calls("end_call", tt.args, tt.said))
				c := st.call(initData)
				c.say("Goodbye.")
				c.hears(tt.heard)
				ev, _ := c.next("agent_tool_response")["agent_tool_response"].(map[string]any)
				if ev["tool_name"] != "end_call" || ev["is_error"] != false {
					t.Errorf("tool response: %v", ev)
				}
				if code, kind, _ := c.ends(); code != 1000 || kind != "" {
					t.Errorf("ended with %d %s", code, kind)
				}
			})
		})
	}
}

func TestSkipTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		st.answer(calls("skip_turn", `{}`, ""), says("I see."))
		c := st.call(initData)
		c.say("Let me think.")
		st.ask()
		c.next("agent_tool_response")
		c.say("Now I know.")
		if got, want := st.ask().dialogue(), "user: Let me think.\nassistant: - [skip_turn]\ntool: Turn skipped\nuser: Now I know.\n"; got != want {
			t.Errorf("dialogue:\n%swant:\n%s", got, want)
		}
		c.hears("I see.")
	})
}

// A tool that was not offered fails, and the model may try something else.
func TestUnknownTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		st.answer(calls("order_pizza", `{}`, ""), says("I cannot do that."))
		c := st.call(initData)
		c.say("A pizza, please.")
		st.ask()
		if got := st.ask().dialogue(); !strings.Contains(got, "tool: Tool not found: order_pizza\n") {
			t.Errorf("dialogue:\n%s", got)
		}
		c.hears("I cannot do that.")
	})
}

func TestTypedAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"Hello."`, `""`)
		c := st.call(initData)
		c.send(`{"type":"contextual_update","text":"Key 1 was pressed."}`)
		c.send(`{"type":"user_message","text":"Yes, I do."}`)
		a := st.ask()
		if got := a.dialogue(); !strings.Contains(got, "[contextual_update]") || !strings.HasSuffix(got, "user: Yes, I do.\n") || !strings.Contains(a.raw, "Key 1 was pressed.") {
			t.Errorf("dialogue:\n%s", got)
		}
		c.hears("I see.")
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("max duration", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t, nil)
			c := st.call(`{"type":"conversation_initiation_client_data","conversation_config_override":{"conversation":{"max_duration_seconds":3}}}`)
			if code, kind, reason := c.ends(); code != 1000 || kind != "" || !strings.Contains(reason, "max_duration") {
				t.Errorf("ended with %d %s (%s)", code, kind, reason)
			}
		})
	})
	t.Run("no audio", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t, func(c *voice.Config) { c.Second = 5 * time.Millisecond })
			c := st.dial(initData)
			c.hush()
			if code, kind, _ := c.ends(); code != 1002 || kind != "transport_receive_timeout" {
				t.Errorf("ended with %d %s", code, kind)
			}
		})
	})
}

// What is only subscribed to arrives, and without interruption there is none.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil, `"interruption",`, ``, `"user_transcript",`, ``)
		st.answer(says("This will be said to its very end."))
		c := st.call(initData)
		c.hears("Hello.")
		c.played("Hello.")
		c.say("Go on.")
		_, before := c.until("agent_response")
		c.say("Wait.")
		st.ask()
		if got := st.ask().dialogue(); !strings.HasSuffix(got, "assistant: This will be said to its very end.\nuser: Wait.\n") {
			t.Errorf("dialogue:\n%s", got)
		}
		for _, m := range before {
			if m["type"] == "user_transcript" || m["type"] == "interruption" {
				t.Errorf("got %v without subscription", m)
			}
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, nil)
		st.answer(hangs)
		c := st.call(initData)
		c.hears("Hello.")
		c.say("Hello.")
		st.ask()
		if st.server.Live() != 1 {
			t.Errorf("%d live", st.server.Live())
		}
		if err := st.server.Close(); err != nil {
			t.Fatal(err)
		}
		if code, _, _ := c.ends(); code != 1001 {
			t.Errorf("closed with %d", code)
		}
		if st.server.Live() != 0 {
			t.Errorf("%d live after Close", st.server.Live())
		}
		_, body := st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id="+st.agent, "")
		url, _ := body["signed_url"].(string)
		if code, _ := st.request("GET", strings.TrimPrefix(url, "ws://voice.test"), ""); code != 503 {
			t.Errorf("a closed service answers %d", code)
		}
	})
}
