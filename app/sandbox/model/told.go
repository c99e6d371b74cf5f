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
	Text                string
	Who                 string // what the person is called
	Lines, Ours, Theirs []line // of both, of nAIber, and of the person
}

// A line is what was said in one turn, or a sentence of it.
type line struct {
	Text  string
	Turns []int // 0 is one without a number
}

func readRecord(text string) record {
	r := record{Text: text, Who: "The person"}
	if m := cue("person").FindStringSubmatch(text); m != nil {
		r.Who = m[1]
	}
	for _, m := range cue("turn").FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		r.Lines = append(r.Lines, line{m[3], []int{n}})
		if m[2] == "nAIber" {
			r.Ours = append(r.Ours, line{m[3], []int{n}})
		} else {
			r.Theirs = append(r.Theirs, line{m[3], []int{n}})
		}
	}
	return r
}

// sentencesOf returns those of lines, without what only begins them or addresses the
// listener.
func sentencesOf(lines []line) []line {
	var out []line
	for _, l := range lines {
		for _, s := range english.Sentences(plain.Replace(l.Text)) {
			l.Text = upperFirst(cue("address").ReplaceAllString(cue("beginning").ReplaceAllString(s, ""), ""))
			out = append(out, l)
		}
	}
	return out
}

var plain = strings.NewReplacer("’", "'", "“", `"`, "”", `"`)

// idle reports whether a sentence is an answer, a request or a phrase.
func idle(s string) bool {
	return slices.ContainsFunc(theTalk().Idle, func(p pattern) bool { return p.MatchString(s) })
}

// badNews reports whether a text tells some. A denial of it is none.
func badNews(text string) bool {
	return slices.ContainsFunc(cue("bad").FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == "" })
}

