package elders

import "time"

// A Manner is how an elder talks on the telephone.
type Manner string

// The manners. Each shows in what a [Script] does.
const (
	Plain         Manner = "plain"           // answers what is asked
	Chatty        Manner = "chatty"          // gives long answers, and talks over nAIber
	Slow          Manner = "slow"            // pauses in the middle of a sentence
	HardOfHearing Manner = "hard_of_hearing" // asks nAIber to repeat
	Confused      Manner = "confused"        // repeats the same question
	Distressed    Manner = "distressed"      // sad, slow to answer
	WrongPerson   Manner = "wrong_person"    // somebody else answers the telephone
	Quiet         Manner = "quiet"           // one word, or none
)

// An Elder is one person of the sandbox.
type Elder struct {
	// ID is the name of the file without its ending, as in "margaret". Users type it.
	ID string `yaml:"-"`

	Name          string    `yaml:"name"`
	PreferredName string    `yaml:"preferredName"`
	Phone         string    `yaml:"phone"`    // E.164, fictional: +1555…
	Timezone      string    `yaml:"timezone"` // IANA name
	Language      string    `yaml:"language"`
	Address       string    `yaml:"address"`
	BirthDate     string    `yaml:"birthDate"` // "1941-03-29"; empty: not on record
	Notes         string    `yaml:"notes"`
	Conditions    []string  `yaml:"conditions"`
	Medications   []string  `yaml:"medications"`
	Facility      bool      `yaml:"facility"` // whether they live in a care home
	Region        string    `yaml:"region"`   // the state or province, as in CA
	Contacts      []Contact `yaml:"contacts"`
	Consent       Consent   `yaml:"consent"`

	// Seeded is the elder's place, from 1, among those who are added to the database when a
	// sandbox starts; 0 for the others.
	Seeded int `yaml:"seeded"`

	Manner  Manner      `yaml:"manner"`
	History []PastCall  `yaml:"history"`
	Checks  []PastCheck `yaml:"checks"`

	Turns    Range    `yaml:"turns"`    // how many times they speak before they say goodbye
	Thinking Duration `yaml:"thinking"` // before they answer
	Pause    Duration `yaml:"pause"`    // within a sentence, if they are slow
	Odds     Odds     `yaml:"ring"`

	// Lines are the lines of an elder apart from answers: "hello" on picking up, "opening" after
	// nAIber's first words, "news" unasked, "fillers" if there is nothing else to say, "quirks"
	// repeatedly, as is their manner, and "goodbye".
	Lines   map[string][]string `yaml:"lines"`
	Answers map[string][]string `yaml:"answers"` // by subject, see cues.yaml
	Check   map[string][]string `yaml:"check"`   // in a health check, by question, see check.yaml

	Cognition Cognition `yaml:"cognition"` // in a cognitive check, see cognition.yaml
}

// A Contact is a person to ask about an elder.
type Contact struct {
	Name     string `yaml:"name"`
	Relation string `yaml:"relation"`
	Phone    string `yaml:"phone"`
	Email    string `yaml:"email"`
	Priority int    `yaml:"priority"` // 1 is asked first
	Notes    string `yaml:"notes"`
}

// Consent is what the elder agreed to, and how that is known.
type Consent struct {
	Calls     bool `yaml:"calls"`
	Recording bool `yaml:"recording"`
	Memory    bool `yaml:"memory"`
	Cognitive bool `yaml:"cognitive"`
	// Transcript is for writing calls down, Room for recording in a room of a care home.
	Transcript bool   `yaml:"transcript"`
	Room       bool   `yaml:"room"`
	Source     string `yaml:"source"`
}

// A PastCall is an earlier call that a sandbox starts with.
type PastCall struct {
	DaysAgo  int      `yaml:"daysAgo"`
	CallType string   `yaml:"callType"`
	Summary  string   `yaml:"summary"`
	Topics   []string `yaml:"topics"`
}

// A PastCheck is an earlier health check that a sandbox starts with.
type PastCheck struct {
	DaysAgo int            `yaml:"daysAgo"`
	Answers map[string]any `yaml:"answers"` // by question: a number, yes or no, or a choice
}

// A Range is a range of numbers, both ends included.
type Range struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// A Duration is a range of times, both ends included.
type Duration struct {
	Min time.Duration `yaml:"min"`
	Max time.Duration `yaml:"max"`
}

// Odds are the probabilities of the outcomes of a ringing telephone. The remainder is the
// probability of an answer.
type Odds struct {
	Busy     float64  `yaml:"busy"`
	NoAnswer float64  `yaml:"noAnswer"`
	Machine  float64  `yaml:"machine"`
	PickUp   Duration `yaml:"pickUp"`   // from the first ring
	Greeting string   `yaml:"greeting"` // of the machine
}
