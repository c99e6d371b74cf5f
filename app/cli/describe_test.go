package cli

import (
	"encoding/json"
	"testing"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ kind, data, want string }{
		{"queued", `{"by":"api"}`, ""},
		{"dialled", `{"callSid":"CA1"}`, "dialled"},
		{"initiated", `{}`, ""},
		{"ringing", `{}`, "ringing"},
		{"answered", `{}`, "answered"},
		{"amd", `{"answeredBy":"machine_end_beep"}`, "answered by machine end beep"},
		{"stream_started", `{}`, ""},
		{"stream_status", `{"event":"stream-started"}`, ""},
		{"heard", `{"role":"assistant"}`, "nAIber speaks"},
		{"stream_started", `{"reconnect":true}`, "the line is back"},
		{"conversation_started", `{}`, ""},
		{"first_word", `{"ms":420}`, "first word after 420 ms"},
		{"turn", `{"place":2,"outcome":"spoken","ttftMs":12.6}`, "turn 2 spoken, first token after 13 ms"},
		{
			"turn", `{"place":3,"outcome":"spoken","health":{"phase":"asking","question":{"id":"sleep","attempt":1},"readings":[
			{"questionId":"energy","status":"answered","value":8,"confidence":0.9,"source":"rules"}]}}`,
			"turn 3 spoken\n   asked sleep (try 2); energy: 8 (rules, 0.90)",
		},
		{
			"turn", `{"place":4,"outcome":"spoken","health":{"phase":"follow_up","question":{"id":"sleep.why","attempt":0},"readings":[
			{"questionId":"sleep","status":"answered","value":3,"confidence":1,"source":"model","correction":true},
			{"questionId":"mood","status":"not_reached","value":null,"confidence":0,"source":"rules"}]}}`,
			"turn 4 spoken\n   asked sleep.why; sleep: 3 (model, 1.00, corrected); mood: not reached (rules, 0.00)",
		},
		{"turn", `{"place":5,"outcome":"spoken","health":{"phase":"confirm_exit","question":{"id":"mood"},"readings":[]}}`, "turn 5 spoken\n   confirm exit"},
		{"turn", `{"place":6,"outcome":"spoken","health":"fine"}`, "turn 6 spoken"}, // not what we write
		{"turn", `{"place":2,"outcome":"abandoned"}`, "turn 2 abandoned"},
		{"heard", `{"role":"assistant","text":"Hello, Ada!"}`, "nAIber: Hello, Ada!"},
		{"heard", `{"role":"user","text":"Hello!"}`, "Ada: Hello!"},
		{"heard", `{"role":"assistant","text":"Hel","corrected":true}`, "nAIber was cut short: Hel"},
		{"interrupted", `{}`, "Ada interrupts"},
		{"keypad", `{"digits":"1#"}`, "keypad: 1#"},
		{"keypad", `{"digits":7}`, "keypad: 7"},
		{"reconnecting", `{"cause":"stream_lost"}`, "reconnecting"},
		{"ended", `{"outcome":"reached","cause":"hung_up","by":"person"}`, "ended: reached (hung up, by person)"},
		{"post_call_scheduled", `{}`, "post call scheduled"},
		{"post_call_failed", `{"error":"model is down","final":false}`, "post-call work failed: model is down"},
		{"summary", `{"text":"Ada is well."}`, "summary: Ada is well."},
		{"topics", `{"topics":["whist",{"label":"the sea"}]}`, "topics: whist, the sea"},
		{"topics", `{"topics":"whist"}`, "topics: "},
		{"something_new", `{"x":1}`, "something new"},
		{"first_word", `[]`, "first word after  ms"}, // not what we write; no reason to fall over
		{"silence", `nonsense`, "silence"},
	} {
		if got := Describe(Event{Kind: tt.kind, Data: json.RawMessage(tt.data)}, "Ada"); got != tt.want {
			t.Errorf("%s %s = %q, want %q", tt.kind, tt.data, got, tt.want)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("topics", `{"topics":[null,{"label":null},1]}`)
	f.Add("turn", `{"health":{"question":null,"readings":[{"value":{}},null]}}`)
	f.Add("heard", `{"role":1,"text":[]}`)
	f.Fuzz(func(_ *testing.T, kind, data string) {
		Describe(Event{Kind: kind, Data: json.RawMessage(data)}, "Ada") // must not panic
	})
}
