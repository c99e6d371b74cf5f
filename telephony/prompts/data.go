package prompts

import (
	"slices"
	"time"
)

// Data is what a text may use. Every field may be empty; text/README.md tells
// writers what each one is.
type Data struct {
	CallType string // general, health_check, cognitive, appliance_help
	Language string // two letters, decides which files are used: en, de, es
	Speak    string // the language's English name, for the system prompt
	Inbound  bool   // the person phoned nAIber, not the other way round
	// RingsBack: somebody phones from a person's number, and is rung back after the call.
	RingsBack bool
	Reason    string // why the call was asked for, in the words of whoever asked

	Name     string // what the person likes to be called; empty when nobody knows who it is
	FullName string
	Greeting string // Good morning, by the person's own clock and language
	Weekday  string
	Date     string // 3 March 2026
	Time     string // 09:30
	Zone     string // America/St_Johns

	FirstCall  bool     // nAIber has never yet spoken with them
	LastCall   string   // when it last did: yesterday, on Tuesday, on 3 March
	LastTopics []string // what they talked about lately

	OptOutKey bool // the law wants the key named that ends all calls
	Full      bool // the law wants the whole disclosure in every call
	// AskRecording: the law wants everybody on the line told how to say no to a recording.
	AskRecording bool

	Recorded bool // they agreed that they are recorded, and what is said is kept word for word
	// WrittenDown: they agreed only that it is written down and kept, without a recording.
	WrittenDown bool
	Remembered  bool // they agreed to be remembered from call to call

	Address     string
	Notes       string
	Conditions  []string
	Medications []string
	Contacts    []Contact
	Memories    []string // best first
	Promises    []string // what nAIber meant to come back to, the most pressing first

	Reconnect  bool   // the line broke and was picked up again
	Transcript []Line // what was said before it broke
}

// Contact is somebody who cares for the person.
type Contact struct{ Name, Relation string }

// Line is one line of what was said. Who is [You], [Caller] or a name.
type Line struct{ Who, Text string }

// Who said a line, where it was not somebody with a name.
const (
	You    = "You" // nAIber, which reads the prompt
	Caller = "Caller"
)

// quoting returns d with f applied to everything that people said, or that others
// noted of them.
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

// Marks are what the model endpoint recognises a call by when the call token is
// missing from a request. They open the system prompt, and no text can remove
// or imitate them.
type Marks struct {
	PersonID string
	Phone    string
}

// samples are a person of whom everything is known and a caller of whom nothing is,
// so that a template which names a field that does not exist is found when it is
// read, not during a call.
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
