// Package tasks holds the tasks of a cognitive check as data: one file for each task and language,
// with alternate forms that are rotated for each person.
//
// The files are checked when the process starts. The words of an item are spoken exactly as they
// stand, by no model.
package tasks

import "slices"

// Rule says how the points of a task's items make up its score.
type Rule string

// The rules.
const (
	Sum     Rule = "sum"     // the sum of all points
	Longest Rule = "longest" // the highest level that was managed, for digits
)

// Kind says how an item is put and heard.
type Kind string

// The kinds of items.
const (
	Register Kind = "register" // words to remember are read out and said back; no points
	Recall   Kind = "recall"   // the words of the item named by Of, in any order
	Question Kind = "question" // one question with one answer
	Digits   Kind = "digits"   // digits said back, in order or backward
	Fluency  Kind = "fluency"  // as many words as come to mind within Seconds
	Story    Kind = "story"    // a story is read out and retold at once, or later if Later is set
	Reason   Kind = "reason"   // an everyday question, scored by the ideas in the answer
)

// What a question asks for.
const (
	AskWeekday   = "weekday"
	AskTomorrow  = "tomorrow" // tomorrow's weekday
	AskDay       = "day"      // of the month
	AskMonth     = "month"
	AskYear      = "year"
	AskSeason    = "season"
	AskTime      = "time" // of day
	AskAge       = "age"
	AskBirthDate = "birth_date"
	AskPlace     = "place"
)

var asks = []string{AskWeekday, AskTomorrow, AskDay, AskMonth, AskYear, AskSeason, AskTime, AskAge, AskBirthDate, AskPlace}

// Task is one measure: what is asked, in which forms, and how it is scored.
type Task struct {
	ID       string `yaml:"id"`      // "six_item"; it names the measure too
	Version  string `yaml:"version"` // changes whenever scores are no longer comparable
	Language string `yaml:"-"`       // from the file's name: "en"
	Title    string `yaml:"title"`   // for carers and clinicians
	Domain   string `yaml:"domain"`  // memory, attention, language, orientation, reasoning
	Licence  string `yaml:"licence"`
	Source   string `yaml:"source"`
	Method   string `yaml:"method"` // one or two sentences for a report: how it is put and scored

	Rule Rule `yaml:"rule"`
	Max  int  `yaml:"max"` // 0: open ended, such as fluency
	// SD is how much one person's score varies from session to session without any change, and
	// Practice the gain from the first session to the second, both in points. A baseline starts
	// from them; Norm says where the figures come from.
	SD       float64 `yaml:"sd"`
	Practice float64 `yaml:"practice"`
	Norm     string  `yaml:"norm"`
	// EveryDays is the least number of days between two times; 0: it is in every check.
	EveryDays int `yaml:"everyDays"`
	// With is the ID of the task whose form this one uses, such as a story's later retelling.
	With string `yaml:"with"`
	// InsteadOf is the ID of the task that this one replaces when it is due.
	InsteadOf string `yaml:"insteadOf"`
	// Seconds is about how long the task takes.
	Seconds int `yaml:"seconds"`

	Lead  string `yaml:"lead"` // said before the first item
	Forms []Form `yaml:"forms"`
}

// Form is one of the alternate contents of a task.
type Form struct {
	ID    string `yaml:"id"`
	Items []Item `yaml:"items"`
}

// Item is one thing that is put to the person.
type Item struct {
	ID   string `yaml:"id"`
	Kind Kind   `yaml:"kind"`
	// Say is spoken as it stands. Its pace is written in it, as pauses between words. For digits it
	// is made from them if empty.
	Say string `yaml:"say"`
	// Repeat is what is said if the person asks to hear it again; if empty, Say. NoRepeat items are
	// heard once: the persona answers such a wish.
	Repeat   string `yaml:"repeat"`
	NoRepeat bool   `yaml:"noRepeat"`

	Words    []string `yaml:"words"`    // register: the words to remember
	Of       string   `yaml:"of"`       // recall: the register item
	Ask      string   `yaml:"ask"`      // question: one of the Ask constants
	Digits   string   `yaml:"digits"`   // as read out: "5829"
	Backward bool     `yaml:"backward"` // digits: to be said in reverse order
	Level    int      `yaml:"level"`    // digits: how many; after both items of a level fail, the rest is left out
	Category string   `yaml:"category"` // fluency: the lexicon of words that count
	Letter   string   `yaml:"letter"`   // fluency: the first letter of words that count
	Seconds  int      `yaml:"seconds"`  // fluency: the time for answers
	Later    bool     `yaml:"later"`    // story: Say asks for the story told before
	Ideas    []Idea   `yaml:"ideas"`    // story, reason: what gives points; later: the ideas of the story told before
	Max      int      `yaml:"max"`      // highest points; 0: open ended
}

// Idea is one unit of meaning. It counts if any of its wordings is in what was said.
type Idea struct {
	ID     string   `yaml:"id"`
	Any    []string `yaml:"any"`
	Points int      `yaml:"points"` // 0: one
}

// Form returns the form with an ID.
func (t Task) Form(id string) (Form, bool) {
	if i := slices.IndexFunc(t.Forms, func(f Form) bool { return f.ID == id }); i >= 0 {
		return t.Forms[i], true
	}
	return Form{}, false
}

// Item returns the item with an ID.
func (f Form) Item(id string) (Item, bool) {
	if i := slices.IndexFunc(f.Items, func(it Item) bool { return it.ID == id }); i >= 0 {
		return f.Items[i], true
	}
	return Item{}, false
}

// Worth returns the points that an idea gives.
func (i Idea) Worth() int { return max(i.Points, 1) }
