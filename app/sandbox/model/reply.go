package model

import (
	"cmp"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// speak returns the next turn: the rest of one that was cut off, or a reply. A history
// with such a turn ends with its beginning and a request to go on.
func speak(messages []message, now time.Time) string {
	at := len(messages) - 2
	if at >= 1 && messages[at].Role == "assistant" && cue("continue").MatchString(messages[at+1].text()) {
		begun := strings.TrimSpace(messages[at].text())
		rest, ok := strings.CutPrefix(strings.TrimLeft(speak(messages[:at], now), " "), begun)
		if ok && begun != "" && strings.TrimSpace(rest) != "" {
			return rest
		}
	}
	return newDialogue(messages, now).reply()
}

// A dialogue is one conversation, as far as a reply needs it.
type dialogue struct {
	system       string
	last, before string          // what the person said last, and nAIber
	theirs       []string        // what the person said before
	ours         string          // what nAIber said, plain
	said         map[string]bool // its sentences
	names        []string        // what the person is called
	memories     []string
	contacts     []string
	places       map[string]string
	seed         uint64
}

func newDialogue(messages []message, now time.Time) *dialogue {
	d := &dialogue{said: map[string]bool{}, places: map[string]string{}}
	h := fnv.New64a()
	for i, m := range messages {
		text := plain.Replace(m.text())
		switch m.Role {
		case "system", "developer":
			d.system += text + "\n\n"
		case "assistant":
			d.before = cmp.Or(strings.TrimSpace(text), d.before)
			d.note(text)
		case "user":
			_, _ = h.Write([]byte(english.Plain(text)))
			if i < len(messages)-1 {
				d.theirs = append(d.theirs, text)
			} else {
				d.last = text
			}
		}
	}
	d.seed = h.Sum64()
	if slices.ContainsFunc(append(d.theirs, d.last), cue("stranger").MatchString) {
		d.theirs = nil
	} else {
		d.know()
	}
	d.spokenOf()
	d.clock(now)
	return d
}

// know reads what the instructions tell of the person, and what is remembered: of what
// was said before, only the person's words.
func (d *dialogue) know() {
	if m := cue("called").FindStringSubmatch(d.system); m != nil {
		first, _, _ := strings.Cut(m[1], " ")
		d.names, d.places["name"] = strings.Fields(m[2]+" "+m[1]), cmp.Or(m[2], first)
	}
	for _, c := range cue("contact").FindAllStringSubmatch(d.system, -1) {
		d.contacts = append(d.contacts, "My "+strings.ToLower(c[2])+" "+c[1]+".")
	}
	for _, section := range cue("remembered").FindAllStringSubmatch(d.system, -1) {
		lines := cue("bullet").ReplaceAllString(section[1], "")
		for l := range strings.Lines(cue("speaker").ReplaceAllString(lines, "\n$1: ")) {
			if !strings.HasPrefix(l, "nAIber: ") {
				d.memories = append(d.memories, statements(cue("speaker").ReplaceAllString(l, ""), 3)...)
			}
		}
	}
}

// clock sets the places for the day and the time, by the instructions or else by a clock.
func (d *dialogue) clock(now time.Time) {
	if m := cue("time").FindStringSubmatch(d.system); m != nil {
		if at, err := time.Parse("Monday, 2 January 2006, 15:04", m[1]); err == nil {
			now = at
		}
	}
	const parts = "nnnnnmmmmmmmaaaaaaeeeenn" // of a day, by the hour
	part := map[byte]string{'n': "at night", 'm': "in the morning", 'a': "in the afternoon", 'e': "in the evening"}[parts[now.Hour()]]
	d.places["day"] = now.Format("Monday, 2 January")
	d.places["clock"] = strings.Replace(now.Format("3:04 "), ":00", " o'clock", 1) + part
}

// spokenOf sets the places for whom the person just spoke of. Who they are may have
// been told before.
func (d *dialogue) spokenOf() {
	said := strings.Join(english.Words(d.last), " ")
	for _, n := range namesIn(strings.Join(slices.Concat([]string{d.last}, d.contacts, d.theirs, d.memories), "\n")) {
		switch {
		case !english.Holds(said, strings.Join(english.Words(n.Name), " ")), slices.Contains(d.names, n.Name):
		case n.Pet:
			d.places["pet"] = n.Name
		case n.Role == "":
			d.places["someone"], d.places["unknown"] = n.Name, n.Name
		case cue("maybe late").MatchString(n.Role):
			d.places["someone"] = n.Name
		case d.places["who"] == "":
			d.places["who"] = "your " + n.Label()
		}
	}
	if m := cue("relative").FindStringSubmatch(d.last); m != nil && d.places["who"] == "" && !cue("maybe late").MatchString(m[1]) {
		d.places["who"] = "your " + strings.ToLower(m[1])
	}
}

// note remembers what was said, so that it is not said again.
func (d *dialogue) note(text string) {
	d.ours += " " + english.Plain(text)
	for _, s := range english.Sentences(text) {
		d.said[english.Plain(s)] = true
	}
}

// reply meets what was said: by a rule, or else by its subject.
func (d *dialogue) reply() string {
	d.places["recalled"] = d.memory(append(slices.Clone(d.memories), statements(strings.Join(d.theirs, "\n"), 3)...), 0)
	for _, r := range theTalk().Rules {
		if !d.meets(r) {
			continue
		}
		if text, err := write(r.Form, d.last); err == nil { // most rules have no form
			return text
		}
		if line := d.pick(r.Say); line != "" {
			return d.asking(line, r.Alone, r.Ask)
		}
	}
	return d.about(subjectOf(d.last))
}

// meets reports whether a rule holds, and fills the places that its patterns name.
func (d *dialogue) meets(r rule) bool {
	prompt, after, when := r.Prompt.find(d.system, 1), r.After.find(d.before, 1), r.When.find(d.last, 1)
	if prompt == nil || after == nil || when == nil {
		return false
	}
	for _, found := range append(prompt, after...) {
		for name, words := range found {
			d.places[name] = lowerFirst(words)
		}
	}
	for name, words := range when[0] {
		d.places[name], _ = spokenTo(words)
	}
	return true
}

// about speaks of a subject: of people rather than of small things.
func (d *dialogue) about(name string) string {
	t := theTalk()
	small := t.Subjects[name].Weight < 2
	for _, who := range [][2]string{{"someone", "people"}, {"who", "family"}, {"pet", "pets"}} {
		if small && d.places[who[0]] != "" {
			name = who[1]
		}
	}
	s, other := t.Subjects[cmp.Or(name, "any")], t.Subjects["any"]
	lines := [][]string{s.React, other.React}
	if badNews(d.last) {
		lines = [][]string{s.Sorry, other.Sorry}
	}
	line := d.pick(lines...)
	// A person who asked for slow speech gets it short.
	if name != "" && !slices.ContainsFunc(d.theirs, cue("slower").MatchString) {
		if d.places["memory"] = d.memory(d.memories, fits); d.places["memory"] != "" {
			line += " " + d.pick(t.Lines["remembered"])
		}
	}
	return d.asking(line, false, s.Ask)
}

// asking adds a question, unless there is one or none is wanted: on what was just
// spoken of, or else on what was spoken of before.
func (d *dialogue) asking(line string, alone bool, ask []string) string {
	if alone || strings.Contains(line, "?") {
		return line
	}
	on := ""
	for _, text := range slices.Backward(append([]string{d.before}, d.theirs...)) {
		on = cmp.Or(on, subjectOf(text))
	}
	if len(ask) == 0 {
		ask = theTalk().Subjects[on].Ask
	}
	return strings.TrimSpace(line + " " + d.pick(ask, theTalk().Lines["feeling"]))
}

var place = regexp.MustCompile(`\{\w+\}`)

// pick returns a line that was not said before, from a place in the first list that
// has one which the conversation decides: first of those whose places were filled,
// which show that somebody listened. Once all were said it takes any.
func (d *dialogue) pick(lists ...[]string) string {
	best, most := "", 0
	for n, lines := range lists {
		for i := range uint64(len(lines)) {
			whole, rank := true, 1
			filled := place.ReplaceAllStringFunc(lines[(d.seed+i)%uint64(len(lines))], func(p string) string {
				value := d.places[p[1:len(p)-1]]
				whole, rank = whole && value != "", 2
				return value
			})
			if !slices.ContainsFunc(english.Sentences(filled), func(s string) bool { return d.said[english.Plain(s)] }) {
				rank += 10 - 2*n
			}
			if whole && rank > most {
				best, most = upperFirst(filled), rank
			}
		}
	}
	d.note(best)
	return best
}

// fits is how like what was said a memory must be to be brought up unasked, from 0
// to 1; echoes is from where on it says the same.
const (
	fits   = 0.28
	echoes = 0.92
)

// memory returns, as a clause to the person, the one of the candidates that has most
// in common with what they said last; unasked, none that was brought up before.
func (d *dialogue) memory(candidates []string, least float64) string {
	best, most, like, wanted := "", 0, least, topicsIn(d.last)
	for _, c := range candidates {
		if strings.Contains(c, "→") { // a graph is not said aloud
			continue
		}
		clause, about := spokenTo(c, d.names...)
		common, alike := english.Common(wanted, topicsIn(c)), likeness(c, d.last)
		old := alike > echoes || strings.Contains(english.Plain(d.last), english.Plain(c)) ||
			least > 0 && strings.Contains(d.ours, english.Plain(clause))
		if about && !old && common > 0 && (common > most && alike >= least || common == most && alike >= like) {
			best, most, like = clause, common, alike
		}
	}
	return best
}

// subjectOf returns the weightiest of what a text speaks of; "" for nothing.
func subjectOf(text string) string {
	best, most := "", 0.0
	for _, h := range hits(wordsOf(text)) {
		for _, s := range h.senses {
			about, known := theTalk().Subjects[s.category]
			if score := (float64(about.Weight) + 1) / float64(len(h.senses)); known && score > most {
				best, most = s.category, score
			}
		}
	}
	return best
}

// spokenTo turns what somebody said of themselves, or what is known of them under
// one of their names, into a clause that is said to them. It reports false where it
// is not about them.
func spokenTo(s string, names ...string) (clause string, about bool) {
	s = strings.TrimRight(s, ".! ")
	clause = s
	rewordings := theTalk().You
	if len(names) > 0 {
		name := `(?:` + strings.ReplaceAll(regexp.QuoteMeta(strings.Join(names, " ")), " ", "|") + `)`
		clause = regexp.MustCompile(`(^|[^\p{L}'])`+name+`(?: `+name+`)*([^\p{L}]|$)`).ReplaceAllString(s, "${1}@${2}")
	}
	if clause != s {
		rewordings = slices.Concat(theTalk().Named, rewordings)
	}
	for _, r := range rewordings {
		clause = r.From.ReplaceAllString(clause, r.To)
	}
	about = clause != s
	if first, _, _ := strings.Cut(clause, " "); empty(first) { // and not a name
		clause = lowerFirst(clause)
	}
	return clause, about
}
