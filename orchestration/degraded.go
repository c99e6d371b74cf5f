package orchestration

import "context"

// noteDegraded is the key of a turn's note that lists the reasons for its reduced function.
const noteDegraded = "degraded"

// Degraded notes that the reply is made with reduced function, such as "no_memories". Each reason
// is noted in the call's timeline, logged and counted when the turn ends.
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

// countDegraded counts and logs the reasons that the persona gave.
func (s *Server) countDegraded(ctx context.Context, g *generation) {
	for _, reason := range g.speech.degradations() {
		s.degraded(ctx, g, reason, nil)
	}
}
