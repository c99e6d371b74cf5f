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
	Rules    []rule              `yaml:"rules"`
	Subjects map[string]subject  `yaml:"subjects"`
	Nouns    map[string]string   `yaml:"nouns"`
	Lines    map[string][]string `yaml:"lines"`
	Cues     map[string]pattern  `yaml:"cues"`
	Idle     []pattern           `yaml:"idle"`
	You      map[string]string   `yaml:"you"`
	AfterYou map[string]string   `yaml:"afterYou"`
	Endings  [][2]string         `yaml:"endings"`
}

// A rule meets what a person wants with an utterance, apart from its subject.
type rule struct {
	When  pattern  `yaml:"when"`
	Say   []string `yaml:"say"`
	Ask   []string `yaml:"ask"`
	Alone bool     `yaml:"alone"` // nothing is asked
	// Stranger says that somebody else is on the line: from then on nothing is told
	// of the person.
	Stranger bool `yaml:"stranger"`
}

// A subject is what can be said about one kind of thing. Those of a greater weight
// go first where somebody speaks of several.
type subject struct {
	Weight int      `yaml:"weight"`
	React  []string `yaml:"react"`
	Sorry  []string `yaml:"sorry"` // where what was told is bad
	Ask    []string `yaml:"ask"`
}

// A pattern is a regular expression in a file. It takes no notice of case but after
// "(?-i)".
type pattern struct{ *regexp.Regexp }

// UnmarshalYAML compiles it.
func (p *pattern) UnmarshalYAML(raw []byte) error {
	var text string
	err := yaml.Unmarshal(raw, &text)
	if err == nil {
		p.Regexp, err = regexp.Compile("(?i)" + text)
	}
	return err
}

// theTalk is the embedded file. A mistake in it is a broken invariant, and a test
// reads it.
var theTalk = sync.OnceValue(func() *talk {
	var t talk
	if err := yaml.UnmarshalWithOptions(talkYAML, &t, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("model: talk.yaml: %v", err))
	}
	return &t
})

// cue is the pattern of that name in talk.yaml.
func cue(name string) *regexp.Regexp { return theTalk().Cues[name].Regexp }

var rewording = regexp.MustCompile(`(?m)^Question to ask: (.+)$`)

// speak returns the next turn: the rest of one that was cut off, a title or summary
// for the text channel, a question in other words, or a reply.
func speak(messages []message, now time.Time) string {
	if rest, ok := continuation(messages, now); ok {
		return rest
	}
	d := newDialogue(messages, now)
	switch {
	case strings.Contains(d.system, "a title of at most"):
		return titleOf(d.last)
	case strings.Contains(d.system, "Answer with the summary alone"):
		r := readRecord(d.last)
		out := r.Before()
		if told := r.Told(); told != "" {
			out = strings.TrimSpace(out + " The person wrote: " + told)
		}
		return cmp.Or(out, "The person and nAIber exchanged a few words.")
	}
	if m := rewording.FindStringSubmatch(d.system); m != nil {
		return d.reworded(m[1])
	}
	return d.reply()
}

// continuation returns the rest of a reply that was cut off, when the history
// ends with its beginning and a request to go on. It may have been cut before.
func continuation(messages []message, now time.Time) (string, bool) {
	at := len(messages) - 2
	if at < 1 || messages[at].Role != "assistant" || !cue("continue").MatchString(messages[at+1].Content.text) {
		return "", false
	}
	begun := strings.TrimSpace(messages[at].Content.text)
	rest, ok := strings.CutPrefix(strings.TrimLeft(speak(messages[:at], now), " "), begun)
	return rest, ok && begun != "" && strings.TrimSpace(rest) != ""
}

