package orchestration

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Only answers that failed in a row count, cut short or broken off though they be.
func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, newDesk(), saying("x"), nil)
	lost := "The roses " + lostThread
	for _, tt := range []struct {
		said []string
		want int
	}{
		{nil, 0},
		{[]string{"Good morning."}, 0},
		{[]string{calmSentence, calmSentence}, 2},
		{[]string{calmSentence, "Roses, how lovely.", calmSentence}, 1},
		{[]string{calmSentence, DefaultLadder.Prompts[0], "I'm sorry, I didn't quite…"}, 2},
		{[]string{lost, calmSentence}, 2},
		{[]string{calmSentence, "I'm"}, 0},
	} {
		turn := &Turn{}
		for _, said := range tt.said {
			turn.Messages = append(turn.Messages, llm.Message{Role: llm.RoleAssistant, Content: said}, llm.Message{Role: llm.RoleUser, Content: "roses"})
		}
		if got := s.failures(turn); got != tt.want {
			t.Errorf("%q: %d failures, want %d", tt.said, got, tt.want)
		}
	}
}

func TestGivenUpInThePersonsLanguage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, newDesk(), saying("x"), nil)
	for language, want := range map[string]string{"de-AT": "rufe Sie zurück", "es": "llamaré de nuevo", "fr": "call you back", "": "call you back"} {
		calm := llm.Message{Role: llm.RoleAssistant, Content: inLanguage(language, calmSentence)}
		g := &generation{turn: &Turn{Line: calls.Line{Person: people.Person{Language: language}}, Messages: []llm.Message{calm, calm}}, speech: newSpeech()}
		s.fail(g, calmSentence)
		if got := g.speech.Spoken(); !strings.Contains(got.Text, want) || !got.Ended || got.EndReason != calls.CauseTrouble {
			t.Errorf("%q: %+v, want %q", language, got, want)
		}
	}
}

// Spanish lacks no sentence, German may fall back, and none is there in vain.
func TestWordsOfEachLanguage(t *testing.T) {
	t.Parallel()
	for language, kinds := range words {
		for kind, list := range kinds {
			if len(list) > len(words[fallback][kind]) {
				t.Errorf("%s: %d sentences for %s, and %d in English", language, len(list), kind, len(words[fallback][kind]))
			}
		}
	}
	for kind, list := range words[fallback] {
		if got := len(words["es"][kind]); got != len(list) {
			t.Errorf("es: %d sentences for %s, want %d", got, kind, len(list))
		}
	}
	if got := inLanguage("es-MX", "Bear with me... "); got != "Bear with me... " {
		t.Errorf("an operator's own words became %q", got)
	}
}

// Silence, dead air and failures are met in Spanish, and known again.
func TestSpanishLadderAndFailures(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, newDesk(), saying("x"), nil)
	calm, prompt := words["es"]["calm"][0], words["es"]["silence"][0]
	turn := &Turn{Line: calls.Line{Person: people.Person{Language: "es-ES"}}}
	for _, said := range []string{"Buenos días.", calm, prompt, "Perdone, no le he…"} {
		turn.Messages = append(turn.Messages, llm.Message{Role: llm.RoleAssistant, Content: said}, llm.Message{Role: llm.RoleUser, Content: "las rosas"})
	}
	if got := s.failures(turn); got != 2 {
		t.Errorf("%d failures, want 2", got)
	}
	for i, want := range append(append([]string{}, words["es"]["silence"]...), words["es"]["silence_goodbye"][0]) {
		turn.Kind, turn.Silences = calls.TurnSilence, i+1
		turn.Messages = nil
		speech := NewSpeech()
		if err := Silence(DefaultLadder)(saying("x")).Reply(t.Context(), turn, speech); err != nil || speech.Spoken().Text != want {
			t.Errorf("silence %d: %q, %v; want %q", i+1, speech.Spoken().Text, err, want)
		}
	}
	if got := withoutFiller(words["es"]["fillers"][1]+"Las rosas.", allInLanguage("es", DefaultFillers)); got != "Las rosas." {
		t.Errorf("a filler stays: %q", got)
	}
}
