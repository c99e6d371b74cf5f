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
	Rules      []rule             `yaml:"rules"`
	Subjects   map[string]subject `yaml:"subjects"`
	Bad        pattern            `yaml:"bad"`
	Idle       []pattern          `yaml:"idle"`
	Feeling    []string           `yaml:"feeling"`
	Remembered []string           `yaml:"remembered"`
	Opening    []string           `yaml:"opening"`
	Silence    []string           `yaml:"silence"`
	Heard      []string           `yaml:"heard"`
	LeadIns    []string           `yaml:"leadIns"`
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

// A pattern is a regular expression in a file. It takes no notice of case.
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

var (
	goOn      = regexp.MustCompile(`(?i)\b(?:continue|go on|carry on|resume|finish)\b|where (?:you|it) (?:left off|stopped|was cut)`)
	rewording = regexp.MustCompile(`(?m)^Question to ask: (.+)$`)
	farewell  = regexp.MustCompile(`(?i)\bis saying goodbye\b`)
	slower    = regexp.MustCompile(`(?i)\b(?:slower|slowly|too fast|slow down)\b`)
)

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
	if at < 1 || messages[at].Role != "assistant" || !goOn.MatchString(messages[at+1].Content.text) {
		return "", false
	}
	begun := strings.TrimSpace(messages[at].Content.text)
	rest, ok := strings.CutPrefix(strings.TrimLeft(speak(messages[:at], now), " "), begun)
	return rest, ok && begun != "" && strings.TrimSpace(rest) != ""
}

// titleOf is what the first telling sentence of a message begins with.
func titleOf(text string) string {
	title := text
	for _, s := range english.Sentences(text) {
		if tells(s) && len(strings.Fields(s)) >= fewestWords {
			title = s
			break
		}
	}
	words := strings.Fields(title)
	idle := func(w string) bool { return empty(strings.Trim(w, ".,;:!?")) }
	for len(words) > 0 && idle(words[0]) {
		words = words[1:]
	}
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
	before       string          // what nAIber said last
	said         map[string]bool // by nAIber: plain sentences
	ours         []string        // what nAIber said, plain
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
			d.before = cmp.Or(strings.TrimSpace(text), d.before)
			d.ours = append(d.ours, english.Plain(text))
			for _, s := range english.Sentences(text) {
				d.said[english.Plain(s)] = true
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
		d.names = append(slices.DeleteFunc([]string{m[2]}, func(s string) bool { return s == "" }), strings.Fields(m[1])...)
		d.places["name"] = d.names[0]
	}
	d.memories = memoriesIn(d.system)
	for _, r := range theTalk().Rules {
		if r.Stranger && slices.ContainsFunc(append(d.theirs, d.last), r.When.MatchString) {
			d.names, d.memories, d.theirs = nil, nil, nil
			delete(d.places, "name")
		}
	}
	if m := theTime.FindStringSubmatch(d.system); m != nil {
		if at, err := time.Parse("15:04", m[3]); err == nil {
			d.clock(m[1]+", "+m[2], at)
		}
	} else {
		d.clock(now.Format("Monday, 2 January"), now)
	}
	d.spokenOf()
	d.places["again"] = d.repeated()
	return d
}

// clock sets the places for the day and the time.
func (d *dialogue) clock(day string, at time.Time) {
	part := "at night"
	switch h := at.Hour(); {
	case h >= 5 && h < 12:
		part = "in the morning"
	case h >= 12 && h < 18:
		part = "in the afternoon"
	case h >= 18 && h < 22:
		part = "in the evening"
	}
	d.places["day"], d.places["clock"] = day, strings.Replace(at.Format("3:04"), ":00", " o'clock", 1)+" "+part
}

// maybeLate are those whom one had better not ask about as if they were there.
var maybeLate = regexp.MustCompile(`(?i)husband|wife|mother|father|partner`)

var relative = regexp.MustCompile(`(?i)\bmy (` + kin + `)\b`)

