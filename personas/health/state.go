package health

import (
	"iter"
	"slices"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

// Phase is what the person was last asked for.
type Phase string

// The phases.
const (
	PhaseOpening       Phase = "opening"        // whether this is a good moment
	PhaseAsking        Phase = "asking"         // a question or follow-up
	PhaseReadingBack   Phase = "reading_back"   // whether an answer was understood
	PhaseKeypad        Phase = "keypad"         // a question, with keys on offer
	PhaseDistress      Phase = "distress"       // nothing: time was given, and stopping offered
	PhaseConfirmExit   Phase = "confirm_exit"   // whether to stop
	PhaseConfirmPerson Phase = "confirm_person" // whether it is the person who speaks
	PhaseClosing       Phase = "closing"        // nothing more
)

// Ending is how a check ended.
type Ending string

// The endings. The empty one: it has not.
const (
	EndedDone        Ending = "done"
	EndedStopped     Ending = "stopped"      // the person wanted to stop
	EndedLater       Ending = "later"        // it was no good moment, before anything was asked
	EndedWrongPerson Ending = "wrong_person" // somebody else was on the line
)

// The sources of an answer.
const (
	sourceRules  = "rules"
	sourceModel  = "model"
	sourceKeypad = "keypad"
)

// State is a check as it is saved after each turn: plain JSON that carries the
// questions with their words, so that a newer binary goes on with it.
type State struct {
	Call      store.CallID `json:"call"`
	Name      string       `json:"name,omitempty"`
	Language  string       `json:"language,omitempty"`
	Zone      string       `json:"zone,omitempty"`
	StartedAt time.Time    `json:"startedAt"`
	// Resumes is the call whose check this one goes on with, if any.
	Resumes store.CallID `json:"resumes,omitzero"`

	Entries []Entry `json:"entries"` // follow-ups stand behind their question
	// Leads are the sentences before a repeated question, by pack: kept once, and
	// not with each question.
	Leads map[string][]string `json:"leads,omitempty"`
	Open  int                 `json:"open"` // the question now asked; -1: none yet
	// Following is the answer whose follow-ups come next.
	Following string `json:"following,omitempty"`
	Phase     Phase  `json:"phase"`
	Ended     Ending `json:"ended,omitempty"`
	// Pending are readings to be read back, the one now read back first.
	Pending []Pending `json:"pending,omitempty"`

	// Conversation is where the open question was last put, and Spoken are the
	// words: elsewhere, or where those were cut short, it has not been heard.
	Conversation string `json:"conversation,omitempty"`
	Spoken       string `json:"spoken,omitempty"`

	// Said is what the person said last to a question.
	Said Said `json:"said,omitzero"`

	Turns    int  `json:"turns"`              // counts all turns; it varies what is said
	Again    int  `json:"again,omitempty"`    // how often the phase was put again
	Held     bool `json:"held,omitempty"`     // the person asked for a moment
	Fetching bool `json:"fetching,omitempty"` // the person is being fetched
	Later    bool `json:"later,omitempty"`    // it was no good moment, which is not to stop

	// Private: what was said last answered an instrument, which is no model's to
	// take up.
	Private bool `json:"private,omitempty"`

	// Noted is what the last turn recorded, for the call's timeline.
	Noted []Noted `json:"noted,omitempty"`

	Next   string `json:"next,omitempty"` // where the graph goes on within a turn
	Prompt Prompt `json:"prompt,omitzero"`
}

// Said are words to a question.
type Said struct {
	ID    string `json:"id"`
	Words string `json:"words"`
	// Unfinished: no answer was made out, and more is waited for.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Prompt is what ask_question is to say.
type Prompt struct {
	Lead  words.Situation `json:"lead,omitempty"`
	Quiet bool            `json:"quiet,omitempty"` // no question follows the lead
	Text  string          `json:"text,omitempty"`  // said in place of a lead
	// Unheard: the question has not been heard yet, so the same words will do.
	Unheard bool `json:"unheard,omitempty"`
}

// Noted is one reading as the timeline tells it.
type Noted struct {
	ID         string `json:"id"`
	Correction bool   `json:"correction,omitempty"`
	Unclear    bool   `json:"unclear,omitempty"` // asked, and not understood this time
}

// all ranges over the questions.
func (s *State) all() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range s.Entries {
			if !yield(&s.Entries[i]) {
				return
			}
		}
	}
}

// entry is the question with the given id, or nil.
func (s *State) entry(id string) *Entry {
	if i := s.index(id); i >= 0 {
		return &s.Entries[i]
	}
	return nil
}

func (s *State) index(id string) int {
	return slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Question.ID == id })
}

// current is the open question, or nil before the first one.
func (s *State) current() *Entry {
	if s.Open < 0 || s.Open >= len(s.Entries) {
		return nil
	}
	return &s.Entries[s.Open]
}

// next is the question to ask now: one that is to be changed, or the first
// without an answer; -1 where all are settled. What follows up on an answer that
// has just come before its turn ("two, and I fell this morning") comes before
// another subject, but not into the middle of an instrument.
func (s *State) next() int {
	if i := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Reopened }); i >= 0 {
		return i
	}
	first := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.open() })
	if first < 0 || s.Entries[first].Question.Screen {
		return first
	}
	if i := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.open() && e.FollowUpOf != "" && e.FollowUpOf == s.Following }); i >= 0 {
		return i
	}
	return first
}

// progress counts the questions of the check, and those that have an answer: what
// was refused, passed over or not understood has none. It is counted in the same
// way from the answers that are kept.
func (s *State) progress() (answered, of int) {
	for e := range s.all() {
		if e.withdrawn() {
			continue
		}
		of++
		if e.Answer.given() {
			answered++
		}
	}
	return answered, of
}

// resumed reports whether the check goes on with an earlier call's.
func (s *State) resumed() bool { return s.Resumes != (store.CallID{}) }

// begun reports whether any question was put or answered.
func (s *State) begun() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Asked > 0 || e.Answer != nil })
}

// asked reports whether any question was put in this call.
func (s *State) asked() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Asked > 0 })
}

// values are the answers by question id.
func (s *State) values() map[string]packs.Value {
	m := make(map[string]packs.Value, len(s.Entries))
	for e := range s.all() {
		if e.Answer.given() {
			m[e.Question.ID] = e.Answer.Value
		}
	}
	return m
}

// location is the person's time zone, UTC where it is not known here.
func (s *State) location() *time.Location { return people.Person{Timezone: s.Zone}.Location() }

// insert puts a question at a place of the check. The sentences that all
// questions of a pack share are kept once: every turn reads and writes them.
func (s *State) insert(at int, e Entry) {
	if q := &e.Question; len(q.Leads) > 0 {
		if s.Leads == nil {
			s.Leads = map[string][]string{}
		}
		s.Leads[q.Pack], q.Leads = q.Leads, nil
	}
	s.Entries = slices.Insert(s.Entries, at, e)
}

// whole is a question with all its words.
func (s *State) whole(q packs.Question) packs.Question {
	if q.Leads == nil {
		q.Leads = s.Leads[q.Pack]
	}
	return q
}
