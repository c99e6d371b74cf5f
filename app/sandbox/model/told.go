package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// A record is talk that was written down: for forms, and for summaries.
type record struct {
	Text  string
	Who   string // what the person is called
	Lines []line
}

// A line is what one side said in one turn. It has the number 0 where it bears none.
type line struct {
	N    int
	Ours bool // nAIber's
	Text string
}

func readRecord(text string) record {
	r := record{Text: text, Who: "The person"}
	if m := cue("person").FindStringSubmatch(text); m != nil {
		r.Who = m[1]
	}
	for _, m := range cue("turn").FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		r.Lines = append(r.Lines, line{N: n, Ours: m[2] == "nAIber", Text: m[3]})
	}
	return r
}

// A sentence is something that was said.
type sentence struct {
	Text  string
	Turns []int
}

// Sentences are those of nAIber, or else of the person.
func (r record) Sentences(ours bool) []sentence {
	var out []sentence
	for _, l := range r.Lines {
		if l.Ours == ours {
			out = append(out, sentencesOf(l.Text, l.N)...)
		}
	}
	return out
}

// sentencesOf are those of a text, without what only begins them or addresses the
// listener.
func sentencesOf(text string, turns ...int) []sentence {
	var out []sentence
	for _, s := range english.Sentences(plain.Replace(text)) {
		s = cue("address").ReplaceAllString(cue("beginning").ReplaceAllString(s, ""), "")
		out = append(out, sentence{Text: upperFirst(s), Turns: turns})
	}
	return out
}

var plain = strings.NewReplacer("’", "'", "“", `"`, "”", `"`)

// idle reports whether a sentence is an answer, a request or a phrase.
func idle(s string) bool {
	return slices.ContainsFunc(theTalk().Idle, func(p pattern) bool { return p.MatchString(s) })
}

// tellings are the sentences that tell something, are no question, and count. "He
// broke his hip" stays with the sentence before it.
func tellings(list []sentence, counts func(string) bool) []sentence {
	var out []sentence
	open := false // the sentence before is the last of out
	for _, s := range list {
		goesOn := cue("goes on").MatchString(s.Text)
		switch {
		case strings.HasSuffix(s.Text, "?"), idle(s.Text), slices.ContainsFunc(out, func(f sentence) bool { return f.Text == s.Text }):
			open = false
		case goesOn && open:
			last := &out[len(out)-1]
			last.Text += " " + s.Text
			last.Turns = slices.Compact(slices.Concat(last.Turns, s.Turns))
		case !goesOn && counts(s.Text):
			out, open = append(out, s), true
		default:
			open = false
		}
	}
	return out
}

// Facts are the sentences in which the person tells of their life: those of four
// words or more that name somebody, or in which they speak of themselves.
func (r record) Facts() []sentence {
	return tellings(r.Sentences(false), func(s string) bool {
		return len(strings.Fields(s)) >= 4 && (cue("oneself").MatchString(s) || len(namesIn(s)) > 0)
	})
}

// A named is a person or an animal with a name.
type named struct {
	Name  string // "Helen"
	Role  string // "daughter"; empty where nothing tells
	Pet   bool
	Turns []int
}

// Label is how one speaks of it: "daughter Helen".
func (n named) Label() string { return strings.TrimSpace(n.Role + " " + n.Name) }

// namesIn finds whom a text names, each once: those with a role first.
func namesIn(text string) []named {
	var out []named
	sentences := english.Sentences(text)
	for _, p := range theTalk().Names {
		for _, s := range sentences {
			for _, m := range p.find(s, -1) {
				name := m["name"]
				if name != "" && !cue("no name").MatchString(name) && !empty(name) && !slices.ContainsFunc(out, func(n named) bool { return n.Name == name }) {
					out = append(out, named{Name: name, Role: cmp.Or(m["role"], m["pet"]), Pet: m["pet"] != ""})
				}
			}
		}
	}
	return out
}

