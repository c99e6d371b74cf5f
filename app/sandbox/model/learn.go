package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What is learned after a call is asked for with numbered lines, and an answer
// must name the lines that it stems from: more than a form that is filled field by
// field can do. These questions are known by the names of their schemas.

// learned answers a question about a call with numbered lines. It reports false
// for any other question.
func learned(req *chatRequest) (string, bool) {
	text := lastText(req.Messages)
	var out any
	switch req.SchemaName {
	case "memory_facts":
		out = map[string]any{"facts": factsIn(readNumbered(text))}
	case "memory_revision":
		out = map[string]any{"verdicts": verdictsIn(text)}
	case "memory_names":
		entities, relations := entitiesIn(readNumbered(text))
		out = map[string]any{"entities": entities, "relations": relations}
	case "memory_promises":
		out = map[string]any{"promises": promisesIn(readNumbered(text))}
	case "memory_summary":
		scene := readScene([]message{{Role: "user", Content: numberMark.ReplaceAllString(text, "")}})
		if m := calledIn.FindStringSubmatch(text); m != nil {
			scene.person = m[1]
		}
		text, err := fillSchema(req.Schema, scene)
		return text, err == nil
	default:
		return "", false
	}
	body, err := json.Marshal(out)
	return string(body), err == nil
}

func lastText(messages []message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == "user" {
			return m.Content
		}
	}
	return ""
}

// numbered is a transcript whose lines have numbers.
type numbered struct {
	person string
	lines  []numberedLine
}

type numberedLine struct {
	n     int
	agent bool
	text  string
}

var (
	numberMark   = regexp.MustCompile(`(?m)^\[\d+\] `)
	numberedText = regexp.MustCompile(`(?m)^\[(\d+)\] (nAIber|Person): (.*)$`)
	calledIn     = regexp.MustCompile(`(?m)^The person is called (.+?)\.`)
)

func readNumbered(text string) numbered {
	t := numbered{person: "The person"}
	if m := calledIn.FindStringSubmatch(text); m != nil {
		t.person = m[1]
	}
	for _, m := range numberedText.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			t.lines = append(t.lines, numberedLine{n: n, agent: m[2] == "nAIber", text: m[3]})
		}
	}
	return t
}

// learnedFact is one fact on the wire.
type learnedFact struct {
	Text       string  `json:"text"`
	Kind       string  `json:"kind"`
	Topic      string  `json:"topic"`
	Confidence float64 `json:"confidence"`
	Turns      []int   `json:"turns"`
	TrueFrom   *string `json:"trueFrom"`
	TrueUntil  *string `json:"trueUntil"`
	Because    []int   `json:"because"`
}

var (
	refers    = regexp.MustCompile(`^(?:He|She)(?:'s|'ll|\b)`)
	refersPet = regexp.MustCompile(`^(?:He|She|It)(?:'s|'ll|\b)`)
)

// A mention is whom "he" and "she" mean: whoever was named last.
type mention struct {
	label string // "Margaret's son Tom"
	line  int
	pet   bool
}

// meant puts whoever was named last in the place of the pronoun that begins a
// sentence; it reports false where there is none.
func (m mention) meant(s string) (string, bool) {
	pronoun := refers
	if m.pet {
		pronoun = refersPet
	}
	at := pronoun.FindString(s)
	if at == "" || m.label == "" {
		return s, false
	}
	rest := s[len(at):]
	switch {
	case strings.HasSuffix(at, "'s"):
		rest = " is" + rest
	case strings.HasSuffix(at, "'ll"):
		rest = " will" + rest
	}
	return m.label + rest, true
}

// next is the mention after a sentence. The person is not one: they say "I".
func (m mention) next(s, person string, line int) mention {
	for _, n := range namesIn(s) {
		switch {
		case n.name == person || lastWord(n.name) == person:
		case n.role != "":
			return mention{label: person + "'s " + n.label(), line: line, pet: n.pet}
		default:
			return mention{label: n.name, line: line}
		}
	}
	return m
}

