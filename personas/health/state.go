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

// Phase is what the check currently waits for.
type Phase string

// The phases.
const (
	PhaseOpening       Phase = "opening"        // the answer to whether this is a good moment
	PhaseAsking        Phase = "asking"         // the answer to a question or follow-up
	PhaseReadingBack   Phase = "reading_back"   // the answer to whether an answer was understood correctly
	PhaseKeypad        Phase = "keypad"         // the answer to a question, with keys offered
	PhaseDistress      Phase = "distress"       // nothing in particular: the person was given time and offered to stop
	PhaseConfirmExit   Phase = "confirm_exit"   // the answer to whether the person wants to stop
	PhaseConfirmPerson Phase = "confirm_person" // the answer to whether the speaker is the person
	PhaseClosing       Phase = "closing"        // nothing more: the check is over
)

// Ending is how a check ended.
type Ending string

// The endings. It is empty while the check goes on.
const (
	EndedDone        Ending = "done"
	EndedStopped     Ending = "stopped"      // the person wanted to stop
	EndedLater       Ending = "later"        // it was not a good moment, before anything was asked
	EndedWrongPerson Ending = "wrong_person" // somebody else was on the line
)

// The sources of an answer.
const (
	sourceRules  = "rules"
	sourceModel  = "model"
	sourceKeypad = "keypad"
)

// State is a check as it is saved after each turn. It is plain JSON that contains the questions
// with their words, so that a newer binary can continue it.
type State struct {
	Call      store.CallID `json:"call"`
	Name      string       `json:"name,omitempty"`
	Language  string       `json:"language,omitempty"`
	Zone      string       `json:"zone,omitempty"`
	StartedAt time.Time    `json:"startedAt"`
	// Resumes is the call whose check this one continues, if any.
	Resumes store.CallID `json:"resumes,omitzero"`

	Entries []Entry `json:"entries"` // follow-ups stand after their question
	// Leads are the sentences before a repeated question, by pack. They are stored here once, not
	// with each question.
	Leads map[string][]string `json:"leads,omitempty"`
	Open  int                 `json:"open"` // index of the question being asked, or -1 before the first one
	// Following is the answer whose follow-ups come next.
	Following string `json:"following,omitempty"`
	Phase     Phase  `json:"phase"`
	Ended     Ending `json:"ended,omitempty"`
	// Pending are the readings to be read back. The first one is being read back now.
	Pending []Pending `json:"pending,omitempty"`

	// Conversation is the conversation in which the open question was last put, and Spoken are its
	// words. In another conversation, or if the words were cut short, the question has not been
	// heard.
	Conversation string `json:"conversation,omitempty"`
	Spoken       string `json:"spoken,omitempty"`

	// Said is what the person last said to a question.
	Said Said `json:"said,omitzero"`

	Turns    int  `json:"turns"`              // number of all turns; selects among wordings
	Again    int  `json:"again,omitempty"`    // how often the phase was repeated
	Held     bool `json:"held,omitempty"`     // the person asked for a moment
	Fetching bool `json:"fetching,omitempty"` // the person is being fetched
	Later    bool `json:"later,omitempty"`    // it was not a good moment, which is different from wanting to stop

	// Private is set if the last reply answered an instrument. No model may refer to it.
	Private bool `json:"private,omitempty"`

	// Noted are the readings of the last turn, for the call's timeline.
	Noted []Noted `json:"noted,omitempty"`

	Next   string `json:"next,omitempty"` // the graph's next node within a turn
	Prompt Prompt `json:"prompt,omitzero"`
}

// Said is what was said to a question.
type Said struct {
	ID    string `json:"id"`
	Words string `json:"words"`
	// Unfinished is set if no answer could be read and more words are awaited.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Prompt is what ask_question says next.
type Prompt struct {
	Lead  words.Situation `json:"lead,omitempty"`
	Quiet bool            `json:"quiet,omitempty"` // no question follows Lead
	Text  string          `json:"text,omitempty"`  // spoken in place of Lead
	// Unheard is set if the question has not been heard yet, so that its wording need not change.
	Unheard bool `json:"unheard,omitempty"`
}

// Noted is one reading, for the timeline.
type Noted struct {
	ID         string `json:"id"`
	Correction bool   `json:"correction,omitempty"`
	Unclear    bool   `json:"unclear,omitempty"` // asked, but not understood this time
}

// all returns an iterator over the questions.
func (s *State) all() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range s.Entries {
			if !yield(&s.Entries[i]) {
				return
			}
		}
	}
}

// entry returns the question with the given id, or nil.
func (s *State) entry(id string) *Entry {
	if i := s.index(id); i >= 0 {
		return &s.Entries[i]
	}
	return nil
}

func (s *State) index(id string) int {
	return slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Question.ID == id })
}

// current returns the open question, or nil before the first one.
func (s *State) current() *Entry {
	if s.Open < 0 || s.Open >= len(s.Entries) {
		return nil
	}
	return &s.Entries[s.Open]
}

// next returns the index of the question to ask now: one that is reopened, or else the first
// without an answer; -1 if all are settled. The follow-ups of an answer just given out of turn
// ("two, and I fell this morning") come before another subject, but do not interrupt an instrument.
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

// progress returns the number of questions that have an answer, and of all questions. A refused,
// skipped or unclear question has no answer. Stored answers are counted in the same way.
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

// resumed reports whether the check continues that of an earlier call.
func (s *State) resumed() bool { return s.Resumes != (store.CallID{}) }

// begun reports whether any question was put or answered.
func (s *State) begun() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Asked > 0 || e.Answer != nil })
}

// asked reports whether any question was put in this call.
func (s *State) asked() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Asked > 0 })
}

// values returns the answers by question id.
func (s *State) values() map[string]packs.Value {
	m := make(map[string]packs.Value, len(s.Entries))
	for e := range s.all() {
		if e.Answer.given() {
			m[e.Question.ID] = e.Answer.Value
		}
	}
	return m
}

// location returns the person's time zone, or UTC if it is not known here.
func (s *State) location() *time.Location { return people.Person{Timezone: s.Zone}.Location() }

// insert inserts a question at an index. It moves the sentences that all questions of a pack share
// to s.Leads, as every turn reads and writes the state.
func (s *State) insert(at int, e Entry) {
	if q := &e.Question; len(q.Leads) > 0 {
		if s.Leads == nil {
			s.Leads = map[string][]string{}
		}
		s.Leads[q.Pack], q.Leads = q.Leads, nil
	}
	s.Entries = slices.Insert(s.Entries, at, e)
}

// whole returns a question with the leads of its pack.
func (s *State) whole(q packs.Question) packs.Question {
	if q.Leads == nil {
		q.Leads = s.Leads[q.Pack]
	}
	return q
}
