package checks

import (
	"encoding/json"
	"time"

	"github.com/naiber/naiber/store/internal/pg"
)

// Status says how far a health check came.
type Status string

// The statuses of a health check.
const (
	Completed  Status = "completed"   // every question was put
	InProgress Status = "in-progress" // broken off: it may be gone on with
	Stopped    Status = "stopped"     // ended because the person wanted to
)

// Check is one call's health check. A check that a later call went on
// with stands in both: the later one holds all answers, those from the earlier
// one marked as carried.
type Check struct {
	CallID    pg.CallID
	PersonID  pg.PersonID
	Status    Status
	StartedAt time.Time
	EndedAt   time.Time // zero while it runs
	// Resumes is the earlier call whose check this one went on with, if any.
	Resumes pg.CallID
	// ContinuedBy is the later call that went on with this check, if any. It is
	// found when read, and not written.
	ContinuedBy pg.CallID
	// Questions are the session as it was put together, each with its own words,
	// in the persona's own JSON: what is needed to go on with the check.
	Questions json.RawMessage
	Answers   []Answer // in the order of the questions
	Scores    []Score
}

// Answer is what became of one question.
type Answer struct {
	QuestionID  string // "sleep"; a follow-up's is its own
	FollowUpOf  string // the question that led to this one, if any
	Question    string // the pack's wording
	Short       string
	Pack        string
	PackVersion string
	Screen      bool   // part of an instrument, of which a call holds one
	Type        string // scale, boolean, choice, number, text, time
	Status      string // answered, keypad, refused, unclear, skipped, not_reached
	// Value is the answer: a JSON number, boolean or string. Only what is answered
	// or keypad has one; it is nil otherwise.
	Value      json.RawMessage
	Unit       string   // of a number, where the person named one: "kg"
	Ordinal    *float64 // the answer as a number that can be followed over time
	Quote      string   // the person's words that it stands on
	Confidence float64  // 0 to 1
	Source     string   // rules, model, keypad
	Attempts   int
	At         time.Time // zero where it was never asked
	Carried    bool      // it was given in the check that this one resumes
	// Earlier are the readings that the person took back in the same check, oldest first.
	Earlier []Reading
}

// Reading is one reading of an answer that was corrected later.
type Reading struct {
	Status     string          `json:"status"`
	Value      json.RawMessage `json:"value"`
	Unit       string          `json:"unit,omitempty"`
	Quote      string          `json:"quote"`
	Confidence float64         `json:"confidence"`
	At         time.Time       `json:"at"`
}

// Score is an instrument added up; a check has one a pack.
type Score struct {
	Pack     string
	Version  string
	Title    string
	Total    *int // nil where an item is missing
	Highest  int
	Band     string
	Meaning  string
	Positive bool
	Answered int
	Of       int
}

// Point is one answer in the course of time. What a later call carried on
// or corrected is one point, as it stands in the end.
type Point struct {
	QuestionID string
	Question   string // as it was worded then
	Short      string
	Pack       string
	Type       string
	At         time.Time
	Value      json.RawMessage
	Unit       string
	Ordinal    *float64  // nil where the answer is no number that can be followed
	CallID     pg.CallID // in which it was said
}

// Outcome says how an instrument went.
type Outcome string

// The outcomes of an instrument.
const (
	ScreenComplete   Outcome = "complete"   // it has a total
	ScreenPartial    Outcome = "partial"    // it was broken off after some answer
	ScreenUnanswered Outcome = "unanswered" // it was put, and nothing answered
	ScreenRefused    Outcome = "refused"    // the person declined, at least in part
)

// Screen is one time that an instrument was asked.
type Screen struct {
	Pack    string
	At      time.Time // of its last question
	Outcome Outcome
}
