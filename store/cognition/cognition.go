// Package cognition stores cognitive checks: the result of each, task by task, with the
// words that support it, and human corrections.
package cognition

import (
	"slices"
	"time"

	"github.com/naiber/naiber/store/internal/pg"
)

// Status is how far a check got.
type Status string

// The statuses of a check.
const (
	Complete  Status = "complete"  // every task was asked
	Partial   Status = "partial"   // interrupted, or a task is void
	Postponed Status = "postponed" // a bad moment; nothing was asked
	Declined  Status = "declined"  // the person did not want it
)

// TaskStatus is the result of a task.
type TaskStatus string

// The statuses of a task.
const (
	TaskComplete   TaskStatus = "complete"
	TaskPartial    TaskStatus = "partial"     // interrupted within it
	TaskVoid       TaskStatus = "void"        // disturbed, without meaning
	TaskRefused    TaskStatus = "refused"     // the person did not want it
	TaskNotReached TaskStatus = "not_reached" // the check ended before it
)

// Check is the cognitive check of one call.
type Check struct {
	CallID      pg.CallID
	PersonID    pg.PersonID
	Language    string
	Form        string // all forms: "six_item a, story c, ..."
	Status      Status
	StartedAt   time.Time
	EndedAt     time.Time // zero means the end of the call
	Confounders []Confounder
	Tasks       []Task
}

// Suits is the kind of the one [Confounder] that is no disturbance: in a postponed check,
// its quote says when the person would like to be called.
const Suits = "postponed"

// Confounder is a possible disturbance of a check.
type Confounder struct {
	Kind  string    `json:"kind"` // hearing, noise, illness, sleep, mood, medicine, company, interrupted; or Suits
	Quote string    `json:"quote,omitempty"`
	At    time.Time `json:"at"`
}

// Task is the result of one task.
type Task struct {
	TaskID  string
	Version string
	Title   string
	Form    string
	Status  TaskStatus
	Why     string // of a void task: interrupted, line_dropped, prompted, noise, not_heard
	// Raw is the score by rules, or nil if there is none. Max is the highest possible
	// score, 0 if it is open-ended.
	Raw     *int
	Max     int
	Seconds *float64 // total time from the end of the item to that of the answer; nil if unknown
	At      time.Time
	// Evidence are the quotes that support the score, in order.
	Evidence []Evidence
	// Confidence is 0 to 1: hearing, interruptions and confounders lower it.
	Confidence float64
	// Correction is the latest human correction, nil if there is none. It is set when
	// reading, and not stored.
	Correction *Correction
}

// Score returns the corrected score if there is one, otherwise the score by rules.
func (t *Task) Score() *int {
	if t.Correction != nil {
		return &t.Correction.Raw
	}
	return t.Raw
}

// Evidence is a quote and how it counted; Item is the item that it answered.
type Evidence struct {
	Item   string `json:"item"`
	Quote  string `json:"quote"`
	Counts bool   `json:"counts"`
	Why    string `json:"why,omitempty"`
}

// Correction is a human's score, which replaces that of the rules. Both are stored.
type Correction struct {
	Raw  int
	By   string
	Note string
	At   time.Time
}

// In returns the check with its times in a time zone.
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
