package orchestration

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
)

// What another's model sends over several lines leaves on one: a line of its own
// would end the event.
func TestPassingKeepsEventsWhole(t *testing.T) {
	t.Parallel()
	got := passed(t, true, "{\"choices\":[{\"delta\":{\"tool_calls\":[\n{\"index\":0,\n\n\"id\":\"a\"}\r\n]}}]}")
	if !strings.Contains(got, `"tool_calls":[{"index":0,"id":"a"}]`) {
		t.Errorf("sent %q", got)
	}
}

// passed is what a client gets of one payload.
func passed(t *testing.T, stream bool, payload string) string {
	t.Helper()
	w := httptest.NewRecorder()
	p := passing{out: newResponse(w), stream: stream, reply: reply{id: "chatcmpl-1", model: "naiber", usage: true}}
	if err := p.payload([]byte(payload)); err != nil {
		t.Fatal(err)
	}
	p.finish(llm.Result{}, errors.New("broke off"))
	return w.Body.String()
}

// FuzzPassing: whatever JSON a model sends, the client gets events of the
// dialect, and an ending.
func FuzzPassing(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e99}}`)
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"end_call"}}]}}]}`)
	f.Add("{\"choices\":\n[{\"delta\":{\"tool_calls\":[\n\n1]}}]}")
	f.Add(`{"choices":{"0":{"delta":"\u0000"}}}`)
	f.Fuzz(func(t *testing.T, payload string) {
		if !json.Valid([]byte(payload)) {
			return // the model client lets none of it through
		}
		events := strings.Split(strings.TrimSuffix(passed(t, true, payload), "\n\n"), "\n\n")
		for i, event := range events {
			data, ok := strings.CutPrefix(event, "data: ")
			if last := i == len(events)-1; !ok || last != (data == "[DONE]") || !last && !json.Valid([]byte(data)) {
				t.Errorf("event %d of %d is %q", i, len(events), event)
			}
		}
		if whole := passed(t, false, payload); !json.Valid([]byte(whole)) {
			t.Errorf("whole answer is %q", whole)
		}
	})
}

// FuzzMarked: a name that a prompt gives for who is on the line is one word.
func FuzzMarked(f *testing.F) {
	f.Add("userId: 0190a7a2-0000-7000-8000-000000000000\nphone: +15550100123.")
	f.Add("USERID:\n  phone:  'a b'")
	f.Fuzz(func(t *testing.T, text string) {
		user, phone := marked([]llm.Message{{Role: llm.RoleUser, Content: text}})
		if user+phone != "" {
			t.Errorf("the person's own words named %q %q", user, phone)
		}
		user, phone = marked([]llm.Message{{Role: llm.RoleSystem, Content: text}})
		for _, name := range []string{user, phone} {
			if len(strings.Fields(name)) > 1 {
				t.Errorf("%q is no word", name)
			}
		}
	})
}
