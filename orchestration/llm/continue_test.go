package llm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

func TestStreamContinuesWhatWasCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		models map[string]answer
		want   string
		finish string
		conts  int
		last   string // the model of the last part
	}{
		{
			"by length, going on word for word",
			map[string]answer{"a": inTurn(pieces(script("length", "I hope", " you have")), says(" slept", " well.")), "b": nil},
			"I hope you have slept well.", "stop", 1, "a",
		},
		{
			"by length, repeating the last words",
			map[string]answer{"a": inTurn(pieces(script("length", "I hope", " you have")), says("you ", "have", " slept well.")), "b": nil},
			"I hope you have slept well.", "stop", 1, "a",
		},
		{
			"by length, going on without the blank",
			map[string]answer{"a": inTurn(pieces(script("length", "Tell me", " about", " the")), says("roses", " then.")), "b": nil},
			"Tell me about the roses then.", "stop", 1, "a",
		},
		{
			"in the middle of a word",
			map[string]answer{"a": inTurn(pieces(script("length", "What a wonder")), says("ful day.")), "b": nil},
			"What a wonderful day.", "stop", 1, "a",
		},
		{
			"twice",
			map[string]answer{"a": inTurn(pieces(script("length", "One,")), pieces(script("length", " two,")), says("two, three.")), "b": nil},
			"One, two, three.", "stop", 2, "a",
		},
		{
			"without end",
			map[string]answer{"a": inTurn(pieces(script("length", "One")), pieces(script("length", ", two")), pieces(script("length", ", three"))), "b": nil},
			"One, two, three", "length", 2, "a",
		},
		{
			"by the network",
			map[string]answer{"a": cuts(token("Good"), token(" mor")), "b": says("Good morning", ", Ada.")},
			"Good morning, Ada.", "stop", 1, "b",
		},
		{
			"by half a chunk",
			map[string]answer{"a": pieces(token("Good"), `data: {"choices":[{"delta":{"con`), "b": says(" morning.")},
			"Good morning.", "stop", 1, "b",
		},
		{
			"by an error in the stream",
			map[string]answer{"a": pieces(token("Good"), "data: {\"error\":\"overloaded\"}\n\n"), "b": says(" morning.")},
			"Good morning.", "stop", 1, "b",
		},
		{
			"by silence",
			map[string]answer{"a": hangs(token("Good")), "b": says(" morning.")},
			"Good morning.", "stop", 1, "b",
		},
		{
			"by nonsense",
			map[string]answer{"a": pieces(token("Good"), "data: {\n\n", "data: {\n\n", "data: {\n\n", token(" evening")), "b": says(" morning.")},
			"Good morning.", "stop", 1, "b",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.models)
			var got []string
			res, err := s.client(t, func(cfg *llm.Config) {
				if tt.name == "by silence" {
					cfg.StallAfter = 2 * time.Second
				}
			}, "a", "b").Stream(t.Context(), ask(), collect(&got))
			if err != nil {
				t.Fatal(err)
			}
			if res.Text != tt.want || strings.Join(got, "") != tt.want {
				t.Errorf("said %q, result %q, want %q", got, res.Text, tt.want)
			}
			if res.FinishReason != tt.finish || res.Continuations != tt.conts || res.Model != tt.last {
				t.Errorf("got %+v", res)
			}
			reqs := s.requests(tt.last)
			last := reqs[len(reqs)-1].Messages
			partial := last[len(last)-2]
			if text, ok := partial.Content.(string); !ok || partial.Role != llm.RoleAssistant || !strings.HasPrefix(tt.want, text) {
				t.Errorf("asked to continue %+v", partial)
			}
		})
	}
}

// When nobody can go on, what was said stands, and the result says why.
func TestStreamCannotContinue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer answer
		finish string
	}{
		{"after a break", inTurn(cuts(token("Good")), status(500, "")), llm.FinishBroken},
		{"after a length cut", inTurn(pieces(script("length", "Good")), status(500, "")), llm.FinishLength},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"m": tt.answer})
			res, err := s.client(t, nil, "m").Stream(t.Context(), ask(), nil)
			if err != nil || res.Text != "Good" || res.FinishReason != tt.finish || !errors.Is(res.Cause, llm.ErrAllModelsFailed) {
				t.Errorf("got %+v, %v", res, err)
			}
		})
	}
}
