package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A scene is what a request for structured output is about: who said what, and
// what the request says around it.
type scene struct {
	lines        []sceneLine
	instructions string // system prompt, and whatever is not speech
	person       string // the speaker's label when it is a name
}

// A sceneLine is what one side said in one turn.
type sceneLine struct {
	agent bool // nAIber, or whoever asks the questions
	text  string
}

var speechLabel = regexp.MustCompile(`^\s*(?:[-*•]\s+)?(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?[\])]?\s*[-–]?\s*)?\**([A-Za-z][A-Za-z .'-]{0,38}?)\**\s*(?:[\[(][^)\]]{0,40}[\])])?\s*\**:\**\s*(.*)$`)

var (
	agentLabels  = []string{"naiber", "assistant", "agent", "ai", "bot", "companion", "model", "question", "q", "interviewer", "asked"}
	personLabels = []string{"user", "person", "elder", "patient", "answer", "a", "caller", "customer", "human", "reply", "said", "utterance", "person said", "user said", "message", "user message", "they said"}
	metaLabels   = []string{
		"name", "date", "language", "timezone", "time zone", "topic", "topics", "conditions", "medications", "notes", "profile", "summary",
		"call type", "id", "phone", "preferred name", "contacts", "type", "question type", "min", "max", "scale", "expected", "options", "format",
		"output", "context", "reason", "persona", "instructions", "instruction", "known", "memories", "relevant memories", "rules", "schema", "note",
		"example", "task", "transcript", "conversation", "time", "local time", "attempt", "history", "important", "call", "today",
	}
)

// readScene reads the messages of a request: a history in roles, a transcript
// with labels ("nAIber: …"), or one in JSON; in the user's messages, or else
// in the system prompt.
func readScene(messages []message) *scene {
	sc := &scene{}
	var system []string
	for _, m := range messages {
		switch m.Role {
		case "system", "developer":
			system = append(system, m.Content)
		case "assistant":
			sc.say(true, m.Content)
		case "user":
			sc.readUser(m.Content)
		}
	}
	sc.instruct(strings.Join(system, "\n"))
	if !slices.ContainsFunc(sc.lines, func(l sceneLine) bool { return !l.agent }) {
		sc.readLabelled(strings.Join(system, "\n"), 1)
	}
	return sc
}

func (sc *scene) say(agent bool, text string) {
	if text = strings.TrimSpace(text); text != "" {
		sc.lines = append(sc.lines, sceneLine{agent: agent, text: text})
	}
}

func (sc *scene) instruct(text string) {
	if text = strings.TrimSpace(text); text != "" {
		sc.instructions += text + "\n"
	}
}

var orders = []string{"extract", "summarise", "summarize", "classify", "analyse", "analyze", "determine", "decide", "identify", "return", "given", "list the", "rate the", "read the", "fill", "produce", "write a summary", "from the"}

func (sc *scene) readUser(text string) {
	switch {
	case sc.readJSON(text):
	case sc.readLabelled(text, 2):
	case startsWithAny(text, orders...) && (len(sc.lines) > 0 || strings.Contains(text, "\n")):
		order, rest, _ := strings.Cut(text, "\n")
		sc.instruct(order)
		sc.say(false, rest)
	default:
		sc.say(false, text)
	}
}

// readLabelled reads "label: words" lines. It takes the text only when it has
// at least so many of them, or one with a well-known label.
func (sc *scene) readLabelled(text string, least int) bool {
	type labelled struct {
		kind labelKind
		name string
		text string
	}
	var lines []labelled
	spoken, certain := 0, false
	for raw := range strings.Lines(text) {
		raw = strings.TrimRight(raw, "\r\n")
		l := labelled{text: raw}
		if m := speechLabel.FindStringSubmatch(raw); m != nil {
			l.kind, l.name = kindOfLabel(m[1])
			if l.kind == labelAgent || l.kind == labelPerson {
				l.text = m[2]
				spoken++
				certain = certain || l.name == ""
			}
		}
		lines = append(lines, l)
	}
	if spoken < least && !certain {
		return false
	}
	if spoken == 0 {
		return false
	}
	speaking := labelNone
	for _, l := range lines {
		switch {
		case l.kind == labelAgent || l.kind == labelPerson:
			speaking = l.kind
			if l.name != "" && sc.person == "" && l.kind == labelPerson {
				sc.person = l.name
			}
		case l.kind == labelMeta || strings.TrimSpace(l.text) == "":
			speaking = labelNone
		}
		switch speaking {
		case labelAgent, labelPerson:
			sc.say(speaking == labelAgent, strings.Trim(strings.TrimSpace(l.text), `"“”`))
		default:
			sc.instruct(l.text)
		}
	}
	return true
}

type labelKind int

const (
	labelNone labelKind = iota
	labelAgent
	labelPerson
	labelMeta
)

// kindOfLabel says who speaks under a label. A name is given back as it is;
// for well-known labels the name is empty.
func kindOfLabel(label string) (labelKind, string) {
	lower := strings.ToLower(strings.TrimSpace(label))
	switch {
	case slices.Contains(agentLabels, lower):
		return labelAgent, ""
	case slices.Contains(personLabels, lower):
		return labelPerson, ""
	case slices.Contains(metaLabels, lower):
		return labelMeta, ""
	}
	words := strings.Fields(label)
	if len(words) > 3 {
		return labelNone, ""
	}
	for _, w := range words {
		if w[0] < 'A' || w[0] > 'Z' {
			return labelNone, ""
		}
	}
	return labelPerson, strings.TrimSpace(label)
}

// readJSON reads a transcript in JSON: a list of objects with a role and a
// text, by itself or as a field of an object.
func (sc *scene) readJSON(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || (text[0] != '[' && text[0] != '{') {
		return false
	}
	var list []map[string]any
	if json.Unmarshal([]byte(text), &list) == nil {
		return sc.readTurns(list)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return false
	}
	for _, key := range []string{"transcript", "messages", "conversation", "turns", "utterances", "lines"} {
		if json.Unmarshal(object[key], &list) == nil && sc.readTurns(list) {
			sc.instruct(text)
			return true
		}
	}
	return false
}

func (sc *scene) readTurns(list []map[string]any) bool {
	before := len(sc.lines)
	for _, turn := range list {
		kind, _ := kindOfLabel(textOf(turn, "role", "speaker", "who", "from", "source"))
		sc.say(kind == labelAgent, textOf(turn, "text", "content", "message", "words", "utterance"))
	}
	return len(sc.lines) > before
}

// textOf returns the first of the named values that is a text.
func textOf(m map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	return ""
}

// personText is all that the person said, a line for each turn.
func (sc *scene) personText() string {
	var b strings.Builder
	for _, l := range sc.lines {
		if !l.agent {
			b.WriteString(l.text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lastWords is what the person said last.
func (sc *scene) lastWords() string {
	for _, l := range slices.Backward(sc.lines) {
		if !l.agent {
			return l.text
		}
	}
	return ""
}
