package packs

import (
	"encoding/json"
	"slices"
)

// Kind says when a pack's items are asked.
type Kind string

// The kinds of pack.
const (
	KindDaily        Kind = "daily"        // asked in every check
	KindProfile      Kind = "profile"      // asked of people with conditions, medicines or recent days that call for it
	KindScreen       Kind = "screen"       // an instrument, asked when its cadence allows it
	KindContinuation Kind = "continuation" // an instrument asked only when another one led to it
)

// Type is the form of an answer.
type Type string

// The types of question.
const (
	TypeScale   Type = "scale"   // a whole number from Min to Max
	TypeBoolean Type = "boolean" // yes or no
	TypeChoice  Type = "choice"  // one of Choices
	TypeNumber  Type = "number"  // a count or a measurement
	TypeText    Type = "text"    // the person's own words
	TypeTime    Type = "time"    // a time of day, "HH:MM"
)

// Direction says what a higher answer means, which decides how a change is worded.
type Direction string

// The directions. An item without one has no better or worse.
const (
	HigherBetter Direction = "better"
	HigherWorse  Direction = "worse"
)

// Pack is one file of questions.
type Pack struct {
	ID       string `yaml:"id"`
	Version  string `yaml:"version"`
	Language string `yaml:"language"` // BCP 47, the primary part only
	Title    string `yaml:"title"`
	Kind     Kind   `yaml:"kind"`

	// Verbatim marks an instrument: its stem, items and options are spoken exactly as written, and
	// no model may reword them.
	Verbatim bool     `yaml:"verbatim"`
	Intro    string   `yaml:"intro"`   // spoken once, before the first item of the instrument
	Stem     string   `yaml:"stem"`    // spoken before each item, which is only part of a sentence
	Options  string   `yaml:"options"` // the answers on offer, spoken after each choice item
	Leads    []string `yaml:"leads"`   // sentences spoken before a repeated item or a follow-up; our own words

	Items   []Item    `yaml:"items"`
	Scoring *Scoring  `yaml:"scoring"`
	Cadence *Cadence  `yaml:"cadence"`
	Covers  []string  `yaml:"covers"` // packs whose items this one contains: asking it counts as asking them
	LOINC   PackLOINC `yaml:"loinc"`

	Licence string `yaml:"licence"`
	Source  string `yaml:"source"`
	Notes   string `yaml:"notes"` // how the instrument is administered here, for readers of its scores
}

// PackLOINC holds the codes of a whole instrument. A code is empty if LOINC has none that we could
// verify.
type PackLOINC struct {
	Panel string `yaml:"panel" json:"panel,omitempty"`
	Total string `yaml:"total" json:"total,omitempty"`
}

// Item is one question of a pack. Its ID never changes, as stored answers and trends refer to it.
// Two packs may share an ID only for the same question; an answer then counts for both.
type Item struct {
	ID           string   `yaml:"id" json:"id"`
	Text         string   `yaml:"text" json:"text"`
	Short        string   `yaml:"short" json:"short"`                         // a few words for lists and charts
	Alternatives []string `yaml:"alternatives" json:"alternatives,omitempty"` // other wordings, one for each further attempt
	Type         Type     `yaml:"type" json:"type"`

	Min     int      `yaml:"min" json:"min,omitempty"` // of a scale or number; if both are zero, a number is unlimited
	Max     int      `yaml:"max" json:"max,omitempty"`
	Unit    string   `yaml:"unit" json:"unit,omitempty"`   // in the plural, of a number or of the choices' amounts; if empty, the person chooses
	Units   []string `yaml:"units" json:"units,omitempty"` // units in which a number without Unit may be given
	Choices []Choice `yaml:"choices" json:"choices,omitempty"`
	Anchors []Anchor `yaml:"anchors" json:"anchors,omitempty"` // what single values of a scale mean in words

	Topics  []string  `yaml:"topics" json:"topics,omitempty"`   // words that show that a remark is about this question
	Negated bool      `yaml:"negated" json:"negated,omitempty"` // yes means that something was not done ("did you miss any?")
	Yes     []string  `yaml:"yes" json:"yes,omitempty"`         // statements that mean yes here
	No      []string  `yaml:"no" json:"no,omitempty"`           // statements that mean no here
	Higher  Direction `yaml:"higher" json:"higher,omitempty"`

	Risky     *Risky     `yaml:"risky" json:"risky,omitempty"`
	FollowUps []FollowUp `yaml:"followUps" json:"followUps,omitempty"`
	Keypad    string     `yaml:"keypad" json:"keypad,omitempty"` // the offer to answer by pressing keys

	When      []When `yaml:"when" json:"-"`      // profile packs: asked if any of these holds
	Each      string `yaml:"each" json:"-"`      // "medication": asked about one medicine at a time
	EveryDays int    `yaml:"everyDays" json:"-"` // the least number of days between two times that it is asked
	Must      bool   `yaml:"must" json:"-"`      // goes before the other profile questions
	Optional  bool   `yaml:"optional" json:"-"`  // is left out if a call would become too long
	Last      bool   `yaml:"last" json:"-"`      // belongs at the end of the call

	ScoreAt int    `yaml:"scoreAt" json:"scoreAt,omitempty"` // of a number: the value from which it scores one point
	LOINC   string `yaml:"loinc" json:"loinc,omitempty"`
}

