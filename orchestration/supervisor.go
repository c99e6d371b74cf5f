package orchestration

import (
	"context"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/calls"
)

// supervisor holds the persona for each type of call.
type supervisor struct {
	personas map[calls.CallType]Persona
	ladder   Ladder
	unknown  Persona
}

// newSupervisor wraps each persona once: the first middleware is outermost, and the silence ladder
// is next to the persona, except for patient types of call.
func newSupervisor(personas map[calls.CallType]Persona, mw []Middleware, ladder Ladder, patient []calls.CallType, unknown Persona) *supervisor {
	wrap := func(p Persona) Persona {
		for _, c := range slices.Backward(mw) {
			p = c(p)
		}
		return p
	}
	silent := Silence(ladder)
	s := &supervisor{ladder: ladder.withDefaults(), personas: make(map[calls.CallType]Persona, len(personas)), unknown: wrap(silent(unknown))}
	for t, p := range personas {
		if !slices.Contains(patient, t) {
			p = silent(p)
		}
		s.personas[t] = wrap(p)
	}
	return s
}

// pick returns the persona for a type of call and its name for the record. It returns false if none
// is registered; the persona then says the calm sentence.
func (s *supervisor) pick(t calls.CallType) (p Persona, name string, ok bool) {
	if p, ok := s.personas[t]; ok {
		return p, string(t), true
	}
	return s.unknown, "none", false
}

// prompts reports whether a line of ours contains a prompt at a silence.
func (s *supervisor) prompts(tag, line string) bool {
	return slices.ContainsFunc(allInLanguage(tag, s.ladder.Prompts), func(p string) bool { return strings.Contains(line, p) })
}

// calm returns a persona that says one fixed sentence.
func calm(text string) Persona {
	return PersonaFunc(func(_ context.Context, t *Turn, s *Speech) error { return s.SayFixed(inLanguage(t.speaks(), text)) })
}
