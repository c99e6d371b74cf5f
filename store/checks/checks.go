package checks

import (
	"encoding/json"
	"time"

	"github.com/naiber/naiber/store/internal/pg"
)

// Status is how far a health check got.
type Status string

// The statuses of a health check.
const (
	Completed  Status = "completed"   // every question was asked
	InProgress Status = "in-progress" // interrupted: it may be resumed
	Stopped    Status = "stopped"     // ended at the person's wish
)

// Check is one call's health check. A check that a later call resumed is stored for both:
// the later one has all answers, with those from the earlier one marked as carried.
type Check struct {
	CallID    pg.CallID
	PersonID  pg.PersonID
	Status    Status
	StartedAt time.Time
	EndedAt   time.Time // zero while it is in progress
	// Resumes is the earlier call whose check this one resumes, if any.
	Resumes pg.CallID
	// ContinuedBy is the later call that resumed this check, if any. It is set when
	// reading, and not stored.
	ContinuedBy pg.CallID
	// Questions is the session as composed, each question with its own wording, in the
	// persona's own JSON: what is needed to resume the check.
	Questions json.RawMessage
	Answers   []Answer // in the order of the questions
	Scores    []Score
}

// Answer is the result of one question.
type Answer struct {
	QuestionID  string // "sleep"; a follow-up has its own
	FollowUpOf  string // the question that led to this one, if any
	Question    string // the pack's wording
	Short       string
	Pack        string
	PackVersion string
	Screen      bool   // part of an instrument, of which a call has one
	Type        string // scale, boolean, choice, number, text, time
	Status      string // answered, keypad, refused, unclear, skipped, not_reached
	// Value is the answer: a JSON number, boolean or string. It is nil unless Status is
	// answered or keypad.
	Value      json.RawMessage
	Unit       string   // of a number, if the person named one: "kg"
	Ordinal    *float64 // the answer as a number that can be tracked over time
	Quote      string   // the person's words that support it
	Confidence float64  // 0 to 1
	Source     string   // rules, model, keypad
	Attempts   int
	At         time.Time // zero if it was never asked
	Carried    bool      // given in the check that this one resumes
	// Earlier are the readings that the person corrected in the same check, oldest first.
	Earlier []Reading
}

// Reading is one reading of an answer that was later corrected.
type Reading struct {
	Status     string          `json:"status"`
	Value      json.RawMessage `json:"value"`
	Unit       string          `json:"unit,omitempty"`
	Quote      string          `json:"quote"`
	Confidence float64         `json:"confidence"`
	At         time.Time       `json:"at"`
}

// Score is the total of an instrument; a check has one per pack.
type Score struct {
	Pack     string
	Version  string
	Title    string
	Total    *int // nil if an item is missing
	Highest  int
	Band     string
	Meaning  string
	Positive bool
	Answered int
	Of       int
}

// Point is one answer in a time series. An answer that a later call carried over or
// corrected is one point, with its final value.
type Point struct {
	QuestionID string
	Question   string // the wording at that time
	Short      string
	Pack       string
	Type       string
	At         time.Time
	Value      json.RawMessage
	Unit       string
	Ordinal    *float64  // nil if the answer is not a number that can be tracked
	CallID     pg.CallID // the call in which it was said
}

// Outcome is how an instrument ended.
type Outcome string

// The outcomes of an instrument.
const (
	ScreenComplete   Outcome = "complete"   // it has a total
	ScreenPartial    Outcome = "partial"    // interrupted after some answer
	ScreenUnanswered Outcome = "unanswered" // asked, but no item was answered
	ScreenRefused    Outcome = "refused"    // the person declined, at least in part
)

// Screen is one use of an instrument.
type Screen struct {
	Pack    string
	At      time.Time // of its last question
	Outcome Outcome
}
