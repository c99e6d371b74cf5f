package health

import (
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// Entry is one question of a check, with its answer and its history.
type Entry struct {
	Question   packs.Question `json:"question"`
	FollowUpOf string         `json:"followUpOf,omitempty"`
	Yesterday  *packs.Value   `json:"yesterday,omitempty"` // the last answer, for "same as yesterday"

	Asked   int       `json:"asked,omitempty"`   // how often it was asked
	AskedAt time.Time `json:"askedAt,omitzero"`  // when it was last asked
	Wording int       `json:"wording,omitempty"` // the next wording, from 0
	Put     int       `json:"put,omitempty"`     // the last wording
	Same    bool      `json:"same,omitempty"`    // the last wording was repeated, as the person requested
	Reach

	Granted int  `json:"granted,omitempty"` // how many of Asked were at the person's request
	Read    int  `json:"read,omitempty"`    // how often an answer was read back
	Failed  int  `json:"failed,omitempty"`  // replies without an answer
	Waits   int  `json:"waits,omitempty"`   // replies that were answered by waiting
	Keyed   bool `json:"keyed,omitempty"`   // keys were offered
	Guessed bool `json:"guessed,omitempty"` // a guess was read back
	// Reopened is set if there is an answer, but the person wants to change it.
	Reopened bool `json:"reopened,omitempty"`
	// Dropped is set if the question is no longer asked, because its instrument was declined or the
	// answer that it follows up on was taken back.
	Dropped bool `json:"dropped,omitempty"`

	Answer  *Answer  `json:"answer,omitempty"`
	Earlier []Answer `json:"earlier,omitempty"` // what the person took back, oldest first
	Fresh   bool     `json:"fresh,omitempty"`   // its follow-ups have not been handled yet
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
	Asked      int         `json:"asked,omitempty"` // how often it was asked for, if Carried is set
}

// Pending is a reading that must be read back before it counts.
type Pending struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	// Guess is set if the value is not certain enough to be recorded without confirmation.
	Guess bool `json:"guess,omitempty"`
	// Verbal is set if the value is the usual place on a scale of words without a number.
	Verbal bool `json:"verbal,omitempty"`
	// Correction is set if it replaces an earlier answer.
	Correction bool `json:"correction,omitempty"`
	Times      int  `json:"times,omitempty"` // how often it was read back
	Reach
}

// Reach records whether the person has heard what they were asked.
type Reach struct {
	Heard bool `json:"heard,omitempty"` // to its end
	Cut   int  `json:"cut,omitempty"`   // replies that came before that
}

// reached records a reply and reports whether it can be an answer to the question. missed says that
// it came before the end of the question. A person who has heard the question once may answer at
// any time, and so may one who has interrupted it too often.
func (r *Reach) reached(missed bool) bool {
	if missed && !r.Heard && r.Cut < maxAgain {
		r.Cut++
		return false
	}
	r.Heard = true
	return true
}

// asAnswer returns a reading as an answer, and false if its value is not an answer to the question.
func (e *Entry) asAnswer(rd reader.Reading, source string, at time.Time) (Answer, bool) {
	a := Answer{Status: string(rd.Status), Confidence: rd.Confidence, Quote: rd.Quote, Source: source, At: at}
	if rd.Status == reader.Keypad {
		a.Source = sourceKeypad
	}
	if !a.given() {
		return a, true
	}
	a.Value = e.value(rd.Value)
	return a, e.Question.Accepts(a.Value)
}

// given reports whether the answer has a value.
func (a *Answer) given() bool {
	return a != nil && (a.Status == string(reader.Answered) || a.Status == string(reader.Keypad))
}

// grant allows for asking the question again at the person's request, without counting it as an
// attempt, up to maxGranted times.
func (e *Entry) grant() { e.Granted = min(e.Granted+1, maxGranted) }

// tries returns how often the question was asked, other than at the person's request.
func (e *Entry) tries() int { return e.Asked - e.Granted }

// withdrawn reports whether it is a follow-up that no longer applies and was not answered. Such an
// entry is not recorded.
func (e *Entry) withdrawn() bool { return e.FollowUpOf != "" && e.Dropped && e.Answer == nil }

// open reports whether the entry still has to be asked.
func (e *Entry) open() bool { return e.Reopened || e.Answer == nil && !e.Dropped }
