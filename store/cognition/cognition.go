// Package cognition keeps cognitive checks: what each came to, task by task, with the
// words it rests on, and what a human corrected.
package cognition

import (
	"slices"
	"time"

	"github.com/naiber/naiber/store/internal/pg"
)

// Status says how far a check came.
type Status string

// The statuses of a check.
const (
	Complete  Status = "complete"  // every task was put
	Partial   Status = "partial"   // it was broken off, or a task is void
	Postponed Status = "postponed" // it was no good moment; nothing was asked
	Declined  Status = "declined"  // the person did not want it
)

// TaskStatus says what became of a task.
type TaskStatus string

// The statuses of a task.
const (
	TaskComplete   TaskStatus = "complete"
	TaskPartial    TaskStatus = "partial"     // broken off within it
	TaskVoid       TaskStatus = "void"        // disturbed: it tells nothing
	TaskRefused    TaskStatus = "refused"     // the person did not want it
	TaskNotReached TaskStatus = "not_reached" // the check ended before it
)

// Check is the cognitive check of one call.
type Check struct {
	CallID      pg.CallID
	PersonID    pg.PersonID
	Language    string
	Form        string // the forms together, "six_item a, story c, ..."
	Status      Status
	StartedAt   time.Time
	EndedAt     time.Time // zero: the call's own ending
	Confounders []Confounder
	Tasks       []Task
}

// Suits is the kind of the one [Confounder] that disturbed nothing: of a check that was
// postponed, its quote says when the person would like to be phoned.
const Suits = "postponed"

// Confounder is what may have disturbed a check.
type Confounder struct {
	Kind  string    `json:"kind"` // hearing, noise, illness, sleep, mood, medicine, company, interrupted; or Suits
	Quote string    `json:"quote,omitempty"`
	At    time.Time `json:"at"`
}

// Task is what became of one task.
type Task struct {
	TaskID  string
	Version string
	Title   string
	Form    string
	Status  TaskStatus
	Why     string // of what is void: interrupted, line_dropped, prompted, noise, not_heard
	// Raw is the score by rules, Max its highest, 0 where it is open ended. Raw is nil where
	// there is none.
	Raw     *int
	Max     int
	Seconds *float64 // from the item's end to the answer's, added up; nil: unknown
	At      time.Time
	// Evidence are the quotes that the score rests on, in order.
	Evidence []Evidence
	// Confidence is 0 to 1: hearing, interruptions and confounders lower it.
	Confidence float64
	// Correction is a human's, the last one; nil: there is none. It is read, and not written.
	Correction *Correction
}

// Score is the corrected score where there is one, else the one by rules.
func (t *Task) Score() *int {
	if t.Correction != nil {
		return &t.Correction.Raw
	}
	return t.Raw
}

// Evidence is a quote and what it gave; Item is the item that it answered.
type Evidence struct {
	Item   string `json:"item"`
	Quote  string `json:"quote"`
	Counts bool   `json:"counts"`
	Why    string `json:"why,omitempty"`
}

// Correction is a score that a human gave in place of the rules'. Both are kept.
type Correction struct {
	Raw  int
	By   string
	Note string
	At   time.Time
}

// In is the check with its times in a zone.
func (c Check) In(loc *time.Location) Check {
	in := func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return t.In(loc)
	}
	c.StartedAt, c.EndedAt = in(c.StartedAt), in(c.EndedAt)
	c.Confounders, c.Tasks = slices.Clone(c.Confounders), slices.Clone(c.Tasks)
	for i := range c.Confounders {
		c.Confounders[i].At = in(c.Confounders[i].At)
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.At = in(t.At); t.Correction != nil {
			fixed := *t.Correction
			fixed.At = in(fixed.At)
			t.Correction = &fixed
		}
	}
	return c
}
