package fhir

import (
	"github.com/naiber/naiber/store/checks"
)

// Check is one health check with what the question packs add to it. Its times are in the zone in
// which they are written. Its Answers and Scores replace the embedded ones.
type Check struct {
	checks.Check

	Answers []Answer
	Scores  []Score
}

// Answer is one question and its answer. If an answer was corrected in the call, only the
// correction is exported.
type Answer struct {
	checks.Answer

	PackTitle string
	Value     Value
	LOINC     string // of the question; may be empty
}

// Value is the answer. The answer's Type determines which fields are used.
type Value struct {
	Number float64 // scale, number
	Bool   bool    // boolean
	Text   string  // text; time as "HH:MM"; a choice's value
	Unit   string  // of a number, as it was said: "kg", "lb", "mmol/L"
	Label  string  // a choice's words
	LOINC  string  // a choice's answer code ("LA6568-5")
}

// Score is the score of an instrument.
type Score struct {
	checks.Score

	LOINC string // of the total; may be empty
	Panel string // LOINC code of the instrument; may be empty
}

// latest returns the answers without those that a later one for the same question replaces.
func (c Check) latest() []Answer {
	last := map[string]int{}
	for i, a := range c.Answers {
		last[a.QuestionID] = i
	}
	out := make([]Answer, 0, len(last))
	for i, a := range c.Answers {
		if last[a.QuestionID] == i {
			out = append(out, a)
		}
	}
	return out
}
