package llm

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
)

// FuzzForeign: of a request that somebody else wrote, what is sent on is JSON,
// for our model, and holds nothing that says who is on the line.
func FuzzForeign(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":"hi"}],"user":"secret-user","elevenlabs_extra_body":{"token":"secret-token"}}`)
	f.Add(`{"messages": [ ] }`)
	f.Add(`{"messages":[1],"tools":[{}],"max_tokens":-1,"temperature":null,"stream_options":{"a":"\n"}}`)
	c, err := New(Config{BaseURL: "http://localhost/v1", Models: []string{"ours"}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		p, err := c.foreign([]byte(body))
		if err != nil {
			return
		}
		var sent map[string]any
		if err := json.Unmarshal(p.encode("ours", c.quirks.of("ours")), &sent); err != nil {
			t.Fatalf("%q: what is sent is no JSON: %v", body, err)
		}
		if sent["model"] != "ours" || sent["stream"] != true || sent["messages"] == nil {
			t.Errorf("%q: sent %v", body, sent)
		}
		for key := range sent {
			if strings.HasPrefix(key, "user") || strings.HasPrefix(key, "elevenlabs") {
				t.Errorf("%q: %s was sent", body, key)
			}
		}
	})
}
