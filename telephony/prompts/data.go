package prompts

import "slices"

// Data is what a text may use. Every field may be empty; text/README.md tells
// writers what each one is.
type Data struct {
	CallType string // general, health_check, cognitive, appliance_help
	Language string // two letters, decides which files are used: en, de, es
	Speak    string // the language's English name, for the system prompt
	Inbound  bool   // the person phoned nAIber, not the other way round
	Reason   string // why the call was asked for, in the words of whoever asked

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

	Recorded   bool // they agreed that what is said is kept word for word
	Remembered bool // they agreed to be remembered from call to call

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
	all := func(texts []string) []string {
		out := make([]string, len(texts))
		for i, t := range texts {
			out[i] = f(t)
		}
		return out
	}
	d.Reason, d.Name, d.FullName, d.Address, d.Notes = f(d.Reason), f(d.Name), f(d.FullName), f(d.Address), f(d.Notes)
	d.LastTopics, d.Conditions, d.Medications = all(d.LastTopics), all(d.Conditions), all(d.Medications)
	d.Memories, d.Promises = all(d.Memories), all(d.Promises)
	d.Contacts = slices.Clone(d.Contacts)
	for i, c := range d.Contacts {
		d.Contacts[i] = Contact{f(c.Name), f(c.Relation)}
	}
	d.Transcript = slices.Clone(d.Transcript)
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

// sample fills every field, so that a template which names a field that does not
// exist is found when it is read, not during a call.
func sample(language string, known bool) Data {
	d := Data{
		CallType: "general", Language: language, Speak: "English", Greeting: "Good morning", Weekday: "Tuesday",
		Date: "3 March 2026", Time: "09:30", Zone: "America/St_Johns", FirstCall: !known, Recorded: known, Remembered: known,
		Inbound: !known, Reconnect: known,
	}
	if !known {
		return d
	}
	d.Name, d.FullName, d.Reason, d.Address, d.Notes = "Ada", "Ada Example", "a reason", "an address", "a note"
	d.LastCall, d.LastTopics = "yesterday", []string{"tulips", "chess"}
	d.Conditions, d.Medications = []string{"a condition"}, []string{"a medicine"}
	d.Contacts = []Contact{{Name: "Ben", Relation: "son"}}
	d.Memories, d.Promises = []string{"Ada grows tulips."}, []string{"how the eye visit went"}
	d.Transcript = []Line{{Who: "Ada", Text: "Hello?"}}
	return d
}
