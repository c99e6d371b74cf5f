package model

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

//go:embed talk.yaml
var talkYAML []byte

// talk is what the companion can say, and when: the file talk.yaml explains it.
type talk struct {
	Rules    []rule
	Subjects map[string]subject
	Nouns    map[string]string
	Lines    map[string][]string
	Cues     map[string]pattern
	Idle     []pattern
	Names    []pattern
	You      []rewording
	Named    []rewording
	// Of the care council: see council.yaml.
	Concerns         []concern
	Content, Unknown concern
}

// A rule meets what a person wants with an utterance, apart from its subject. It
// holds where all of its patterns fit that are there.
type rule struct {
	Prompt   pattern // the instructions
	After    pattern // what nAIber said last
	When     pattern // what the person said last
	Form     string  // written instead of a line
	Say, Ask []string
	Alone    bool // nothing is asked
	// Stranger says that somebody else is on the line: from then on nothing is told
	// of the person.
	Stranger bool
}

// A subject is what can be said about one kind of thing. Those of a greater weight
// go first where somebody speaks of several.
type subject struct {
	Weight int
	React  []string
	Sorry  []string // where what was told is bad
	Ask    []string
}

// A rewording replaces what fits a pattern.
type rewording struct {
	From pattern
	To   string
}

// A pattern is a regular expression in a file. It takes no notice of case but after
// "(?-i)".
type pattern struct{ *regexp.Regexp }

// macros stand in patterns for what many of them look for.
var macros = strings.NewReplacer(
	"<kin>", `(?:daughter|son|grandson|granddaughter|sister|brother|mother|father|niece|nephew|cousin|aunt|uncle|husband|wife|friend|neighbou?r|doctor|nurse|carer|partner)`,
	"<animal>", `(?:cat|dog|bird|budgie|canary|parrot|puppy|kitten|horse|pony|goldfish|terrier|spaniel|collie|tabby)`,
	"<proper>", `(?:(?:(?:Dr|Mrs?|Ms)\. )?[A-Z][\p{L}-]*\p{Ll}(?: [A-Z][\p{L}-]*\p{Ll})?)`,
)

// UnmarshalYAML compiles it.
func (p *pattern) UnmarshalYAML(raw []byte) error {
	var text string
	err := yaml.Unmarshal(raw, &text)
	if err == nil {
		p.Regexp, err = regexp.Compile("(?i)" + macros.Replace(text))
	}
	return err
}

// find returns what the named groups of the first n matches hold.
func (p pattern) find(text string, n int) []map[string]string {
	var out []map[string]string
	for _, m := range p.FindAllStringSubmatch(text, n) {
		groups := map[string]string{}
		for i, name := range p.SubexpNames() {
			if name != "" && m[i] != "" {
				groups[name] = m[i]
			}
		}
		out = append(out, groups)
	}
	return out
}

// theTalk are the embedded files. A mistake in them is a broken invariant, and a test
// reads them.
var theTalk = sync.OnceValue(func() *talk {
	var t talk
	if err := yaml.UnmarshalWithOptions(slices.Concat(talkYAML, councilYAML), &t, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("model: talk.yaml, council.yaml: %v", err))
	}
	return &t
})

// cue is the pattern of that name in talk.yaml.
func cue(name string) *regexp.Regexp { return theTalk().Cues[name].Regexp }

// speak returns the next turn: the rest of one that was cut off, or a reply.
func speak(messages []message, now time.Time) string {
	if rest, ok := continuation(messages, now); ok {
		return rest
	}
	return newDialogue(messages, now).reply()
}

// continuation returns the rest of a reply that was cut off, when the history
// ends with its beginning and a request to go on. It may have been cut before.
func continuation(messages []message, now time.Time) (string, bool) {
	at := len(messages) - 2
	if at < 1 || messages[at].Role != "assistant" || !cue("continue").MatchString(messages[at+1].text()) {
		return "", false
	}
	begun := strings.TrimSpace(messages[at].text())
	rest, ok := strings.CutPrefix(strings.TrimLeft(speak(messages[:at], now), " "), begun)
	return rest, ok && begun != "" && strings.TrimSpace(rest) != ""
}

// A dialogue is one conversation, as far as a reply needs it.
type dialogue struct {
	system, last string
	theirs       []string        // what the person said before
	ours         []string        // what nAIber said
	said         map[string]bool // by nAIber: plain sentences
	names        []string        // what the person is called; the first is preferred
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
			if text = strings.TrimSpace(text); text != "" {
				d.ours = append(d.ours, text)
				d.note(text)
			}
		case "user":
			_, _ = h.Write([]byte(english.Plain(text)))
			if i == len(messages)-1 {
				d.last = text
			} else {
				d.theirs = append(d.theirs, text)
			}
		}
	}
	d.seed = h.Sum64()
	if m := cue("called").FindStringSubmatch(d.system); m != nil {
		d.names = strings.Fields(m[1])
		if m[2] != "" {
			d.names = slices.Insert(d.names, 0, m[2])
		}
		d.places["name"] = d.names[0]
	}
	d.memories = memoriesIn(d.system)
	for _, c := range cue("contact").FindAllStringSubmatch(d.system, -1) {
		d.contacts = append(d.contacts, "My "+strings.ToLower(c[2])+" "+c[1]+".")
	}
	for _, r := range theTalk().Rules {
		if r.Stranger && slices.ContainsFunc(append(d.theirs, d.last), r.When.MatchString) {
			d.names, d.memories, d.contacts, d.theirs = nil, nil, nil, nil
			delete(d.places, "name")
		}
	}
	if m := cue("time").FindStringSubmatch(d.system); m != nil {
		if at, err := time.Parse("Monday, 2 January 2006, 15:04", m[1]); err == nil {
			now = at
		}
	}
	part := "at night"
	for i, from := range []int{5, 12, 18, 22} {
		if now.Hour() >= from {
			part = []string{"in the morning", "in the afternoon", "in the evening", "at night"}[i]
		}
	}
	d.places["day"], d.places["clock"] = now.Format("Monday, 2 January"), strings.Replace(now.Format("3:04"), ":00", " o'clock", 1)+" "+part
	d.spokenOf()
	return d
}

