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
		text, err := fillSchema(req.Schema, readScene([]message{{Role: "user", Content: numberMark.ReplaceAllString(text, "")}}))
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

var refers = regexp.MustCompile(`^(?:He|She|They|It)(?:'s|'ll|\b)`)

// factsIn turns the person's sentences that tell something into facts. "He" is
// whoever was named last.
func factsIn(t numbered) []learnedFact {
	out := []learnedFact{}
	last, lastLine := "", 0
	for _, l := range t.lines {
		if l.agent {
			continue
		}
		for _, s := range sentencesOf(l.text) {
			s = opening.ReplaceAllString(strings.TrimSpace(s), "")
			people := namesIn(s)
			clause, turns := upperFirst(s), []int{l.n}
			if refers.MatchString(clause) && last != "" {
				rest := refers.ReplaceAllString(clause, "")
				switch {
				case strings.Contains(clause, "'s "):
					rest = " is" + rest
				case strings.Contains(clause, "'ll "):
					rest = " will" + rest
				}
				clause = last + rest
				if lastLine != l.n {
					turns = []int{lastLine, l.n}
				}
			}
			if len(people) > 0 {
				last, lastLine = people[0].name, l.n
				if people[0].role != "" {
					last = t.person + "'s " + people[0].label()
				}
			}
			if weigh(clause) <= 0 || isRequest(s) || len(out) == maxLearned {
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

// aboutPerson turns what somebody says of themselves into a sentence about them.
func aboutPerson(s, name string) string {
	words := strings.Fields(s)
	var out []string
	for i := 0; i < len(words); i++ {
		w := strings.ReplaceAll(words[i], "’", "'")
		bare := strings.TrimRight(w, ",.;:!?")
		tail := w[len(bare):]
		bare = strings.ToLower(bare)
		next := ""
		if i+1 < len(words) {
			next = strings.ToLower(words[i+1])
		}
		switch bare {
		case "i", "we":
			out = append(out, name+tail)
			if tail == "" && next != "" {
				out = append(out, verbForThird(words[i+1]))
				i++
			}
		case "i'm", "we're":
			out = append(out, name+" is")
		case "i've", "we've":
			out = append(out, name+" has")
		case "i'll", "we'll":
			out = append(out, name+" will")
		case "i'd", "we'd":
			out = append(out, name+" would")
		case "my", "our":
			out = append(out, name+"'s")
		case "me", "us", "myself":
			out = append(out, name+tail)
		case "mine":
			out = append(out, name+"'s"+tail)
		default:
			out = append(out, words[i])
		}
	}
	return upperFirst(strings.Join(out, " "))
}

// unchanged are verbs that are the same for every person.
var unchanged = stemless(`can could will would shall should must might may was had did went came saw took got made fell slept ate bought
	brought left lost met told felt knew grew gave found kept thought said heard broke woke drank sang sold began ran sat stood won
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
