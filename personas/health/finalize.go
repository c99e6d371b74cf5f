package health

import (
	"context"
	"slices"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/words"
)

// finalize says goodbye. The call is ended by whoever speaks the words, so that a
// repeated last turn ends it as well.
func (p *Persona) finalize(_ context.Context, s *State, r *graph.Run[heard]) error {
	if s.Ended == "" {
		s.Ended = EndedDone
	}
	s.Phase = PhaseClosing
	return r.Say(s.say(s.closing()))
}

func (s *State) closing() words.Situation {
	switch s.Ended {
	case EndedWrongPerson:
		return words.ClosingWrongPerson
	case EndedLater:
		return words.ClosingLater
	case EndedStopped:
		if !slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Answer != nil }) {
			return words.ClosingLater
		}
		return words.ClosingStopped
	case EndedDone:
	}
	return words.ClosingDone
}

// endReason is why the call ends, for its record.
func (s *State) endReason() string {
	if s.Ended == "" {
		return "health_check_" + string(EndedDone)
	}
	return "health_check_" + string(s.Ended)
}