// note remembers what was said, so that it is not said again.
func (d *dialogue) note(text string) {
	for _, s := range english.Sentences(text) {
		d.said[english.Plain(s)] = true
	}
}

// before is what nAIber said last, "" for nothing.
func (d *dialogue) before() string {
	if len(d.ours) == 0 {
		return ""
	}
	return d.ours[len(d.ours)-1]
}

// spokenOf sets the places for whom the person just spoke of. Who they are may have
// been told before.
func (d *dialogue) spokenOf() {
	said := strings.Join(english.Words(d.last), " ")
	for _, n := range namesIn(strings.Join(slices.Concat([]string{d.last}, d.contacts, d.theirs, d.memories), "\n")) {
		if !english.Holds(said, strings.Join(english.Words(n.Name), " ")) {
			continue
		}
		switch {
		case slices.Contains(d.names, n.Name):
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

// memoriesIn returns the statements under the headings of what is remembered; of
// what was said before, only the person's words.
func memoriesIn(system string) []string {
	var out []string
	for _, section := range cue("remembered").FindAllStringSubmatch(system, -1) {
		for l := range strings.Lines(section[1]) {
			l = cue("bullet").ReplaceAllString(strings.TrimSpace(l), "")
			said := cue("speaker").Split(l, -1) // by those who follow
			for i, m := range append([][]string{{"", ""}}, cue("speaker").FindAllStringSubmatch(l, -1)...) {
				if m[1] != "nAIber" && (i > 0 || len(said) == 1) {
					out = append(out, statements(said[i], 3)...)
				}
			}
		}
	}
	return out
}

// statements are what a text tells that can be told again, in so many words at least.
func statements(text string, least int) []string {
	var out []string
	for _, s := range tellings(sentencesOf(text), func(s string) bool { return len(strings.Fields(s)) >= least }) {
		out = append(out, s.Text)
	}
	return out
}

// reply meets what was said: by a rule, or else by its subject.
func (d *dialogue) reply() string {
	d.places["recalled"] = d.memory(append(slices.Clone(d.memories), statements(strings.Join(d.theirs, "\n"), 3)...), 0)
	for _, r := range theTalk().Rules {
		if !d.meets(r) {
			continue
		}
		if r.Form != "" {
			if text, err := write(r.Form, d.last); err == nil {
				return text
			}
		}
		if line := d.pick(r.Say); line != "" {
			return d.asking(line, r.Alone, r.Ask)
		}
	}
	return d.about(subjectOf(d.last))
}

// meets reports whether a rule holds, and fills the places that its patterns name.
func (d *dialogue) meets(r rule) bool {
	for _, in := range []struct {
		pattern
		text string
		turn func(string) string
	}{{r.Prompt, d.system, lowerFirst}, {r.After, d.before(), lowerFirst}, {r.When, d.last, toThem}} {
		if in.Regexp == nil {
			continue
		}
		found := in.find(in.text, 1)
		if found == nil {
			return false
		}
		for name, words := range found[0] {
			d.places[name] = in.turn(words)
		}
	}
	return true
}

func toThem(words string) string {
	clause, _ := spokenTo(words)
	return clause
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
	s := t.Subjects[cmp.Or(name, "any")]
	lines := [][]string{s.React, t.Subjects["any"].React}
	if badNews(d.last) {
		lines = [][]string{s.Sorry, t.Subjects["any"].Sorry}
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

// badNews reports whether a text tells some. A denial of it is none.
func badNews(text string) bool {
	return slices.ContainsFunc(cue("bad").FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == "" })
}

// asking adds a question, unless there is one or none is wanted: on what was just
// spoken of, or else on what was spoken of before.
func (d *dialogue) asking(line string, alone bool, ask []string) string {
	if alone || strings.Contains(line, "?") {
		return line
	}
	on := ""
	for _, text := range slices.Backward(append([]string{d.before()}, d.theirs...)) {
		on = cmp.Or(on, subjectOf(text))
	}
	if len(ask) == 0 {
		ask = theTalk().Subjects[on].Ask
	}
	return strings.TrimSpace(line + " " + d.pick(ask, theTalk().Lines["feeling"]))
}

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

var place = regexp.MustCompile(`\{\w+\}`)

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
	ours := english.Plain(strings.Join(d.ours, "\n"))
	for _, c := range candidates {
		clause, about := spokenTo(c, d.names...)
		common, alike := english.Common(wanted, topicsIn(c)), likeness(c, d.last)
		old := alike > echoes || strings.Contains(english.Plain(d.last), english.Plain(c)) || least > 0 && strings.Contains(ours, english.Plain(clause))
		if about && !old && common > 0 && (common > most && alike >= least || common == most && alike >= like) {
			best, most, like = clause, common, alike
		}
	}
	return best
}

// subjectOf is the weightiest of what a text speaks of; "" for nothing.
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
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = regexp.QuoteMeta(n)
		}
		name := `(?:` + strings.Join(quoted, "|") + `)`
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