// spokenOf sets the places for whom the person just spoke of.
func (d *dialogue) spokenOf() {
	for _, n := range namesIn(d.last) {
		switch {
		case slices.Contains(d.names, n.Name):
		case n.Pet:
			d.places["pet"] = n.Name
		case n.Role == "" || maybeLate.MatchString(n.Role):
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
	for _, s := range english.Sentences(d.before) {
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
			marks := speaker.FindAllStringSubmatchIndex(l, -1)
			if len(marks) == 0 {
				out = append(out, statements(l)...)
			}
			for i, m := range marks {
				end := len(l)
				if i+1 < len(marks) {
					end = marks[i+1][0]
				}
				if l[m[2]:m[3]] != "nAIber" {
					out = append(out, statements(l[m[1]:end])...)
				}
			}
		}
	}
	return out
}

// statements are what a text tells that can be told again: "she" only next to whom
// it means.
func statements(text string) []string {
	var out []string
	open := false
	for _, s := range english.Sentences(text) {
		s = said(s)
		fits := tells(s) && len(strings.Fields(s)) > 2
		if fits && open && goesOn.MatchString(s) {
			out[len(out)-1] = strings.TrimRight(out[len(out)-1], ".! ") + ", and " + lowerFirst(s)
			continue
		}
		if open = fits && !goesOn.MatchString(s); open {
			out = append(out, s)
		}
	}
	return out
}

// reply meets what was said: by a rule, from what is remembered, or by its subject.
func (d *dialogue) reply() string {
	t := theTalk()
	switch {
	case d.before == "" && d.last == "":
		return d.pick(t.Opening)
	case english.Plain(d.last) == "":
		return d.pick(t.Silence)
	case farewell.MatchString(d.system):
		d.last = "Goodbye."
	}
	d.places["recalled"] = d.memory(append(slices.Clone(d.memories), statements(strings.Join(d.theirs, "\n"))...), 0)
	for _, r := range t.Rules {
		m := r.When.FindStringSubmatch(d.last)
		if m == nil {
			continue
		}
		for i, name := range r.When.SubexpNames() {
			if i > 0 && m[i] != "" && name != "" {
				d.places[name], _ = spokenTo(m[i])
			}
		}
		if line := d.pick(r.Say); line != "" {
			return d.asking(line, r.Alone, r.Ask)
		}
	}
	name := subjectOf(d.last)
	switch named := t.Subjects[name].Weight < 2; { // people come before small things
	case named && d.places["pet"] != "":
		name = "pets"
	case named && d.places["who"] != "":
		name = "family"
	case named && d.places["someone"] != "":
		name = "people"
	}
	s := t.Subjects[cmp.Or(name, "any")]
	var line string
	if d.bad() {
		line = d.pick(s.Sorry, t.Subjects["any"].Sorry)
	} else {
		line = d.pick(s.React, t.Subjects["any"].React)
	}
	if name != "" && !d.slowly() {
		if d.places["memory"] = d.memory(d.memories, fits); d.places["memory"] != "" {
			line += " " + d.pick(t.Remembered)
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
	if len(ask) == 0 {
		on := ""
		for _, text := range slices.Backward(append([]string{d.before}, d.theirs...)) {
			if on = cmp.Or(on, subjectOf(text)); on != "" {
				break
			}
		}
		ask = theTalk().Subjects[on].Ask
	}
	return strings.TrimSpace(line + " " + d.pick(ask, theTalk().Feeling))
}

// slowly reports whether the person asked for that: nAIber is short then.
func (d *dialogue) slowly() bool { return slices.ContainsFunc(d.theirs, slower.MatchString) }

// bad reports whether what was said last is bad news, and no denial of it.
func (d *dialogue) bad() bool {
	for _, m := range theTalk().Bad.FindAllStringSubmatch(d.last, -1) {
		if m[1] == "" {
			return true
		}
	}
	return false
}

// pick returns a line that was not said before, from a place in the first list that
// has one which the conversation decides: first of those whose places were filled,
// which show that somebody listened. Once all were said it takes any.
func (d *dialogue) pick(lists ...[]string) string {
	best, most := "", 0
	for n, lines := range lists {
		for i := range uint64(len(lines)) {
			line := lines[(d.seed+i)%uint64(len(lines))]
			whole, rank := true, 1
			filled := place.ReplaceAllStringFunc(line, func(p string) string {
				value := d.places[p[1:len(p)-1]]
				whole = whole && value != ""
				rank = 2
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
	for _, s := range english.Sentences(best) {
		d.said[english.Plain(s)] = true
	}
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
	for _, c := range candidates {
		clause, about := spokenTo(c, d.names...)
		common, alike := english.Common(wanted, topicsIn(c)), likeness(c, d.last)
		old := alike > echoes || strings.Contains(english.Plain(d.last), english.Plain(c)) || least > 0 && slices.ContainsFunc(d.ours, func(s string) bool { return strings.Contains(s, english.Plain(clause)) })
		if about && !old && common > 0 && (common > most && alike >= least || common == most && alike >= like) {
			best, most, like = clause, common, alike
		}
	}
	return best
}

// subjectOf is the weightiest of what a text speaks of; "" for nothing.
func subjectOf(text string) string {
	best, most := "", 0.0
	for _, h := range theLexicon().find(wordsOf(text)) {
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
	lead := theTalk().LeadIns[d.seed%uint64(len(theTalk().LeadIns))]
	if lead != "" {
		question = lead + " " + lowerFirst(question)
	}
	if strings.Contains(d.system, "only the question") || english.Plain(d.last) == "" {
		return question
	}
	return d.pick(theTalk().Heard) + " " + question
}

// secondPerson are the words for oneself, as somebody else says them to one.
var secondPerson = map[string]string{
	"i": "you", "we": "you", "me": "you", "us": "you", "my": "your", "our": "your", "mine": "yours", "ours": "yours", "myself": "yourself",
	"i'm": "you're", "we're": "you're", "i've": "you've", "we've": "you've", "i'll": "you'll", "we'll": "you'll", "i'd": "you'd", "we'd": "you'd",
	"am": "are", // after "I"
}

// spokenTo turns what somebody said of themselves, or what is known of them under
// one of their names, into a clause that is said to them. It reports false where it
// is not about them.
func spokenTo(s string, names ...string) (clause string, about bool) {
	words := strings.Fields(strings.TrimRight(s, ".! "))
	named := false
	for i := 0; i < len(words); i++ {
		b := strings.TrimRight(words[i], ",.;:!?")
		tail, lower := words[i][len(b):], strings.ToLower(b)
		you, own := secondPerson[lower]
		owner, owns := strings.CutSuffix(b, "'s")
		switch {
		case own:
			words[i], about = you+tail, true
			if i+1 < len(words) && words[i+1] == "was" {
				words[i+1] = "were"
			}
		case slices.Contains(names, owner):
			about, named = true, true
			if i+1 < len(words) && slices.Contains(names, strings.TrimSuffix(words[i+1], "'s")) { // the family name
				words = slices.Delete(words, i, i+1)
				i--
				continue
			}
			words[i] = "you" + tail
			if owns {
				words[i] = "your"
			} else if i == 0 && len(words) > 1 {
				words[1] = afterYou(words[1])
			}
		case named && (lower == "they" || lower == "them"):
			words[i] = "you" + tail
		case named && lower == "their":
			words[i] = "your"
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
	plural := map[string]string{"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "doesn't": "don't", "isn't": "aren't", "wasn't": "weren't", "hasn't": "haven't"}
	if v, ok := plural[verb]; ok {
		return v
	}
	for _, end := range [][2]string{{"always", "always"}, {"ies", "y"}, {"shes", "sh"}, {"ches", "ch"}, {"xes", "x"}, {"sses", "ss"}, {"ss", "ss"}, {"s", ""}} {
		if base, ok := strings.CutSuffix(verb, end[0]); ok {
			return base + end[1]
		}
	}
	return verb
}
