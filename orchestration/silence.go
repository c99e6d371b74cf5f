package orchestration

import (
	"context"
	"strings"

	"github.com/naiber/naiber/store/calls"
)

// Ladder holds what to say when nobody speaks, rung by rung. The last rung says Goodbye and ends
// the call.
type Ladder struct {
	// Prompts are said one after the other; default two.
	Prompts []string
	// Goodbye is said if nobody answers the last prompt.
	Goodbye string
}

// endedBySilence is the reason for ending a call on which nobody speaks.
const endedBySilence = "silence"

// Silence returns a middleware that answers turns in which nobody spoke, without the persona and
// without a model. The rung is computed from the history, so it survives a restart; speech resets
// it.
func Silence(l Ladder) Middleware {
	l = l.withDefaults()
	return func(next Persona) Persona {
		return PersonaFunc(func(ctx context.Context, t *Turn, s *Speech) error {
			if t.Kind != calls.TurnSilence {
				return next.Reply(ctx, t, s)
			}
			return l.in(t.speaks()).climb(t, s)
		})
	}
}

func (l Ladder) withDefaults() Ladder {
	if len(l.Prompts) == 0 {
		l.Prompts = DefaultLadder.Prompts
	}
	if l.Goodbye == "" {
		l.Goodbye = DefaultLadder.Goodbye
	}
	return l
}

// in returns the ladder in a language.
func (l Ladder) in(tag string) Ladder {
	return Ladder{Prompts: allInLanguage(tag, l.Prompts), Goodbye: inLanguage(tag, l.Goodbye)}
}

func (l Ladder) climb(t *Turn, s *Speech) error {
	rung := l.rung(t)
	s.Note("rung", rung)
	if rung <= len(l.Prompts) {
		return s.SayFixed(l.Prompts[rung-1])
	}
	if err := s.SayFixed(l.Goodbye); err != nil {
		return err
	}
	return s.EndCall(endedBySilence)
}

// WithoutPrompts returns a line without the prompts of the [DefaultLadder], in any language.
func WithoutPrompts(line string) string {
	for _, kinds := range words {
		for _, p := range kinds["silence"] {
			line = strings.ReplaceAll(line, p, "")
		}
	}
	return strings.TrimSpace(line)
}

// rung returns the call's position on the ladder, from 1. The count of silences may be too low if
// the voice service joins our lines into one, so our own prompts in the last line count too.
func (l Ladder) rung(t *Turn) int {
	rung := max(t.Silences, 1)
	last := t.LastSaid()
	for i, p := range l.Prompts {
		if strings.Contains(last, p) {
			rung = max(rung, i+2)
		}
	}
	return rung
}
