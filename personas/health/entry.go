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
	Reach

	Granted int  `json:"granted,omitempty"` // of Asked: how often the person wished to be asked again
	Read    int  `json:"read,omitempty"`    // how often an answer was read back
	Failed  int  `json:"failed,omitempty"`  // replies that held no answer
	Waits   int  `json:"waits,omitempty"`   // replies that were met by waiting
	Keyed   bool `json:"keyed,omitempty"`   // keys were offered
	Guessed bool `json:"guessed,omitempty"` // a guess was read back
	// Reopened: an answer stands, and the person wants it changed.
	Reopened bool `json:"reopened,omitempty"`
	// Dropped: not asked any more, because its instrument was declined, or what it
	// follows up on was taken back.
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
	Reach
}

// Reach is whether the person has heard what they were asked.
type Reach struct {
	Heard bool `json:"heard,omitempty"` // to its end
	Cut   int  `json:"cut,omitempty"`   // replies that came before that
}

// reached takes note of a reply, which missed the end of the words or not, and reports
// whether it can be meant for them: who has heard a question once speaks of it however
// soon it is cut short, and so does who has cut it short too often.
func (r *Reach) reached(missed bool) bool {
	if missed && !r.Heard && r.Cut < maxAgain {
		r.Cut++
		return false
	}
	r.Heard = true
	return true
}

// asAnswer makes an answer of what was read, and reports false where its value is no answer
// to the question.
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

// grant has the question put once more because the person wishes it, which is not
// counted as a try, up to a bound.
func (e *Entry) grant() { e.Granted = min(e.Granted+1, maxGranted) }

// tries is how often the question was put without a wish of the person.
func (e *Entry) tries() int { return e.Asked - e.Granted }

// withdrawn reports whether it is a follow-up that nothing leads to any more and
// that nobody answered: it is in no record.
func (e *Entry) withdrawn() bool { return e.FollowUpOf != "" && e.Dropped && e.Answer == nil }

// open reports whether the entry is still to be asked.
func (e *Entry) open() bool { return e.Reopened || e.Answer == nil && !e.Dropped }