// factsIn turns the person's sentences that tell something of their life into
// facts.
func factsIn(t numbered) []learnedFact {
	out := []learnedFact{}
	var last mention
	for _, l := range t.lines {
		if l.agent {
			continue
		}
		for _, s := range sentencesOf(l.text) {
			clause, turns := said(s), []int{l.n}
			resolved, refers := last.meant(clause)
			if refers && last.line != l.n {
				turns = []int{last.line, l.n}
			}
			last = last.next(clause, t.person, l.n)
			if refers {
				clause = resolved
			}
			if refers && (weigh(clause) <= 0 || isRequest(s)) || !refers && !tellsOfLife(s) || len(out) == maxLearned {
				continue
			}
			out = append(out, learnedFact{
				Text: aboutPerson(clause, t.person), Kind: kindOfFact(clause), Topic: topicOfFact(clause), Confidence: 0.9, Turns: turns, Because: []int{},
			})
		}
	}
	return out
}

const maxLearned = 20

var opening = regexp.MustCompile(`^(?i:(?:well|oh|yes|no|yeah|you know|actually|now|and|but|so|ah|um|today i can tell you)[,.]? +)+`)

// isRequest reports whether a sentence asks nAIber for something: it tells nothing
// about the person.
func isRequest(s string) bool {
	return hasAny(s, "forget that", "forget what", "dont mention", "dont bring", "dont talk about", "dont ask", "can you", "could you", "will you", "please", "thank you", "goodbye")
}

// kindOfFact names what a sentence is about.
func kindOfFact(s string) string {
	people := namesIn(s)
	switch {
	case len(people) > 0 && people[0].pet || hasAny(s, "my dog", "my cat", "the dog", "the cat"):
		return "pet"
	case isPlan(s):
		return "plan"
	case medicineIn.MatchString(s) || hasAny(s, "hospital", "doctor", "knee", "hip", "heart", "pain", "hurts", "sleep", "slept", "pills", "ill", "sore", "headache", "eyes"):
		return "health"
	case hasAny(s, "worried", "worry", "afraid", "lonely"):
		return "worry"
	case hasAny(s, "i love", "i like", "i enjoy", "my favourite", "my favorite"):
		return "like"
	case hasAny(s, "every day", "every morning", "every week", "always", "usually", "on sundays", "on mondays"):
		return "routine"
	case len(people) > 0:
		return "person"
	default:
		return "life"
	}
}

func topicOfFact(s string) string {
	if list := labels(topicsOf([]string{s}, nil)); len(list) > 0 {
		return list[0]
	}
	return ""
}

// unchanged are verbs that are the same for every person.
var unchanged = stemless(`can could will would shall should must might may was had did went came saw took got made fell slept ate bought
	brought left lost met told felt knew grew gave found kept thought said heard broke woke drank sang sold began ran sat stood won
	taught forgot hung set put cut hit let hurt wrote spoke chose drove rode rang flew wore rose swam threw caught built sent spent meant
	just never always also still only really usually often sometimes once used couldn't wouldn't can't won't didn't wasn't hadn't shouldn't`)

func stemless(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// verbForThird is the form of a verb after a name.
func verbForThird(verb string) string {
	lower := strings.ToLower(strings.ReplaceAll(verb, "’", "'"))
	switch lower {
	case "am", "are":
		return "is"
	case "were":
		return "was"
	case "have":
		return "has"
	case "haven't":
		return "hasn't"
	case "do":
		return "does"
	case "don't":
		return "doesn't"
	case "go":
		return "goes"
	}
	switch {
	case unchanged[lower] || strings.HasSuffix(lower, "ed") || strings.HasSuffix(lower, "ly") || strings.ContainsAny(lower, ",'"):
		return verb
	case strings.HasSuffix(lower, "s") || strings.HasSuffix(lower, "sh") || strings.HasSuffix(lower, "ch") || strings.HasSuffix(lower, "x"):
		return verb + "es"
	case len(lower) > 2 && strings.HasSuffix(lower, "y") && !strings.ContainsRune("aeiou", rune(lower[len(lower)-2])):
		return verb[:len(verb)-1] + "ies"
	default:
		return verb + "s"
	}
}
