package voice

import (
	"strings"
	"testing"
)

func TestSentenceEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, whole string
	}{
		{"", ""},
		{"Hello", ""},
		{"Hello.", ""}, // more may come: 3.5, for example
		{"Hello. ", "Hello. "},
		{"Hello. How are", "Hello. "},
		{"Let me think... ", "Let me think... "},
		{"One moment… and", "One moment… "},
		{`She said "no." Then`, `She said "no." `},
		{"Yes! Really? Oh", "Yes! Really? "},
		{"no marks at all ", ""},
		{" ", ""},
	}
	for _, tt := range tests {
		if got := tt.text[:sentenceEnd(tt.text)]; got != tt.whole {
			t.Errorf("of %q the sentences are %q, want %q", tt.text, got, tt.whole)
		}
	}
}

func TestIgnoreTerms(t *testing.T) {
	t.Parallel()
	set := new(setup)
	set.Turn.Ignore = []string{"mm-hmm", "Mm", "I see"}
	tests := []struct {
		text         string
		may, ignores bool
	}{
		{"", false, false},
		{" ", false, false},
		{" m", true, false},
		{" Mm", true, true},
		{"mm.", true, true},
		{" Mm-hm", true, false},
		{"Mm-hmm!", true, true},
		{"mm mm", false, false},
		{"I", true, false},
		{"I see.", true, true},
		{"I seem to", false, false},
		{"Stop", false, false},
	}
	for _, tt := range tests {
		if got := set.mayIgnore(tt.text); got != tt.may {
			t.Errorf("%q may be ignored: %v", tt.text, got)
		}
		if got := set.ignores(tt.text); got != tt.ignores {
			t.Errorf("%q is ignored: %v", tt.text, got)
		}
	}
	if new(setup).mayIgnore("mm") || new(setup).ignores("") {
		t.Error("something is ignored without terms")
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add("data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n")
	f.Add(": comment\r\ndata:{\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\r\n")
	f.Fuzz(func(_ *testing.T, s string) {
		_, _ = readStream(strings.NewReader(s), func(string) error { return nil })
	})
}

func FuzzBegin(f *testing.F) {
	f.Add(`{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":"{{a}}"}},"dynamic_variables":{"a":1}}`)
	f.Add(`{"type":"conversation_initiation_client_data","conversation_config_override":{"tts":{"speed":1e999}}}`)
	s := New(Config{})
	doc := defaults()
	platform, _ := doc["platform_settings"].(map[string]any)
	platform["overrides"] = map[string]any{"custom_llm_extra_body": true, "conversation_config_override": map[string]any{
		"agent": map[string]any{"first_message": true}, "tts": map[string]any{"speed": true},
	}}
	a, bad := s.build(doc, nil)
	if bad != nil {
		f.Fatal(bad)
	}
	f.Fuzz(func(t *testing.T, s2 string) {
		set, err := s.begin(a, "conv_1", "agent_1", []byte(s2))
		if err == nil && set == nil {
			t.Error("neither a setup nor an error")
		}
	})
}

func FuzzSentenceEnd(f *testing.F) {
	f.Add("Hello. How are you? ")
	f.Fuzz(func(t *testing.T, s string) {
		if n := sentenceEnd(s); n < 0 || n > len(s) {
			t.Errorf("%d of %d", n, len(s))
		}
	})
}
