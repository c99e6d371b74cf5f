package elders

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed check.yaml
var checkYAML []byte

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

var theCheck = sync.OnceValues(func() (healthCheck, error) { return parseCheck(checkYAML) })

func parseCheck(data []byte) (healthCheck, error) {
	var h healthCheck
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&h); err != nil {
		return healthCheck{}, fmt.Errorf("read check: %w", err)
	}
	problems := plainCues("begins", h.Begins)
	for _, s := range h.Subjects {
		problems = append(problems, plainCues(s.Subject, s.Cues)...)
		if len(s.Cues) == 0 || len(s.Lines) == 0 {
			problems = append(problems, fmt.Errorf("read check: %s has no cues or no lines", s.Subject))
		}
	}
	return h, errors.Join(problems...)
}

func plainCues(subject string, cues []string) []error {
	var problems []error
	for _, cue := range cues {
		if cue != plainText(cue) {
			problems = append(problems, fmt.Errorf("read check: %q of %s is not in lower case without marks", cue, subject))
		}
	}
	return problems
}

// checkCheck returns what is wrong with the elder's own answers.
func (e Elder) checkCheck() []error {
	h, err := theCheck()
	if err != nil {
		return []error{err}
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(e.Check)) {
		if !slices.ContainsFunc(h.Subjects, func(s checkSubject) bool { return s.Subject == name }) {
			problems = append(problems, fmt.Errorf("elder %s: no question leads to check.%s", e.ID, name))
		}
		if len(e.Check[name]) == 0 || slices.Contains(e.Check[name], "") {
			problems = append(problems, fmt.Errorf("elder %s: check.%s is empty or has an empty line", e.ID, name))
		}
	}
	return problems
}

// begins reports whether these words begin a health check.
func (h healthCheck) begins(heard string) bool {
	text := plainText(heard)
	return slices.ContainsFunc(h.Begins, func(b string) bool { return says(text, b) })
}

// subject is the question that was asked: of the questions in the words the last
// one that any cue fits.
func (h healthCheck) subject(heard string) (checkSubject, bool) {
	questions := questionIn.FindAllString(heard, -1)
	slices.Reverse(questions)
	for _, q := range questions {
		text, longest, best := plainText(q), 0, checkSubject{}
		for _, s := range h.Subjects {
			for _, cue := range s.Cues {
				if len(cue) > longest && says(text, cue) {
					longest, best = len(cue), s
				}
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
	if h, err := theCheck(); err == nil && !s.check && s.elder.Manner != WrongPerson {
		s.check = h.begins(heard)
	}
	return s.check
}

var keyLine = regexp.MustCompile(`^\[([0-9*#]+)\]$`)

// answerCheck is what the elder does in a health check. They stay until nAIber
// takes leave, and say nothing where nothing was asked.
func (s *Script) answerCheck(heard string) Reaction {
	h, _ := theCheck()
	asked, ok := h.subject(heard)
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
