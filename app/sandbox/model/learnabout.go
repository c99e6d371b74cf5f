package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// learnedVerdict is one verdict on the wire.
type learnedVerdict struct {
	New     int    `json:"new"`
	Verdict string `json:"verdict"`
	Old     []int  `json:"old"`
	Depends []int  `json:"depends"`
}

var (
	newFact = regexp.MustCompile(`^NEW (\d+): (.*?)(?: \([^()]*\))?$`)
	oldFact = regexp.MustCompile(`^ +OLD (\d+): (.*?)(?: \([^()]*\))?$`)
)

// verdictsIn compares new facts with the old ones below each.
func verdictsIn(text string) []learnedVerdict {
	out := []learnedVerdict{}
	said := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := newFact.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			if err == nil {
				said = m[2]
				out = append(out, learnedVerdict{New: n, Verdict: "APPEND", Old: []int{}, Depends: []int{}})
			}
			continue
		}
		m := oldFact.FindStringSubmatch(line)
		if m == nil || len(out) == 0 {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		v := &out[len(out)-1]
		if found := verdictOn(said, m[2]); found != "APPEND" && (v.Verdict == "APPEND" || v.Verdict == found) {
			v.Verdict, v.Old = found, append(v.Old, n)
		}
	}
	return out
}

// verdictOn says what a fact means to an old one.
func verdictOn(fresh, old string) string {
	a, b := told(fresh), told(old)
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	over := hasAny(fresh, "no longer", "any more", "anymore", "stopped", "gave up", "died", "came home", "is home", "better now", "cancelled")
	switch {
	case common == len(a) && common == len(b):
		return "PASS"
	case common > 0 && over && !hasAny(old, "came home", "no longer"):
		return "DELETE"
	case common > 0 && hasAny(fresh, "moved to", "lives in") && hasAny(old, "moved to", "lives in"):
		return "REPLACE"
	default:
		return "APPEND"
	}
}

// told are the stems of a sentence that carry a subject.
func told(s string) map[string]bool {
	set := map[string]bool{}
	for _, stem := range stemsOf(s) {
		if !stopWords[stem] {
			set[stem] = true
		}
	}
	return set
}

type learnedEntity struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Aliases []string `json:"aliases"`
	Notes   string   `json:"notes"`
	Known   *int     `json:"known"`
	Turns   []int    `json:"turns"`
}

type learnedRelation struct {
	From  string `json:"from"`
	Label string `json:"label"`
	To    string `json:"to"`
	Turns []int  `json:"turns"`
}

var conditionIn = regexp.MustCompile(`(?i)\b(arthritis|diabetes|asthma|cataracts?|glaucoma|angina|osteoporosis|gout|sciatica|high blood pressure|parkinson's|dementia)\b`)

// entitiesIn lists whom the person named, their conditions and medication, and
// what they are to the person.
func entitiesIn(t numbered) ([]learnedEntity, []learnedRelation) {
	entities, relations := []learnedEntity{}, []learnedRelation{}
	place := map[string]int{}
	meet := func(e learnedEntity, label string) {
		key := e.Kind + " " + strings.ToLower(e.Name)
		if i, ok := place[key]; ok {
			entities[i].Turns = append(entities[i].Turns, e.Turns...)
			entities[i].Aliases = append(entities[i].Aliases, e.Aliases...)
		} else {
			place[key] = len(entities)
			entities = append(entities, e)
		}
		if label != "" {
			relations = append(relations, learnedRelation{From: "PERSON", Label: label, To: e.Name, Turns: e.Turns})
		}
	}
	for _, l := range t.lines {
		if l.agent {
			continue
		}
		for _, n := range namesIn(l.text) {
			e := learnedEntity{Name: n.name, Kind: "person", Aliases: []string{}, Turns: []int{l.n}}
			if n.pet {
				e.Kind = "pet"
			}
			if n.role != "" {
				e.Aliases = append(e.Aliases, n.label())
			}
			meet(e, n.role)
		}
		for _, c := range conditionIn.FindAllString(l.text, -1) {
			meet(learnedEntity{Name: c, Kind: "condition", Aliases: []string{}, Turns: []int{l.n}}, "has")
		}
		for _, m := range medicineIn.FindAllString(l.text, -1) {
			meet(learnedEntity{Name: m, Kind: "medication", Aliases: []string{}, Turns: []int{l.n}}, "takes")
		}
	}
	return entities, relations
}

type learnedPromise struct {
	Text   string  `json:"text"`
	Kind   string  `json:"kind"`
	Due    *string `json:"due"`
	Repeat string  `json:"repeat"`
	Turns  []int   `json:"turns"`
}

var promised = regexp.MustCompile(`(?i)\bI(?:'ll| will) (?:be sure to )?(?:ask(?: you)?|remember|think of) (?:next time |again )?((?:about|how|whether|if) [^.!?]+|[^.!?]+)`)

// promisesIn lists what nAIber said it would ask, and the days that the person
// spoke of.
func promisesIn(t numbered) []learnedPromise {
	out := []learnedPromise{}
	for _, l := range t.lines {
		if l.agent {
			if m := promised.FindStringSubmatch(l.text); m != nil {
				out = append(out, learnedPromise{Text: strings.TrimSpace(strings.TrimPrefix(m[1], "about ")), Kind: "follow_up", Repeat: "never", Turns: []int{l.n}})
			}
			continue
		}
		for _, s := range sentencesOf(l.text) {
			kind := ""
			switch {
			case hasAny(s, "birthday"):
				kind = "birthday"
			case hasAny(s, "wedding anniversary", "anniversary"):
				kind = "anniversary"
			case isPlan(s) && hasAny(s, "appointment", "doctor", "dentist", "operation", "hospital", "eye test", "optician", "is coming", "are coming", "visit", "visits"):
				kind = "appointment"
			}
			if kind == "" || strings.HasSuffix(s, "?") || slices.ContainsFunc(out, func(p learnedPromise) bool { return slices.Contains(p.Turns, l.n) }) {
				continue
			}
			text := strings.TrimRight(aboutPerson(said(s), t.person), ".!")
			out = append(out, learnedPromise{Text: text, Kind: kind, Repeat: "never", Turns: []int{l.n}})
		}
	}
	return out[:min(len(out), 10)]
}
