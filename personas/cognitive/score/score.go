// Package score scores by rules what was said to an item of a cognitive check, and quotes the words
// that each point rests on.
package score

import (
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// Said is one piece of what a person said to an item, as recognised.
type Said struct {
	Text string
	// After is the time from the item to the end of the piece; 0: unknown.
	After time.Duration
}

// Facts holds what answers are compared with.
type Facts struct {
	Now     time.Time // in the person's zone
	Born    string    // "1941-03-29"; empty: unknown
	Address string    // empty: unknown
}

// Evidence is a quote and whether it counts.
type Evidence struct {
	Quote  string `json:"quote"`
	Counts bool   `json:"counts"`
	// Why is empty if the quote counts as it stands; else it is one of the reasons below.
	Why string `json:"why,omitempty"`
}

// The reasons.
const (
	WhyVariant   = "variant"   // another form or spelling of a word, as a recogniser may write it
	WhyRepeated  = "repeated"  // it was said before
	WhyIntrusion = "intrusion" // it is not one of the words asked for
	WhyWrong     = "wrong"     // it is not the answer
	WhyLate      = "late"      // it came after the time was up
	WhyTalk      = "talk"      // said about the task, not as an answer
	WhyCorrected = "corrected" // replaced by what came after it
)

// Score is the result of an item.
type Score struct {
	Points   int
	Max      int // 0: open ended
	Evidence []Evidence
	// Level is the level of a digits item if it was managed, else 0.
	Level int
	// Unclear is set if the rules could not interpret what was said: it may be asked once more if
	// the item allows it, and otherwise has no points.
	Unclear bool
}

// Item scores what was said to an item of form f, in pieces in order. If nothing was said it gives
// no points.
func Item(t tasks.Task, f tasks.Form, it tasks.Item, said []Said, facts Facts) Score {
	switch it.Kind {
	case tasks.Register, tasks.Recall:
		return words(t, f, it, said)
	case tasks.Question:
		return question(t, it, said, facts)
	case tasks.Digits:
		return digits(t, it, said)
	case tasks.Fluency:
		return fluency(t, it, said)
	case tasks.Story, tasks.Reason:
		return ideas(t, f, it, said)
	}
	return Score{Max: it.Max, Unclear: true}
}
