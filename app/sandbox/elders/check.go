package elders

import (
	"strings"
	"time"
)

// mostCheckTurns is the number of turns after which an elder ends a health check.
const mostCheckTurns = 60

// healthCheck is what all elders understand and say in health checks.
type healthCheck struct {
	Begins   []string  `yaml:"begins"`
	Leaves   []string  `yaml:"leaves"`  // nAIber says goodbye
	Nothing  []string  `yaml:"nothing"` // what they say when nothing was heard, one after the other
	Subjects []subject `yaml:"subjects"`
}

// answerCheck returns what the elder does in a health check. They stay until nAIber says goodbye,
// and say nothing if nothing was asked.
func (s *Script) answerCheck(heard string) Reaction {
	var asked []subject // subjects of the questions, those of the last question first
	for _, q := range questionsIn(heard) {
		asked = append(asked, cued(s.ear.check.Subjects, q)...)
	}
	switch {
	case s.ear.takesLeave(heard) || s.turn >= mostCheckTurns:
		return s.leave()
	case len(asked) == 0:
		return Reaction{Silent: true, Delay: s.delay() + 2*time.Second}
	}
	about := asked[0]
	chance, odd := s.rng.Float64(), s.odd
	s.odd = false
	if s.elder.Manner == HardOfHearing && !odd && about.Subject != "moment" && chance < 0.3 {
		s.odd = true
		return s.spoken(s.again("quirks"))
	}
	lines := s.elder.Check[about.Subject]
	if len(lines) == 0 {
		lines = about.Lines
	}
	line := lines[min(s.asked[about.Subject], len(lines)-1)]
	s.asked[about.Subject]++
	if keys, ok := strings.CutPrefix(line, "["); ok {
		return Reaction{Press: strings.TrimSuffix(keys, "]"), Delay: s.delay()}
	}
	return s.spoken(strings.TrimSpace(line))
}
