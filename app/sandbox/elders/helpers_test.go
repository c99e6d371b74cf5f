package elders

import "strings"

// Manners lists all manners.
func Manners() []Manner {
	return []Manner{Plain, Chatty, Slow, HardOfHearing, Confused, Distressed, WrongPerson, Quiet}
}

// Text is all that is said, without the pauses.
func (r Reaction) Text() string {
	parts := []string{r.Say}
	for _, p := range r.Rest {
		parts = append(parts, p.Say)
	}
	return strings.Join(parts, " ")
}

// Over reports whether the elder has said goodbye.
func (s *Script) Over() bool { return s.gone }
