package voice

import (
	"encoding/json"
	"log/slog"
	"testing"
)

// FuzzTake: whatever a client sends in a conversation, it goes on or ends with a
// close code and a reason.
func FuzzTake(f *testing.F) {
	for _, s := range []string{
		`{"user_audio_chunk":"AAAA"}`, `{"user_audio_chunk":"!"}`, `{"type":"pong","event_id":0}`, `{"type":"pong"}`,
		`{"type":"user_message","text":"hello"}`, `{"type":"contextual_update","text":"[keypad: 1]"}`, `{"type":"user_activity"}`,
		`{"type":"conversation_initiation_client_data"}`, `{"type":1}`, `[`,
	} {
		f.Add(s)
	}
	s := New(Config{Log: slog.New(slog.DiscardHandler)})
	a, bad := s.build(defaults(), nil)
	if bad != nil {
		f.Fatal(bad)
	}
	f.Fuzz(func(t *testing.T, message string) {
		set, err := s.begin(a, "conv_1", "agent_1", []byte(`{"type":"conversation_initiation_client_data"}`))
		if err != nil {
			t.Fatal(err)
		}
		c := newConversation(s, "conv_1", "agent_1", a, nil)
		c.set = set
		c.take([]byte(message))
		if c.over != nil && (c.over.code == 0 || c.over.reason == "") {
			t.Errorf("%q: ended with %+v", message, c.over)
		}
		if !json.Valid([]byte(message)) && c.over == nil {
			t.Errorf("%q was taken", message)
		}
	})
}
