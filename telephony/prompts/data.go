package prompts

import (
	"slices"
	"time"
)

// Data holds the values that a text may use. Every field may be empty; text/README.md explains each
// one to writers.
type Data struct {
	CallType string // general, health_check, cognitive, appliance_help
	Language string // two letters, determines which files are used: en, de, es
	Speak    string // the language's English name, for the system prompt
	Inbound  bool   // the person phoned nAIber, not the other way round
	// RingsBack means that the call came from a person's number, which is called back afterwards.
	RingsBack bool
	Reason    string // why the call was requested, in the requester's words

	Name     string // what the person likes to be called; empty if they are not known
	FullName string
	Greeting string // Good morning, by the person's clock and in their language
	Weekday  string
	Date     string // 3 March 2026
	Time     string // 09:30
	Zone     string // America/St_Johns

	FirstCall  bool     // nAIber has never spoken with them
	LastCall   string   // when nAIber last spoke with them: yesterday, on Tuesday, on 3 March
	LastTopics []string // recent topics of conversation

	OptOutKey bool // the law requires naming the key that ends all calls
	Full      bool // the law requires the whole disclosure in every call
	// AskRecording means that the law requires telling everybody on the line how to refuse a
	// recording.
	AskRecording bool

	Recorded bool // they agreed to be recorded, and to their words being kept
	// WrittenDown means that they agreed only to a transcript being kept, without a recording.
	WrittenDown bool
	Remembered  bool // they agreed to be remembered between calls

	Address     string
	Notes       string
	Conditions  []string
	Medications []string
	Contacts    []Contact
	Memories    []string // best first
	Promises    []string // what nAIber promised to come back to, the most pressing first

	Reconnect  bool   // the line broke and was re-established
	Transcript []Line // what was said before the line broke
}

// Contact is a person who looks after the person on the call.
type Contact struct{ Name, Relation string }

// Line is one line of a transcript. Who is [You], [Caller] or a name.
type Line struct{ Who, Text string }

// The speakers of a line who have no name.
const (
	You    = "You" // nAIber, which reads the prompt
	Caller = "Caller"
)

// quoting returns d with f applied to everything that people said, or that others noted about them.
func quoting(d Data, f func(string) string) Data {
	for _, text := range []*string{&d.Reason, &d.Name, &d.FullName, &d.Address, &d.Notes} {
		*text = f(*text)
	}
	for _, list := range []*[]string{&d.LastTopics, &d.Conditions, &d.Medications, &d.Memories, &d.Promises} {
		*list = slices.Clone(*list)
		for i, text := range *list {
			(*list)[i] = f(text)
		}
	}
	d.Contacts, d.Transcript = slices.Clone(d.Contacts), slices.Clone(d.Transcript)
	for i, c := range d.Contacts {
		d.Contacts[i] = Contact{f(c.Name), f(c.Relation)}
	}
	for i, t := range d.Transcript {
		if t.Who != You && t.Who != Caller {
			t.Who = f(t.Who)
		}
		d.Transcript[i] = Line{t.Who, f(t.Text)}
	}
	return d
}

// Marks identify a call to the model endpoint if the call token is missing from a request. They
// begin the system prompt, and no text can remove or imitate them.
type Marks struct {
	PersonID string
	Phone    string
}

// samples returns data of a person with nearly every field filled, and of two callers with hardly
// any. With these, a template that names an unknown field fails when it is read, not during a call.
func samples(callType, language string) []Data {
	some := []string{"one", "two"}
	known := Data{
		Name: "Ada", FullName: "Ada Example", Reason: "a reason", Address: "an address", Notes: "a note", LastCall: "yesterday",
		LastTopics: some, Conditions: some, Medications: some, Memories: some, Promises: some,
		Contacts: []Contact{{Name: "Ben", Relation: "son"}}, Transcript: []Line{{Who: "Ada", Text: "Hello?"}},
		Recorded: true, Remembered: true, Reconnect: true, Full: true, AskRecording: true,
	}
	all := []Data{known, {FirstCall: true, Inbound: true}, {FirstCall: true, Inbound: true, RingsBack: true}}
	for i := range all {
		all[i].CallType, all[i].Language = callType, language
		all[i].SetClock(time.Now())
	}
	return all
}