// Choice is one answer of a choice item.
type Choice struct {
	Value string   `yaml:"value" json:"value"`
	Label string   `yaml:"label" json:"label"`
	Words []string `yaml:"words" json:"words,omitempty"` // other ways to say it
	Score *int     `yaml:"score" json:"score,omitempty"` // its points, and its place in the order of choices
	From  int      `yaml:"from" json:"from,omitempty"`   // amounts in the item's unit that mean this choice ("three days"),
	To    int      `yaml:"to" json:"to,omitempty"`       // both included; if both are zero, none do
	LOINC string   `yaml:"loinc" json:"loinc,omitempty"` // the answer's code (LA…)
}

// Anchor gives the words for one value of a scale, such as "no pain at all" for a 1.
type Anchor struct {
	Value int      `yaml:"value" json:"value"`
	Label string   `yaml:"label" json:"label"`
	Words []string `yaml:"words" json:"words,omitempty"`
}

// Risky selects the answers that are read back before they count.
type Risky struct {
	When     Rule   `yaml:"when" json:"when"`
	ReadBack string `yaml:"readBack" json:"readBack"` // "{value}" stands for the answer
}

// FollowUp is a question asked once if the answer fits. It never leads to another one.
type FollowUp struct {
	ID   string `yaml:"id" json:"id"`
	When Rule   `yaml:"when" json:"when"`
	Text string `yaml:"text" json:"text"`
	Type Type   `yaml:"type" json:"type"`
	Asks string `yaml:"asks" json:"asks,omitempty"` // for a text: "where", "why", "how" or "what", which may be answered before it is put

	Again  Wordings  `yaml:"again" json:"again,omitempty"` // other wordings, for asking it again
	Higher Direction `yaml:"higher" json:"higher,omitempty"`
	Keypad string    `yaml:"-" json:"keypad,omitempty"` // that of the pack's own yes-or-no questions
}

// offerKeys sets the Keypad of the yes-or-no follow-ups to that of the pack's items of that type.
func (p Pack) offerKeys() {
	i := slices.IndexFunc(p.Items, func(it Item) bool { return it.Type == TypeBoolean })
	for _, it := range p.Items {
		for k := range it.FollowUps {
			if f := &it.FollowUps[k]; f.Type == TypeBoolean && i >= 0 {
				f.Keypad = p.Items[i].Keypad
			}
		}
	}
}

// Wordings are other wordings of a question. Checks saved when there was only one hold it as a
// string.
type Wordings []string

// UnmarshalJSON accepts a string as well as a list.
func (w *Wordings) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = Wordings{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// When is one reason to ask a profile question. All fields that are set must hold.
type When struct {
	Conditions  []string `yaml:"conditions"`  // any of these among the person's conditions
	Medications []string `yaml:"medications"` // any of these among the medicines; "*pril" matches an ending, "*" any medicine
	WithinDays  int      `yaml:"withinDays"`  // a condition with a date, such as 2026-03-14, counts for so many days
}

// Method is how an instrument's total is computed from its points.
type Method string

// The methods of scoring.
const (
	MethodSum Method = "sum" // the points of all items
	MethodAny Method = "any" // 1 if any item scores, else 0
)

// Scoring says how the total of an instrument is computed.
type Scoring struct {
	Method  Method   `yaml:"method"`
	Loss    *Loss    `yaml:"loss"`
	Cutoffs []Cutoff `yaml:"cutoffs"` // in rising order; the first one starts at the lowest total
}

// Loss scores two measurements together: one point if the second is lower than the first by more
// than Above per cent. The two items do not score by themselves.
type Loss struct {
	ID     string  `yaml:"id"`
	Before string  `yaml:"before"`
	Now    string  `yaml:"now"`
	Above  float64 `yaml:"above"` // per cent
}

// Cutoff is a band of totals, from At to just below the next one.
type Cutoff struct {
	At       int    `yaml:"at"`
	Label    string `yaml:"label"`
	Meaning  string `yaml:"meaning"`
	Positive bool   `yaml:"positive"`
	Next     string `yaml:"next"` // the continuation that a total in this band leads to
}

// Cadence limits how often an instrument is asked. Days are calendar days in the person's time
// zone.
type Cadence struct {
	MinDays   int    `yaml:"minDays"`
	RetryDays int    `yaml:"retryDays"` // after a screen that was broken off before any answer
	Rank      int    `yaml:"rank"`      // of several that are equally due, the one with the lowest rank goes first
	After     *After `yaml:"after"`
}

// After allows an instrument to be asked before it is due, because of an event.
type After struct {
	Event   string `yaml:"event"`
	MinDays int    `yaml:"minDays"` // the least number of days since the last time
}
