package fhir

import "time"

// Status says how far a check came.
type Status string

// The statuses of a check. Anything else is exported as in-progress.
const (
	Completed  Status = "completed"   // every question was put
	InProgress Status = "in-progress" // broken off or still open: a partial check
	Stopped    Status = "stopped"     // ended because the person wanted to
)

// AnswerStatus says what became of a question.
type AnswerStatus string

// The statuses of an answer.
const (
	Answered   AnswerStatus = "answered"
	Keypad     AnswerStatus = "keypad" // answered by pressing a key
	Refused    AnswerStatus = "refused"
	Unclear    AnswerStatus = "unclear"     // asked, and no answer could be made out
	Skipped    AnswerStatus = "skipped"     // asked, and passed over
	NotReached AnswerStatus = "not_reached" // never asked
)

// Check is one health check: its answers in the order of the questions.
type Check struct {
	ID       string // unique; a UUID, or anything that is not
	PersonID string // whom it is about; exported as Patient/{PersonID}
	CallID   string
	Status   Status
	Started  time.Time // in the person's zone, if local times are wanted
	Ended    time.Time // zero while it is open
	Answers  []Answer
	Scores   []Score
}

// Answer is one question and what was answered. Where an answer was corrected in
// the call, the correction alone is handed over.
type Answer struct {
	QuestionID  string // "sleep", "phq.interest"
	Question    string // the pack's wording
	Pack        string // groups the questions: "daily", "phq2"
	PackTitle   string
	PackVersion string
	Type        string // scale, boolean, choice, number, text, time
	Status      AnswerStatus
	Value       Value
	LOINC       string // of the question; empty for none
	Quote       string // the words that the value stands on
	Confidence  float64
	Attempts    int
	At          time.Time
}

// Value is the answer; which fields count depends on the answer's Type.
type Value struct {
	Number float64 // scale, number
	Bool   bool    // boolean
	Text   string  // text; time as "HH:MM"; a choice's value
	Unit   string  // of a number, as it was said: "kg", "lb", "mmol/L"
	Label  string  // a choice's words
	LOINC  string  // a choice's answer code ("LA6568-5")
}

// Score is an instrument added up.
type Score struct {
	Pack     string
	Title    string
	Version  string
	Total    *int   // nil when an item is missing
	Band     string // "negative", "moderate"; empty without a total
	Answered int
	Of       int
	LOINC    string // of the total; empty for none
	Panel    string // LOINC code of the instrument; empty for none
}

// at is when the check was last added to.
func (c Check) at() time.Time {
	if !c.Ended.IsZero() {
		return c.Ended
	}
	last := c.Started
	for _, a := range c.Answers {
		if a.At.After(last) {
			last = a.At
		}
	}
	return last
}

// latest is the answers without those that a later one for the same question
// replaces.
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

func (c Check) score(pack string) (Score, bool) {
	for _, s := range c.Scores {
		if s.Pack == pack {
			return s, true
		}
	}
	return Score{}, false
}
