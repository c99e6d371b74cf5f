package orchestration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
)

func TestParseRequestRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, param string }{
		{"not JSON", `{"messages":`, ""},
		{"not an object", `[]`, ""},
		{"nothing", ``, ""},
		{"no messages", `{"model":"naiber"}`, "messages"},
		{"empty messages", `{"messages":[]}`, "messages"},
		{"messages no list", `{"messages":"hi"}`, "messages"},
		{"message no object", `{"messages":["hi"]}`, "messages[0]"},
		{"no role", `{"messages":[{"content":"hi"}]}`, "messages[0].role"},
		{"strange role", `{"messages":[{"role":"user","content":"a"},{"role":"king","content":"hi"}]}`, "messages[1].role"},
		{"content a number", `{"messages":[{"role":"user","content":7}]}`, "messages[0].content"},
		{"stream a string", `{"messages":[{"role":"user","content":"a"}],"stream":"yes"}`, "stream"},
		{"tools no list", `{"messages":[{"role":"user","content":"a"}],"tools":{}}`, "tools"},
		{"deep nesting", `{"messages":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseRequest([]byte(tt.body))
			if e := publicError(err); err == nil || e.status != 400 || e.param != tt.param {
				t.Errorf("parseRequest: %+v, want a 400 about %q", err, tt.param)
			}
		})
	}
}

func TestParseRequestReads(t *testing.T) {
	t.Parallel()
	req, err := parseRequest([]byte(`{"model":"naiber","stream":true,"stream_options":{"include_usage":true},"temperature":null,
		"messages":[{"role":"developer","content":[{"type":"text","text":"be"},{"type":"text","text":"kind"},{"type":"image_url"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"skip_turn","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"ok"},{"role":"user","content":"na\u00efve \u0000 \ud83d\ude00"}],
		"tools":[{"type":"function","function":{"name":"end_call"}}],"user_id":"u_1","user":"u_2","new_field":{"a":[1]},
		"elevenlabs_extra_body":{"call":"c_9","token":"tok","more":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !req.stream || !req.usage || req.token != "tok" || req.call != "c_9" || !req.offers("end_call") || req.offers("skip_turn") {
		t.Errorf("request: %+v", req)
	}
	if got := strings.Join(req.users, " "); got != "u_1 u_2" {
		t.Errorf("users %q", got)
	}
	m := req.messages
	if m[0].Role != llm.RoleSystem || m[0].Content != "be kind" || m[1].ToolCalls[0].Name != "skip_turn" ||
		m[2].ToolCallID != "c1" || m[3].Content != "naïve  😀" {
		t.Errorf("messages: %+v", m)
	}
}

func TestTurnReadsHistory(t *testing.T) {
	t.Parallel()
	type msg = llm.Message
	user := func(s string) msg { return msg{Role: "user", Content: s} }
	said := func(s string) msg { return msg{Role: "assistant", Content: s} }
	tool := func(name string) msg { return msg{Role: "assistant", ToolCalls: []llm.ToolCall{{Name: name}}} }
	for _, tt := range []struct {
		name     string
		messages []msg
		kind     calls.TurnKind
		heard    string
		keypad   string
		silences int
		place    int
	}{
		{"first words", []msg{said("Hi"), user("hello")}, calls.TurnSpeech, "hello", "", 0, 2},
		{"two lines in a row", []msg{said("Hi"), user("my knee"), user("it hurts")}, calls.TurnSpeech, "my knee it hurts", "", 0, 3},
		{"silence after the greeting", []msg{said("Hi")}, calls.TurnSilence, "", "", 1, 1},
		{"second silence", []msg{said("Hi"), said("Still there?")}, calls.TurnSilence, "", "", 2, 2},
		{"silence as dots", []msg{said("Hi"), user("...")}, calls.TurnSilence, "", "", 1, 2},
		{"second silence as dots", []msg{said("Hi"), user("..."), said("Still there?"), user("…")}, calls.TurnSilence, "", "", 2, 4},
		{"speech starts anew", []msg{said("Hi"), user("..."), said("There?"), user("yes"), said("Good.")}, calls.TurnSilence, "", "", 1, 5},
		{"dots, then words", []msg{said("Hi"), user("..."), user("hello")}, calls.TurnSpeech, "hello", "", 0, 3},
		{"key", []msg{said("Hi"), user("[keypad: 7]")}, calls.TurnKeypad, "", "7", 0, 2},
		{"keys and words", []msg{said("Hi"), user("[keypad: 7]"), user("oops"), user("[keypad: *]")}, calls.TurnSpeech, "oops", "7*", 0, 4},
		{"no key", []msg{said("Hi"), user("[keypad: seven]")}, calls.TurnSpeech, "[keypad: seven]", "", 0, 2},
		{"a note beside the words", []msg{said("Hi"), user("hello"), tool("contextual_update"), {Role: "tool", Content: "x"}}, calls.TurnSpeech, "hello", "", 0, 4},
		{"after saying nothing", []msg{said("Hi"), user("wait"), tool("skip_turn"), {Role: "tool"}}, calls.TurnSilence, "", "", 1, 4},
		{"nothing at all", nil, calls.TurnSilence, "", "", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := &request{messages: append([]msg{{Role: "system", Content: "s"}}, tt.messages...)}
			got, _ := newTurn(req, calls.Line{}, DefaultFillers, testTime)
			if got.Kind != tt.kind || got.Heard != tt.heard || got.Keypad != tt.keypad || got.Silences != tt.silences || got.Place != tt.place {
				t.Errorf("kind=%s heard=%q keypad=%q silences=%d place=%d, want %+v", got.Kind, got.Heard, got.Keypad, got.Silences, got.Place, tt)
			}
		})
	}
}

// Since is where the person began to speak, also where a reply came to no more
// than a filler, which the history leaves out.
func TestTurnKnowsSinceWhenThePersonSpoke(t *testing.T) {
	t.Parallel()
	type msg = llm.Message
	user := func(s string) msg { return msg{Role: "user", Content: s} }
	said := func(s string) msg { return msg{Role: "assistant", Content: s} }
	for _, tt := range []struct {
		name     string
		messages []msg
		since    int
	}{
		{"one line", []msg{said("Hi"), user("hello")}, 2},
		{"two lines", []msg{said("Hi"), user("seven"), user("no, six")}, 2},
		{"a filler between them", []msg{said("Hi"), user("seven"), said(DefaultFillers[0]), user("no, six")}, 2},
		{"a filler before them", []msg{said("Hi"), user("well"), said(DefaultFillers[0] + " How are you?"), user("fine")}, 4},
		{"a key, and dots before it", []msg{said("Hi"), user("..."), user("[keypad: 7]"), user("...")}, 3},
		{"nobody spoke", []msg{user("hello"), said("Hi"), user("...")}, 0},
	} {
		for _, system := range []bool{true, false} {
			req := &request{messages: tt.messages}
			if system {
				req.messages = append([]msg{{Role: "system", Content: "s"}}, tt.messages...)
			}
			if got, _ := newTurn(req, calls.Line{}, DefaultFillers, testTime); got.Since != tt.since {
				t.Errorf("%s, system %t: since %d, want %d", tt.name, system, got.Since, tt.since)
			}
		}
	}
}

func TestCutShort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said, heard string
		want        bool
	}{
		{"How did you sleep? And the cat?", "How did you sleep?...", true},
		{"How did you sleep?", "How did you sleep?", false},
		{"How did you sleep?", "How did you sleep", false},
		{"How did you sleep?", "How did", true},
		{"How did you sleep?", "Good morning", false},
		{"How did you sleep?", "", false},
	} {
		if got := cutShort(tt.said, tt.heard); got != tt.want {
			t.Errorf("cutShort(%q, %q) = %t, want %t", tt.said, tt.heard, got, tt.want)
		}
	}
}

// FuzzParseRequest: whatever comes, it is read or refused, and what is taken
// for JSON is JSON.
func FuzzParseRequest(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":"hi"}],"stream":true}`)
	f.Add(`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"elevenlabs_extra_body":{"token":"t"}}`)
	f.Add(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"x"}}]}],"tools":[{}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		req, err := parseRequest([]byte(body))
		if err != nil {
			if publicError(err).status != 400 {
				t.Errorf("%q: %v is no 400", body, err)
			}
			return
		}
		if !json.Valid([]byte(body)) {
			t.Errorf("%q was read though it is not JSON", body)
		}
		turn, _ := newTurn(req, calls.Line{}, DefaultFillers, testTime)
		if turn.Kind == calls.TurnSilence && turn.Silences < 1 {
			t.Errorf("%q: silence without count", body)
		}
	})
}
