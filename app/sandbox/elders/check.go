package elders

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// mostCheckTurns is how long anybody's patience with a health check lasts.
const mostCheckTurns = 60

// A checkSubject is one question of a health check, as an elder knows it.
type checkSubject struct {
	Subject string   `yaml:"subject"`
	Cues    []string `yaml:"cues"`
	Lines   []string `yaml:"lines"`
}

// healthCheck is what all elders know of health checks.
type healthCheck struct {
	Begins   []string       `yaml:"begins"`
	Subjects []checkSubject `yaml:"subjects"`
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
func (h healthCheck) subject(heard string) (checkSubject, bool) {
	questions := questionIn.FindAllString(heard, -1)
	slices.Reverse(questions)
	for _, q := range questions {
		text, longest, best := english.Plain(q), 0, checkSubject{}
		for _, s := range h.Subjects {
			if n := longestIn(text, s.Cues); n > longest {
				longest, best = n, s
			}
		}
		if longest > 0 {
			return best, true
		}
	}
	return checkSubject{}, false
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