// Names are whom the person named.
func (r record) Names() []named {
	var out []named
	for _, l := range r.Lines {
		if l.Ours {
			continue
		}
		for _, n := range namesIn(l.Text) {
			i := slices.IndexFunc(out, func(o named) bool { return o.Name == n.Name })
			if i < 0 {
				i, out = len(out), append(out, n)
			}
			out[i].Role, out[i].Pet = cmp.Or(out[i].Role, n.Role), out[i].Pet || n.Pet
			out[i].Turns = append(out[i].Turns, l.N)
		}
	}
	return out
}

// A topic is something that the person spoke of.
type topic struct {
	Label  string // "daughter Helen", "a fall"
	Count  int    // sentences that speak of it
	weight int
}

// Topics are what the person talked about, the weightiest first.
func (r record) Topics() []topic {
	var told []string
	for _, s := range r.Sentences(false) {
		if !idle(s.Text) {
			told = append(told, s.Text)
		}
	}
	return r.topicsOf(told...)
}

// topicsOf are whom and what sentences speak of, by names and nouns.
func (r record) topicsOf(sentences ...string) []topic {
	var out []topic
	count := func(label string, weight int) {
		if i := slices.IndexFunc(out, func(t topic) bool { return t.Label == label }); i >= 0 {
			out[i].Count++
			return
		}
		out = append(out, topic{label, 1, weight})
	}
	for _, s := range sentences {
		roles := map[string]bool{}
		for _, n := range namesIn(s) {
			before, _, _ := strings.Cut(s, n.Name)
			if !strings.Contains(r.Who, n.Name) && !cue("introducing").MatchString(before) {
				count(n.Label(), 3)
			}
			roles[n.Role] = true
		}
		words := wordsOf(s)
		for _, h := range hits(words) {
			said := make([]string, h.n)
			for i := range said {
				said[i] = words[h.at+i].text
			}
			if weight := theTalk().Subjects[h.senses[0].category].Weight; weight > 0 && !roles[said[0]] {
				count(cmp.Or(theTalk().Nouns[h.senses[0].meaning], strings.Join(said, " ")), weight)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b topic) int { return cmp.Compare(b.Count*b.weight, a.Count*a.weight) })
	return out
}

// Topic is the weightiest of a text, "" where it has none.
func (r record) Topic(text string) string {
	if t := r.topicsOf(text); len(t) > 0 {
		return t[0].Label
	}
	return ""
}

// Latest is the last topic before the last line.
func (r record) Latest() string {
	for _, l := range slices.Backward(r.Lines[:max(0, len(r.Lines)-1)]) {
		if t := r.Topic(l.Text); t != "" {
			return t
		}
	}
	return ""
}

// Before is the end of what a record begins with as its summary so far.
func (r record) Before() string {
	const most = 8
	before, _, _ := strings.Cut(r.Text, "TRANSCRIPT\n")
	var out []string
	for l := range strings.SplitSeq(before, "\n") {
		l = strings.TrimSpace(l)
		if !cue("heading").MatchString(l) && !cue("person").MatchString(l) && !cue("turn").MatchString(l) {
			out = append(out, english.Sentences(l)...)
		}
	}
	return strings.Join(out[max(0, len(out)-most):], " ")
}

// Told are the first facts, one after the other.
func (r record) Told() string {
	var out []string
	for _, f := range r.Facts() {
		out = append(out, strings.TrimRight(f.Text, ".!")+".")
	}
	return strings.Join(out[:min(len(out), 4)], " ")
}

// Title is what the first telling sentence of a text begins with.
func (r record) Title() string {
	text := plain.Replace(r.Text)
	if told := statements(text, 4); len(told) > 0 {
		text = told[0]
	}
	words := strings.Fields(text)
	words = words[max(0, slices.IndexFunc(words, func(w string) bool { return !empty(w) })):]
	words = words[:min(len(words), 5)]
	for len(words) > 0 && empty(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return upperFirst(strings.Trim(strings.Join(words, " "), `.,;:!?"`))
}
