package elders

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// mostCheckTurns is how long anybody's patience with a health check lasts.
const mostCheckTurns = 60

// healthCheck is what all elders know of health checks.
type healthCheck struct {
	Begins   []string  `yaml:"begins"`
	Subjects []subject `yaml:"subjects"`
}

var theCheck = sync.OnceValue(func() (h healthCheck) {
	mustRead("check.yaml", &h)
	return h
})

// begins reports whether these words begin a health check.
func (h healthCheck) begins(heard string) bool {
	return english.Holds(english.Plain(heard), h.Begins...)
}

// subject is the question that was asked: of the questions in the words the last
// one that any cue fits.
func (h healthCheck) subject(heard string) (subject, bool) {
	for _, q := range questionsIn(heard) {
		if found := cued(h.Subjects, q); len(found) > 0 {
			return found[0], true
		}
	}
	return subject{}, false
}

// inCheck reports whether the elder is in a health check, from the words on that
// begin one. Whoever is not the person has no answers.
func (s *Script) inCheck(heard string) bool {
	s.check = s.check || s.elder.Manner != WrongPerson && theCheck().begins(heard)
	return s.check
}

var keyLine = regexp.MustCompile(`^\[([0-9*#]+)\]$`)

// answerCheck is what the elder does in a health check. They stay until nAIber
// takes leave, and say nothing where nothing was asked.
func (s *Script) answerCheck(heard string) Reaction {
	asked, ok := theCheck().subject(heard)
	switch {
	case takesLeave(heard) || s.turn >= mostCheckTurns:
		return s.leave()
	case !ok:
		return Reaction{Silent: true, Delay: s.delay() + 2*time.Second}
	}
	chance, odd := s.rng.Float64(), s.odd
	s.odd = false
	if s.elder.Manner == HardOfHearing && !odd && asked.Subject != "moment" && chance < 0.3 {
		s.odd = true
		return s.spoken(s.nextQuirk())
	}
	lines := asked.Lines
	if own := s.elder.Check[asked.Subject]; len(own) > 0 {
		lines = own
	}
	line := lines[min(s.asked[asked.Subject], len(lines)-1)]
	s.asked[asked.Subject]++
	if m := keyLine.FindStringSubmatch(line); m != nil {
		return Reaction{Press: m[1], Delay: s.delay()}
	}
	return s.spoken(strings.TrimSpace(line))
}
