// Package score gives points for what was said to an item of a cognitive check, by rules,
// with the words that each point rests on.
package score

import (
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// Said is one piece of what a person said to an item, as it was recognised.
type Said struct {
	Text string
	// After is how long after the item was put the piece had ended; 0: unknown.
	After time.Duration
}

// Facts are what an answer may be compared with.
type Facts struct {
	Now     time.Time // in the person's zone
	Born    string    // "1941-03-29"; empty: unknown
	Address string    // empty: unknown
}

// Evidence is a quote and what it gave.
type Evidence struct {
	Quote  string `json:"quote"`
	Counts bool   `json:"counts"`
	// Why is empty where the quote counts as it stands; else one of the reasons below.
	Why string `json:"why,omitempty"`
}

// The reasons.
const (
	WhyVariant   = "variant"   // another form or spelling of a word, as a recogniser may write it
	WhyRepeated  = "repeated"  // it was said before
	WhyIntrusion = "intrusion" // it is none of the words asked for
	WhyWrong     = "wrong"     // it is not the answer
	WhyLate      = "late"      // it came after the time was over
	WhyTalk      = "talk"      // said about the task, not in it
	WhyCorrected = "corrected" // taken back for what came after it
)

// Score is what an item came to.
type Score struct {
	Points   int
	Max      int // 0: open ended
	Evidence []Evidence
	// Level is the level of a digits item that was managed, else 0.
	Level int
	// Unclear says that rules could make nothing of what was said: it may be asked once more
	// where the item allows it, and has no points otherwise.
	Unclear bool
}

// Item scores what was said to an item. said are pieces in order, form is the form that
// the item is of. Nothing said is no points.
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