// titleOf is what the first telling sentence of a message begins with.
func titleOf(text string) string {
	for _, s := range tellings(sentencesOf(text), func(s string) bool { return len(strings.Fields(s)) >= 4 }) {
		text = s.Text
		break
	}
	words := strings.Fields(text)
	idle := func(w string) bool { return empty(strings.Trim(w, ".,;:!?")) }
	words = words[max(0, slices.IndexFunc(words, func(w string) bool { return !idle(w) })):]
	words = words[:min(len(words), 5)]
	for len(words) > 0 && idle(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return cmp.Or(upperFirst(strings.Trim(strings.Join(words, " "), ".,;:!?\"“”")), "A few words")
}

// A dialogue is one conversation, as far as a reply needs it.
type dialogue struct {
	system, last string
	theirs       []string        // what the person said before
	ours         []string        // what nAIber said
	said         map[string]bool // by nAIber: plain sentences
	names        []string        // what the person is called; the first is preferred
	memories     []string
	places       map[string]string
	seed         uint64
}

var (
	calls   = regexp.MustCompile(`\b(?:telephone now with|talking to|speaking with) ([^,.\n]+?)(?:, who likes to be called ([^.\n]+?))?\.`)
	theTime = regexp.MustCompile(`\bIt is (\w+day), (\d+ \w+)(?: \d+)?, (\d\d:\d\d) where\b`)
)

func newDialogue(messages []message, now time.Time) *dialogue {
	d := &dialogue{said: map[string]bool{}, places: map[string]string{}}
	h := fnv.New64a()
	for i, m := range messages {
		text := plain.Replace(m.Content.text)
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
	if m := calls.FindStringSubmatch(d.system); m != nil {
		d.names = strings.Fields(m[1])
		if m[2] != "" {
			d.names = slices.Insert(d.names, 0, m[2])
		}
		d.places["name"] = d.names[0]
	}
	d.memories = memoriesIn(d.system)
	for _, r := range theTalk().Rules {
		if r.Stranger && slices.ContainsFunc(append(d.theirs, d.last), r.When.MatchString) {
			d.names, d.memories, d.theirs = nil, nil, nil
			delete(d.places, "name")
		}
	}
	day, part := now.Format("Monday, 2 January"), "at night"
	if m := theTime.FindStringSubmatch(d.system); m != nil {
		if at, err := time.Parse("15:04", m[3]); err == nil {
			day, now = m[1]+", "+m[2], at
		}
	}
	switch h := now.Hour(); {
	case h >= 5 && h < 12:
		part = "in the morning"
	case h >= 12 && h < 18:
		part = "in the afternoon"
	case h >= 18 && h < 22:
		part = "in the evening"
	}
	d.places["day"], d.places["clock"] = day, strings.Replace(now.Format("3:04"), ":00", " o'clock", 1)+" "+part
	d.places["again"] = d.repeated()
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

var (
	// maybeLate are those whom one had better not ask about as if they were there.
	maybeLate = regexp.MustCompile(`(?i)husband|wife|mother|father|partner`)
	relative  = regexp.MustCompile(`(?i)\bmy (` + kin + `)\b`)
	contact   = regexp.MustCompile(`(?mi)^- ([^,\n]+), (` + kin + `)\b`)
)

// roleOf is what somebody is to the person, as far as that was told or is known.
func (d *dialogue) roleOf(name string) string {
	if len(d.names) == 0 {
		return "" // a stranger is told nothing
	}
	for _, m := range contact.FindAllStringSubmatch(d.system, -1) {
		if slices.Contains(strings.Fields(m[1]), name) {
			return strings.ToLower(m[2])
		}
	}
	known := namesIn(strings.Join(slices.Concat(d.theirs, d.memories), "\n"))
	if i := slices.IndexFunc(known, func(n named) bool { return n.Name == name }); i >= 0 {
		return known[i].Role
	}
	return ""
}

// spokenOf sets the places for whom the person just spoke of.
func (d *dialogue) spokenOf() {
	for _, n := range namesIn(d.last) {
		n.Role = cmp.Or(n.Role, d.roleOf(n.Name))
		switch {
		case slices.Contains(d.names, n.Name):
		case animal.MatchString(n.Role):
			d.places["pet"] = n.Name
		case n.Role == "":
			d.places["someone"], d.places["unknown"] = n.Name, n.Name
		case maybeLate.MatchString(n.Role):
			d.places["someone"] = n.Name
		case d.places["who"] == "":
			d.places["who"] = "your " + n.Label()
		}
	}
	if m := relative.FindStringSubmatch(d.last); m != nil && d.places["who"] == "" && !maybeLate.MatchString(m[1]) {
		d.places["who"] = "your " + strings.ToLower(m[1])
	}
}

// repeated is the question that nAIber asked last, or the last thing it said.
func (d *dialogue) repeated() string {
	last := ""
	for _, s := range english.Sentences(d.before()) {
		if strings.HasSuffix(s, "?") || !strings.HasSuffix(last, "?") {
			last = s
		}
	}
	if _, s, framed := strings.Cut(last, ": "); framed {
		last = s
	}
	return lowerFirst(last)
}

var (
	memories = regexp.MustCompile(`(?m)^(?:WHAT YOU REMEMBER|RELEVANT MEMORIES|What was said before\b.*)\n((?:.*\S.*\n|\n- )*)`)
	trimming = regexp.MustCompile(`^(?:[-*] )?(?:\[[^\]]*\]|\d{4}-\d\d-\d\d:|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2}(?: \d{4})?:)?\s*`)
	speaker  = regexp.MustCompile(`(?:^|\s)(nAIber|[A-Z][\p{L}.'-]*(?: [A-Z][\p{L}.'-]*)?):\s`)
)

// memoriesIn returns the statements under the headings of what is remembered; of
// what was said before, only the person's words.
func memoriesIn(system string) []string {
	var out []string
	for _, section := range memories.FindAllStringSubmatch(system, -1) {
		for l := range strings.Lines(section[1]) {
			l = trimming.ReplaceAllString(strings.TrimSpace(l), "")
			said := speaker.Split(l, -1) // by those who follow
			for i, m := range append([][]string{{"", ""}}, speaker.FindAllStringSubmatch(l, -1)...) {
				if m[1] != "nAIber" && (i > 0 || len(said) == 1) {
					out = append(out, statements(said[i])...)
				}
			}
		}
	}
	return out
}

// statements are what a text tells that can be told again.
func statements(text string) []string {
	var out []string
	for _, s := range tellings(sentencesOf(text), func(s string) bool { return len(strings.Fields(s)) > 2 }) {
		out = append(out, s.Text)
	}
	return out
}

// reply meets what was said: by a rule, from what is remembered, or by its subject.
func (d *dialogue) reply() string {
	t := theTalk()
	switch {
	case d.before() == "" && d.last == "":
		return d.pick(t.Lines["opening"])
	case english.Plain(d.last) == "":
		return d.pick(t.Lines["silence"])
	case cue("farewell").MatchString(d.system):
		d.last = "Goodbye."
	}
	d.places["recalled"] = d.memory(append(slices.Clone(d.memories), statements(strings.Join(d.theirs, "\n"))...), 0)
	for _, r := range t.Rules {
		m := r.When.FindStringSubmatch(d.last)
		if m == nil {
			continue
		}
		for i, name := range r.When.SubexpNames() {
			if m[i] != "" && name != "" {
				d.places[name], _ = spokenTo(m[i])
			}
		}
		if line := d.pick(r.Say); line != "" {
			return d.asking(line, r.Alone, r.Ask)
		}
	}
	name := subjectOf(d.last)
	switch small := t.Subjects[name].Weight < 2; { // people come before small things
	case small && d.places["pet"] != "":
		name = "pets"
	case small && d.places["who"] != "":
		name = "family"
	case small && d.places["someone"] != "":
		name = "people"
	}
	s := t.Subjects[cmp.Or(name, "any")]
	var line string
	// A denial of bad news is none.
	if slices.ContainsFunc(cue("bad").FindAllStringSubmatch(d.last, -1), func(m []string) bool { return m[1] == "" }) {
		line = d.pick(s.Sorry, t.Subjects["any"].Sorry)
	} else {
		line = d.pick(s.React, t.Subjects["any"].React)
	}
	// Whoever asked for slow speech gets it short.
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

// reworded puts a question a little differently, after a word that shows that the
// person was heard where the prompt wants one. To comfort is left to the service:
// what sounds like bad news often is none ("no, I haven't fallen").
func (d *dialogue) reworded(question string) string {
	leads := theTalk().Lines["leadIns"]
	if lead := leads[d.seed%uint64(len(leads))]; lead != "" {
		question = lead + " " + lowerFirst(question)
	}
	if strings.Contains(d.system, "only the question") || english.Plain(d.last) == "" {
		return question
	}
	return d.pick(theTalk().Lines["heard"]) + " " + question
}

// spokenTo turns what somebody said of themselves, or what is known of them under
// one of their names, into a clause that is said to them. It reports false where it
// is not about them.
func spokenTo(s string, names ...string) (clause string, about bool) {
	t := theTalk()
	words := strings.Fields(strings.TrimRight(s, ".! "))
	named := false
	for i := 0; i < len(words); i++ {
		b := strings.TrimRight(words[i], ",.;:!?")
		tail, lower := words[i][len(b):], strings.ToLower(b)
		owner, owns := strings.CutSuffix(b, "'s")
		switch {
		case t.You[lower] != "":
			words[i], about = t.You[lower]+tail, true
			if i+1 < len(words) && words[i+1] == "was" {
				words[i+1] = "were"
			}
		case slices.Contains(names, owner):
			about, named = true, true
			switch {
			case i+1 < len(words) && slices.Contains(names, strings.TrimSuffix(words[i+1], "'s")): // the family name
				words = slices.Delete(words, i, i+1)
				i--
			case owns:
				words[i] = "your"
			default:
				words[i] = "you" + tail
				if i == 0 && len(words) > 1 {
					words[1] = afterYou(words[1])
				}
			}
		case named && t.You["of "+lower] != "":
			words[i] = t.You["of "+lower] + tail
		}
	}
	clause = strings.Join(words, " ")
	if len(words) > 0 && empty(words[0]) { // and not a name
		clause = lowerFirst(clause)
	}
	return clause, about
}

// afterYou is a verb after "you" that stood after a name.
func afterYou(verb string) string {
	if v, ok := theTalk().AfterYou[verb]; ok {
		return v
	}
	for _, end := range theTalk().Endings {
		if base, ok := strings.CutSuffix(verb, end[0]); ok {
			return base + end[1]
		}
	}
	return verb
}