// tellings returns the sentences that tell something, are no question, and count. "He
// broke his hip" stays with the sentence before it.
func tellings(sentences []line, counts func(string) bool) []line {
	var out []line
	open := false // the sentence before is the last of out
	for _, s := range sentences {
		goesOn := cue("goes on").MatchString(s.Text)
		switch {
		case strings.HasSuffix(s.Text, "?"), idle(s.Text), slices.ContainsFunc(out, func(l line) bool { return l.Text == s.Text }):
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

// statements returns what a text tells that can be told again, in so many words at least.
func statements(text string, least int) []string {
	var out []string
	for _, s := range tellings(sentencesOf([]line{{Text: text}}), func(s string) bool { return len(strings.Fields(s)) >= least }) {
		out = append(out, s.Text)
	}
	return out
}

// Facts returns the sentences in which the person tells of their life: those of four
// words or more that name somebody, or in which they speak of themselves.
func (r record) Facts() []line {
	return tellings(sentencesOf(r.Theirs), func(s string) bool {
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

// Label returns how one speaks of it: "daughter Helen".
func (n named) Label() string { return strings.TrimSpace(n.Role + " " + n.Name) }

// namesIn returns whom a text names, each once: those with a role first.
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

// Names returns whom the person named.
func (r record) Names() []named {
	var out []named
	for _, l := range r.Theirs {
		for _, n := range namesIn(l.Text) {
			i := slices.IndexFunc(out, func(o named) bool { return o.Name == n.Name })
			if i < 0 {
				i, out = len(out), append(out, named{Name: n.Name})
			}
			old := &out[i]
			old.Role, old.Pet, old.Turns = cmp.Or(old.Role, n.Role), old.Pet || n.Pet, append(old.Turns, l.Turns...)
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

// Topics returns what the person talked about, the weightiest first.
func (r record) Topics() []topic {
	return r.topicsOf(slices.DeleteFunc(sentencesOf(r.Theirs), func(s line) bool { return idle(s.Text) })...)
}

// topicsOf returns whom and what sentences speak of, by names and nouns.
func (r record) topicsOf(sentences ...line) []topic {
	var out []topic
	count := func(label string, weight int) {
		i := slices.IndexFunc(out, func(t topic) bool { return t.Label == label })
		if i < 0 {
			i, out = len(out), append(out, topic{label, 0, weight})
		}
		out[i].Count++
	}
	for _, s := range sentences {
		roles := map[string]bool{}
		for _, n := range namesIn(s.Text) {
			before, _, _ := strings.Cut(s.Text, n.Name)
			if !strings.Contains(r.Who, n.Name) && !cue("introducing").MatchString(before) {
				count(n.Label(), 3)
			}
			roles[n.Role] = true
		}
		for _, h := range hits(wordsOf(s.Text)) {
			if weight := theTalk().Subjects[h.senses[0].category].Weight; weight > 0 && !roles[h.words[0].text] {
				count(cmp.Or(theTalk().Nouns[h.senses[0].meaning], h.text()), weight)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b topic) int { return cmp.Compare(b.Count*b.weight, a.Count*a.weight) })
	return out
}

// Topic returns the weightiest of a text, "" where it has none.
func (r record) Topic(text string) string {
	for _, t := range r.topicsOf(line{Text: text}) {
		return t.Label
	}
	return ""
}

// Latest returns the last topic before the last line.
func (r record) Latest() string {
	latest := ""
	for _, l := range slices.Backward(r.Lines[:max(0, len(r.Lines)-1)]) {
		latest = cmp.Or(latest, r.Topic(l.Text))
	}
	return latest
}

// Before returns the end of what a record begins with as its summary so far.
func (r record) Before() string {
	before, _, _ := strings.Cut(r.Text, "TRANSCRIPT\n")
	out := english.Sentences(cue("heading").ReplaceAllString(before, ""))
	return strings.Join(out[max(0, len(out)-8):], " ")
}

// Told returns the first facts, one after the other.
func (r record) Told() string {
	var out []string
	for _, f := range r.Facts() {
		out = append(out, strings.TrimRight(f.Text, ".!")+".")
	}
	return strings.Join(out[:min(len(out), 4)], " ")
}

// Title returns what the first telling sentence of a text begins with.
func (r record) Title() string {
	text := plain.Replace(r.Text)
	words := strings.Fields(append(statements(text, 4), text)[0])
	words = words[max(0, slices.IndexFunc(words, func(w string) bool { return !empty(w) })):]
	words = words[:min(len(words), 5)]
	for len(words) > 0 && empty(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return upperFirst(strings.Trim(strings.Join(words, " "), `.,;:!?"`))
}

// A verdict says what a new fact means to old ones.
type verdict struct {
	New     int
	Verdict string
	Old     []int
}

// Verdicts compares new facts with the old ones below each.
func (r record) Verdicts() []verdict {
	var out []verdict
	fresh := ""
	for _, m := range cue("fact").FindAllStringSubmatch(r.Text, -1) {
		n, _ := strconv.Atoi(m[1]) // digits
		if strings.HasPrefix(m[0], "NEW") {
			fresh, out = m[2], append(out, verdict{n, "APPEND", []int{}})
			continue
		}
		if found := verdictOn(fresh, m[2]); len(out) > 0 && found != "APPEND" {
			if v := &out[len(out)-1]; v.Verdict == "APPEND" || v.Verdict == found {
				v.Verdict, v.Old = found, append(v.Old, n)
			}
		}
	}
	return out
}

// verdictOn says what a fact means to an old one.
func verdictOn(fresh, old string) string {
	a, b := topicsIn(fresh), topicsIn(old)
	switch common := english.Common(a, b); {
	case common == len(a) && common == len(b):
		return "PASS"
	case common == 0:
	case cue("ends").MatchString(fresh) && !cue("ends").MatchString(old):
		return "DELETE"
	case cue("lives").MatchString(fresh) && cue("lives").MatchString(old):
		return "REPLACE"
	}
	return "APPEND"
}
