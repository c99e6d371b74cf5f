package cognitive

import (
	"slices"
	"time"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// Phase is what the person was last asked for.
type Phase string

// The phases.
const (
	PhaseOpening   Phase = "opening"      // whether this is a good moment
	PhaseQuiet     Phase = "quiet"        // to make it quiet
	PhaseHearing   Phase = "hearing"      // to say words back, to check the hearing
	PhaseWellbeing Phase = "wellbeing"    // whether anything is different today
	PhaseTask      Phase = "task"         // an item
	PhaseAlone     Phase = "alone"        // to go on without help
	PhaseOffer     Phase = "offer"        // whether to go on or do it another time
	PhaseWhen      Phase = "when"         // when it would suit better
	PhaseConfirm   Phase = "confirm_exit" // whether to stop
	PhaseEasy      Phase = "easy"         // something easy, before the goodbye
	PhaseClosing   Phase = "closing"      // nothing more: the check is over
)

// Ending is how a check ended.
type Ending string

// The endings. It is empty while the check goes on.
const (
	EndedDone        Ending = "done"
	EndedEasy        Ending = "easier" // with an easier end, after tasks that were too hard
	EndedStopped     Ending = "stopped"
	EndedPostponed   Ending = "postponed"
	EndedDeclined    Ending = "declined"
	EndedSilence     Ending = "silence"
	EndedWrongPerson Ending = "wrong_person"
	EndedNoTasks     Ending = "no_tasks" // there are no tasks in the person's language
)

// State is a check as it is saved after each turn: plain JSON that holds the tasks with their
// words, so that a newer binary can go on with it.
type State struct {
	Call      store.CallID `json:"call"`
	Name      string       `json:"name,omitempty"`
	Language  string       `json:"language"`
	Zone      string       `json:"zone,omitempty"`
	Born      string       `json:"born,omitempty"`
	Address   string       `json:"address,omitempty"`
	StartedAt time.Time    `json:"startedAt"`

	Tasks []Task `json:"tasks"`
	Open  int    `json:"open"` // index of the open task; -1: none yet
	Item  int    `json:"item"` // index of its open item
	Phase Phase  `json:"phase"`
	// Back is the phase in which a confirmation or an offer was asked.
	Back  Phase  `json:"back,omitempty"`
	Ended Ending `json:"ended,omitempty"`

	Confounders []Confounder `json:"confounders,omitempty"`

	// Conversation is where our last words were said, and Spoken holds the words.
	Conversation string `json:"conversation,omitempty"`
	Spoken       string `json:"spoken,omitempty"`
	Quiet        Quiet  `json:"quiet,omitzero"`
	Put          bool   `json:"put,omitempty"` // Spoken holds an item

	Turns    int  `json:"turns"`              // counts all turns; selects between wordings
	Again    int  `json:"again,omitempty"`    // how often the phase's question was put again
	Silences int  `json:"silences,omitempty"` // silent turns in a row outside fluency
	Failed   int  `json:"failed,omitempty"`   // tasks in a row without a point
	Loud     bool `json:"loud,omitempty"`     // the person hears badly
}

// Quiet is what was heard at a place without a reply of ours: the next turn there brings the same
// words again, followed by more.
type Quiet struct {
	Since int    `json:"since,omitempty"`
	Heard string `json:"heard,omitempty"`
}

// Confounder is a confounder with the ID of the task in which it came up; "" is before or between
// tasks.
type Confounder struct {
	cognition.Confounder
	Task string `json:"task,omitempty"`
}

// Task is one task of a check and its results.
type Task struct {
	Task tasks.Task `json:"task"` // without its forms
	Form tasks.Form `json:"form"`

	Status cognition.TaskStatus `json:"status,omitempty"` // empty: open
	Why    string               `json:"why,omitempty"`
	At     time.Time            `json:"at,omitzero"` // when it began
	// Voids counts the forms of the task that were disturbed.
	Voids int `json:"voids,omitempty"`
	// Items holds what was said to each item of the form.
	Items []Answer `json:"items"`
}

// Answer is what was said to one item.
type Answer struct {
	Said []score.Said `json:"said,omitempty"`
	// AskedAt is when the item had been spoken to its end, as estimated.
	AskedAt time.Time `json:"askedAt,omitzero"`
	// Points is the score; nil if the item is open or was left out.
	Points  *score.Score `json:"points,omitempty"`
	Seconds float64      `json:"seconds,omitempty"` // from the item's end to the answer's

	// Until is the time from the item's end to the last silence or reply, for fluency items.
	Until time.Duration `json:"until,omitempty"`

	Put     int  `json:"put,omitempty"`     // how often the item was put
	Waits   int  `json:"waits,omitempty"`   // silent turns
	Urged   bool `json:"urged,omitempty"`   // the person was encouraged, or asked for more
	Unclear bool `json:"unclear,omitempty"` // it was asked again because the answer was unclear
	Told    bool `json:"told,omitempty"`    // the person was told that it is heard once only, or, in fluency, to keep going
}

// task returns the open task, or nil.
func (s *State) task() *Task {
	if s.Open < 0 || s.Open >= len(s.Tasks) {
		return nil
	}
	return &s.Tasks[s.Open]
}

// item returns the open item and the answer to it.
func (s *State) item() (*tasks.Item, *Answer) {
	t := s.task()
	return &t.Form.Items[s.Item], &t.Items[s.Item]
}

// begun reports whether any item was put.
func (s *State) begun() bool {
	return slices.ContainsFunc(s.Tasks, func(t Task) bool { return !t.At.IsZero() })
}

// location returns the person's time zone, or UTC if it is unknown.
func (s *State) location() *time.Location { return people.Person{Timezone: s.Zone}.Location() }

// address returns where the thread pauses: a phase, or an item of a task.
func (s *State) address() string {
	if t := s.task(); s.Phase == PhaseTask && t != nil {
		return t.Task.ID + "/" + t.Form.ID + "/" + t.Form.Items[s.Item].ID
	}
	return string(s.Phase)
}

// noted reports whether a confounder of a kind was noted.
func (s *State) noted(kind string) bool {
	return slices.ContainsFunc(s.Confounders, func(c Confounder) bool { return c.Kind == kind })
}

// confound notes what may have disturbed the check, each kind once per task.
func (s *State) confound(kind, quote string, at time.Time) {
	id := ""
	if t := s.task(); t != nil && s.Phase == PhaseTask {
		id = t.Task.ID
	}
	if !slices.ContainsFunc(s.Confounders, func(c Confounder) bool { return c.Kind == kind && c.Task == id }) {
		s.Confounders = append(s.Confounders, Confounder{cognition.Confounder{Kind: kind, Quote: quote, At: at}, id})
	}
}
