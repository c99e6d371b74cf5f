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
	PhaseHearing   Phase = "hearing"      // to say words back, so that hearing is known
	PhaseWellbeing Phase = "wellbeing"    // whether anything is different today
	PhaseTask      Phase = "task"         // an item
	PhaseAlone     Phase = "alone"        // to go on without help
	PhaseOffer     Phase = "offer"        // whether to go on or to do it another time
	PhaseWhen      Phase = "when"         // when it would suit better
	PhaseConfirm   Phase = "confirm_exit" // whether to stop
	PhaseEasy      Phase = "easy"         // something easy, before the goodbye
	PhaseClosing   Phase = "closing"      // nothing more
)

// Ending is how a check ended.
type Ending string

// The endings. The empty one: it has not.
const (
	EndedDone        Ending = "done"
	EndedEasy        Ending = "easier" // with an easier end, after tasks that were too hard
	EndedStopped     Ending = "stopped"
	EndedPostponed   Ending = "postponed"
	EndedDeclined    Ending = "declined"
	EndedSilence     Ending = "silence"
	EndedWrongPerson Ending = "wrong_person"
	EndedNoTasks     Ending = "no_tasks" // there are none in the person's language
)

// State is a check as it is saved after each turn: plain JSON that carries the tasks with
// their words, so that a newer binary goes on with it.
type State struct {
	Call      store.CallID `json:"call"`
	Name      string       `json:"name,omitempty"`
	Language  string       `json:"language"`
	Zone      string       `json:"zone,omitempty"`
	Born      string       `json:"born,omitempty"`
	Address   string       `json:"address,omitempty"`
	StartedAt time.Time    `json:"startedAt"`

	Tasks []Task `json:"tasks"`
	Open  int    `json:"open"` // the task now put; -1: none yet
	Item  int    `json:"item"` // the item of it
	Phase Phase  `json:"phase"`
	// Back is the phase that a confirmation or an offer was put in.
	Back  Phase  `json:"back,omitempty"`
	Ended Ending `json:"ended,omitempty"`

	Confounders []Confounder `json:"confounders,omitempty"`

	// Conversation is where the last words were said, and Spoken are the words.
	Conversation string `json:"conversation,omitempty"`
	Spoken       string `json:"spoken,omitempty"`
	Quiet        Quiet  `json:"quiet,omitzero"`
	Put          bool   `json:"put,omitempty"` // an item was among the words

	Turns    int  `json:"turns"`              // counts all turns; it varies what is said
	Again    int  `json:"again,omitempty"`    // how often the phase was put again
	Silences int  `json:"silences,omitempty"` // silent turns in a row outside fluency
	Failed   int  `json:"failed,omitempty"`   // tasks in a row that brought no points
	Loud     bool `json:"loud,omitempty"`     // hearing is hard
}

// Quiet is what had been heard at one place when nothing was said to it: the next turn
// there brings the same words again with more behind them.
type Quiet struct {
	Since int    `json:"since,omitempty"`
	Heard string `json:"heard,omitempty"`
}

// Confounder is one, with the task in which it came up; empty: before or between tasks.
type Confounder struct {
	cognition.Confounder
	Task string `json:"task,omitempty"`
}

// Task is one task of a check and what has become of it.
type Task struct {
	Task tasks.Task `json:"task"` // without its forms
	Form tasks.Form `json:"form"`

	Status cognition.TaskStatus `json:"status,omitempty"` // empty: it is open
	Why    string               `json:"why,omitempty"`
	At     time.Time            `json:"at,omitzero"` // when it was begun
	// Voids counts the forms of it that were disturbed.
	Voids int `json:"voids,omitempty"`
	// Items are what was said to each item of the form.
	Items []Answer `json:"items"`
}

// Answer is what was said to one item.
type Answer struct {
	Said []score.Said `json:"said,omitempty"`
	// AskedAt is when the item had been spoken to its end, as estimated.
	AskedAt time.Time `json:"askedAt,omitzero"`
	// Points is the score; nil: the item is open, or was left out.
	Points  *score.Score `json:"points,omitempty"`
	Seconds float64      `json:"seconds,omitempty"` // from the item's end to the answer's

	// Until is how long after the item's end the person had last been silent: fluency.
	Until time.Duration `json:"until,omitempty"`

	Put     int  `json:"put,omitempty"`     // how often it was put
	Waits   int  `json:"waits,omitempty"`   // silent turns
	Urged   bool `json:"urged,omitempty"`   // the person was encouraged, or asked for more
	Unclear bool `json:"unclear,omitempty"` // it was asked again for it was not understood
	Told    bool `json:"told,omitempty"`    // that it is heard once only
}

// task is the open task, or nil.
func (s *State) task() *Task {
	if s.Open < 0 || s.Open >= len(s.Tasks) {
		return nil
	}
	return &s.Tasks[s.Open]
}

// item is the open item and what was said to it.
func (s *State) item() (*tasks.Item, *Answer) {
	t := s.task()
	return &t.Form.Items[s.Item], &t.Items[s.Item]
}

// begun reports whether any item was put.
func (s *State) begun() bool {
	return slices.ContainsFunc(s.Tasks, func(t Task) bool { return !t.At.IsZero() })
}

// location is the person's time zone, UTC where it is not known here.
func (s *State) location() *time.Location { return people.Person{Timezone: s.Zone}.Location() }

// address is where the thread pauses: a phase, and an item of a task in it.
func (s *State) address() string {
	if t := s.task(); s.Phase == PhaseTask && t != nil {
		return t.Task.ID + "/" + t.Form.ID + "/" + t.Form.Items[s.Item].ID
	}
	return string(s.Phase)
}

// noted reports whether a confounder of a kind is known.
func (s *State) noted(kind string) bool {
	return slices.ContainsFunc(s.Confounders, func(c Confounder) bool { return c.Kind == kind })
}

// confound notes what may have disturbed the check, once a kind for each task.
func (s *State) confound(kind, quote string, at time.Time) {
	id := ""
	if t := s.task(); t != nil && s.Phase == PhaseTask {
		id = t.Task.ID
	}
	if !slices.ContainsFunc(s.Confounders, func(c Confounder) bool { return c.Kind == kind && c.Task == id }) {
		s.Confounders = append(s.Confounders, Confounder{cognition.Confounder{Kind: kind, Quote: quote, At: at}, id})
	}
}
