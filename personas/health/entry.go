package health

import (
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// Entry is one question of a check and what has become of it.
type Entry struct {
	Question   packs.Question `json:"question"`
	FollowUpOf string         `json:"followUpOf,omitempty"`
	Yesterday  *packs.Value   `json:"yesterday,omitempty"` // the last answer, for "same as yesterday"

	Asked   int       `json:"asked,omitempty"`   // how often it was put
	AskedAt time.Time `json:"askedAt,omitzero"`  // when it was put last
	Wording int       `json:"wording,omitempty"` // which wording comes next, from 0
	Put     int       `json:"put,omitempty"`     // which wording came last
	Same    bool      `json:"same,omitempty"`    // it was said again as it was, for the person asked for that

	Failed  int  `json:"failed,omitempty"`  // replies that held no answer
	Asides  int  `json:"asides,omitempty"`  // replies that were about something else
	Keyed   bool `json:"keyed,omitempty"`   // keys were offered
	Guessed bool `json:"guessed,omitempty"` // a guess was read back
	// Reopened: an answer stands, and the person wants it changed.
	Reopened bool `json:"reopened,omitempty"`
	// Dropped: not asked any more, because its instrument was declined.
	Dropped bool `json:"dropped,omitempty"`

	Answer  *Answer  `json:"answer,omitempty"`
	Earlier []Answer `json:"earlier,omitempty"` // what the person took back, oldest first
	Fresh   bool     `json:"fresh,omitempty"`   // its follow-ups have not been seen to
}

// Answer is one reading that was recorded.
type Answer struct {
	Status     string      `json:"status"`
	Value      packs.Value `json:"value,omitzero"`
	Confidence float64     `json:"confidence,omitempty"`
	Quote      string      `json:"quote,omitempty"`
	Source     string      `json:"source,omitempty"`
	At         time.Time   `json:"at"`
	Carried    bool        `json:"carried,omitempty"`
	Asked      int         `json:"asked,omitempty"` // how often it was asked for, where it is carried
}

// Pending is a reading that is read back before it counts.
type Pending struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	// Guess: rules saw a value, and were not sure enough to record it.
	Guess bool `json:"guess,omitempty"`
	// Verbal: the guess is where words without a number stand on a scale.
	Verbal bool `json:"verbal,omitempty"`
	// Correction: it takes back an earlier answer.
	Correction bool `json:"correction,omitempty"`
	Times      int  `json:"times,omitempty"` // how often it was read back
}

// given reports whether the answer has a value.
func (a *Answer) given() bool {
	return a != nil && (a.Status == string(reader.Answered) || a.Status == string(reader.Keypad))
}

// open reports whether the entry is still to be asked.
func (e *Entry) open() bool { return e.Reopened || e.Answer == nil && !e.Dropped }
