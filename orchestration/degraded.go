package orchestration

import "context"

// noteDegraded is the note of a turn that lists the reasons why it was served with less than all.
const noteDegraded = "degraded"

// Degraded says that the reply is made with less than all, such as
// "no_memories". Each reason is noted on the call's timeline, logged and counted
// when the turn ends.
func (s *Speech) Degraded(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notes == nil {
		s.notes = make(map[string]any, 4)
	}
	reasons, _ := s.notes[noteDegraded].([]string)
	s.notes[noteDegraded] = append(reasons, reason)
}

// degradations returns the reasons given to [Speech.Degraded].
func (s *Speech) degradations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	reasons, _ := s.notes[noteDegraded].([]string)
	return reasons
}

// countDegraded counts and logs what the persona itself did without.
func (s *Server) countDegraded(ctx context.Context, g *generation) {
	for _, reason := range g.speech.degradations() {
		s.degraded(ctx, g, reason, nil)
	}
}
