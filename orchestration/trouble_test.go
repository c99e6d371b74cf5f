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
		calm := llm.Message{Role: llm.RoleAssistant, Content: calmSentence}
		g := &generation{turn: &Turn{Line: calls.Line{Person: people.Person{Language: language}}, Messages: []llm.Message{calm, calm}}, speech: newSpeech()}
		s.fail(g, calmSentence)
		if got := g.speech.Spoken(); !strings.Contains(got.Text, want) || !got.Ended || got.EndReason != calls.CauseTrouble {
			t.Errorf("%q: %+v, want %q", language, got, want)
		}
	}
}
