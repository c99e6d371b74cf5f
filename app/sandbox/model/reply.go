package model

import (
	"regexp"
	"slices"
	"strings"
)

// reply is the companion's next turn: short sentences, one gentle question,
// nothing that it said before.
func reply(messages []message) string {
	d := newDialogue(messages)
	if line, ok := d.dictated(); ok {
		return line
	}
	switch {
	case d.opening():
		return d.voice.first(theTalk().Openings)
	case d.silent():
		return d.voice.first(theTalk().Silence, theTalk().General.Ask)
	}
	if goodbyeHint.MatchString(d.system) {
		return d.answer(intentGoodbye)
	}
	what := intentOf(d.last)
	if what == intentTell && asks(d.last) {
		if line, ok := d.answered(); ok {
			return line
		}
	}
	return d.answer(what)
}

// goodbyeHint is a prompt's word that leave is being taken.
var goodbyeHint = regexp.MustCompile(`(?i)\bis saying goodbye\b`)

// A dialogue is the history of one conversation, as far as a reply needs it.
type dialogue struct {
	system   string
	history  []message // user and assistant only
	last     string    // what the person said last; empty when they said nothing
	memories []string
	names    []string // what the person is called; the first is preferred
	voice    *voice
	vectors  vectors
	told     string // all that the companion said, bare; built on demand
}

func newDialogue(messages []message) *dialogue {
	d := &dialogue{vectors: vectors{}}
	var system []string
	for _, m := range messages {
		switch m.Role {
		case "system", "developer":
			system = append(system, m.Content)
		case "user":
			d.history = append(d.history, m)
		case "assistant":
			if strings.TrimSpace(m.Content) != "" {
				d.history = append(d.history, m)
			}
		}
	}
	d.system = strings.Join(system, "\n\n")
	if n := len(d.history); n > 0 && d.history[n-1].Role == "user" {
		d.last = d.history[n-1].Content
	}
	d.memories = memoriesIn(d.system)
	d.names = personNames(d.system)
	d.voice = newVoice(d.history)
	if len(d.names) > 0 && !slices.ContainsFunc(d.userTexts(), isWrongPerson) {
		d.voice.slots["name"] = d.names[0]
	}
	d.fillSlots()
	return d
}

// fillSlots names whom the person spoke of.
func (d *dialogue) fillSlots() {
	for _, n := range namesIn(d.last) {
		switch {
		case slices.Contains(d.names, n.name):
		case n.pet:
			d.setSlot("pet", n.name)
		case n.role != "":
			d.setSlot("who", "your "+n.label())
		case !d.isPet(n.name):
			d.setSlot("who", n.name)
		}
	}
	if d.voice.slots["who"] == "" {
		for _, w := range wordsOf(d.last) {
			if kinship[w.stem] && w.text == strings.TrimSuffix(w.text, "s") {
				d.setSlot("who", "your "+strings.ToLower(w.text))
			}
		}
	}
}

func (d *dialogue) setSlot(slot, value string) {
	if d.voice.slots[slot] == "" {
		d.voice.slots[slot] = value
	}
}

// isPet reports whether a bare name belongs to an animal that was mentioned
// before, and fills the pet's slot then.
func (d *dialogue) isPet(name string) bool {
	for _, text := range append(d.userTexts(), d.memories...) {
		for _, n := range namesIn(text) {
			if n.name == name && n.pet {
				d.setSlot("pet", name)
				return true
			}
		}
	}
	return false
}

func (d *dialogue) userTexts() []string {
	var out []string
	for _, m := range d.history {
		if m.Role == "user" {
			out = append(out, m.Content)
		}
	}
	return out
}

// opening reports whether nobody has said a word yet.
func (d *dialogue) opening() bool { return len(d.history) == 0 }

// silent reports whether the turn came though nobody spoke.
func (d *dialogue) silent() bool {
	return d.history[len(d.history)-1].Role == "assistant" || isSilence(d.last)
}

var dictation = regexp.MustCompile(`(?mi)^\W*(?:question to ask|ask (?:exactly |only )?this(?: question)?|next question|say (?:exactly |only )?this|say exactly|reply (?:only )?with exactly|reply exactly)\s*[:–-]\s*(.+)$`)

// dictated obeys a prompt that names the words to say, as a scripted question
// does: it acknowledges what was said, and asks in the words it was given.
func (d *dialogue) dictated() (string, bool) {
	all := dictation.FindAllStringSubmatch(d.system, -1)
	if len(all) == 0 {
		return "", false
	}
	m := all[len(all)-1]
	line := strings.Trim(strings.TrimSpace(m[1]), `"“”`)
	if rewording.MatchString(d.system) {
		return d.reworded(line), line != ""
	}
	if strings.Contains(strings.ToLower(m[0]), "exactly") || d.last == "" || isSilence(d.last) {
		return line, line != ""
	}
	return d.voice.react(theTalk().Short) + " " + line, line != ""
}

// answer meets an utterance by what it is for.
func (d *dialogue) answer(what intent) string {
	t, v := theTalk(), d.voice
	switch what {
	case intentCrisis:
		return v.first(t.Crisis, t.Sorry, t.General.React)
	case intentWrongPerson:
		return v.first(t.WrongPerson, t.Farewells)
	case intentGoodbye:
		return v.first(t.Farewells)
	case intentHush:
		return v.first(t.Hushed) + " " + v.ask(t.AskFeeling)
	case intentIdentity:
		return v.first(t.Identity, t.Who) + " " + v.ask(t.AskFeeling)
	case intentWho:
		return v.first(t.Who, t.Identity) + " " + v.ask(t.AskFeeling)
	case intentPrivacy:
		return v.first(t.Privacy, t.Who) + " " + v.ask()
	case intentMoney:
		return v.first(t.NoMoney, t.Privacy) + " " + v.ask(t.AskFeeling)
	case intentRecall:
		return d.recall()
	case intentAgain:
		return d.again()
	case intentAdvice:
		return v.first(t.Advice, t.Sorry) + " " + v.ask(t.Subjects["medicine"].Ask)
	case intentClock:
		return v.first(t.Clock, t.Short)
	case intentHelp:
		return v.first(t.Help, t.Who) + " " + v.ask(t.AskFeeling)
	case intentAboutMe:
		return v.react(t.AboutMe) + " " + d.askOn()
	case intentThanks:
		return v.react(t.Thanks) + " " + d.askOn()
	case intentHowAreYou:
		return v.react(t.HowAreYou) + " " + v.ask(t.AskFeeling)
	case intentGreeting:
		return v.react(t.Greetings) + " " + v.ask(t.AskFeeling)
	case intentYes:
		return v.react(t.Yes, t.Short) + " " + d.askOn()
	case intentNo:
		return v.react(t.No, t.Short) + " " + d.askOn()
	case intentFiller:
		return v.react(t.Short) + " " + d.askOn()
	default:
		return d.respond()
	}
}

// respond reacts to what was told, brings in a memory that fits, and asks on.
func (d *dialogue) respond() string {
	t, v := theTalk(), d.voice
	name, ok := subjectOf(d.last)
	s := t.Subjects[name]
	tone := toneOf(d.last)
	var parts []string
	switch {
	case tone < 0 && len(s.Sorry) > 0:
		parts = append(parts, v.react(s.Sorry, t.Sorry))
	case tone < 0 && name != "sad" && name != "lonely" && name != "fall":
		parts = append(parts, v.react(t.Sorry))
	case tone > 1:
		parts = append(parts, v.react(t.Glad, s.React))
	default:
		parts = append(parts, v.react(s.React))
	}
	if line, ok := d.memory(); ok {
		parts = append(parts, line)
	}
	if !ok {
		return strings.Join(append(parts, d.askOn()), " ")
	}
	return strings.Join(append(parts, v.ask(s.Ask)), " ")
}

// askOn asks about the subject that the talk is on: that of the last words
// with a subject, the person's before the companion's.
func (d *dialogue) askOn() string {
	for i := len(d.history) - 1; i >= 0 && i >= len(d.history)-4; i-- {
		if name, ok := subjectOf(spokenOn(d.history[i])); ok {
			return d.voice.ask(theTalk().Subjects[name].Ask)
		}
	}
	return d.voice.ask()
}

// spokenOn is the part of a turn that sets the subject: all that the person
// says, and of the companion's words the questions.
func spokenOn(m message) string {
	if m.Role == "user" {
		return m.Content
	}
	var questions []string
	for _, s := range sentencesOf(m.Content) {
		if strings.HasSuffix(s, "?") {
			questions = append(questions, s)
		}
	}
	return strings.Join(questions, " ")
}

// memory returns a sentence with the recalled memory that fits what was said,
// unless it fits badly, merely repeats it, or was brought up before.
func (d *dialogue) memory() (string, bool) {
	var open []string
	for _, m := range d.memories {
		clause, _ := secondPerson(m, d.names)
		if !d.broughtUp(clause) && d.vectors.likeness(m, d.last) <= sameSaid {
			open = append(open, m)
		}
	}
	m, ok := d.vectors.best(d.last, open, fitsTalk)
	if !ok {
		return "", false
	}
	line := d.retell(m, theTalk().Remembered)
	return line, line != ""
}

// retell is a sentence with a memory in it: one of the list where it is about the
// person, else one that only notes it.
func (d *dialogue) retell(m string, list []string) string {
	clause, about := secondPerson(m, d.names)
	d.voice.slots["memory"] = clause
	if !about {
		list = theTalk().Noted
	}
	return d.voice.pick(list)
}

// broughtUp reports whether the clause stands in something already said.
func (d *dialogue) broughtUp(clause string) bool {
	if d.told == "" {
		for _, m := range d.history {
			if m.Role == "assistant" {
				d.told += bare(m.Content) + "\n"
			}
		}
	}
	return strings.Contains(d.told, bare(clause))
}

// sameSaid is the likeness above which two texts say the same, nearly word for
// word.
const sameSaid = 0.92

// recall answers "what did I tell you about …?" from what was recalled and
// from this very conversation.
func (d *dialogue) recall() string {
	if line, ok := d.answered(); ok {
		return line
	}
	t, v := theTalk(), d.voice
	m, ok := d.vectors.best(d.last, d.sayings(), fitsAsked)
	if !ok {
		return v.first(t.Unrecalled, t.General.React)
	}
	clause, about := secondPerson(m, d.names)
	v.slots["memory"] = clause
	list := t.Recalled
	if !about {
		list = t.Noted
	}
	if line := v.pick(list); line != "" {
		return line + " " + d.askOn()
	}
	return v.first(t.Unrecalled)
}

// again says the last turn once more in a frame of its own, so that the
// sentence is not the same.
func (d *dialogue) again() string {
	before := ""
	for _, m := range d.history {
		if m.Role == "assistant" {
			before = m.Content
		}
	}
	sentences := sentencesOf(before)
	if len(sentences) == 0 {
		return d.voice.first(theTalk().Who)
	}
	// What was asked matters most; otherwise the last sentence.
	wanted := sentences[len(sentences)-1]
	for _, s := range sentences {
		if strings.HasSuffix(s, "?") {
			wanted = s
		}
	}
	for _, frame := range theTalk().Again {
		if _, after, ok := strings.Cut(wanted, strings.TrimSpace(frame)); ok {
			wanted = strings.TrimSpace(after)
		}
	}
	for _, frame := range theTalk().Again {
		line := frame + wanted
		if !strings.Contains(strings.TrimRight(frame, " "), ":") {
			line = frame + "I said: " + lowerFirst(wanted)
		}
		if d.voice.fresh(line) {
			return d.voice.say(line)
		}
	}
	return d.voice.react() + " " + d.voice.ask()
}

var goOn = regexp.MustCompile(`(?i)\b(?:continue|go on|carry on|resume|finish)\b|where (?:you|it) (?:left off|stopped|was cut)`)

// speak returns the next turn: the rest of one that was cut off, or a new one.
func speak(messages []message) string {
	if rest, ok := continuation(messages); ok {
		return rest
	}
	if text, ok := noted(messages); ok {
		return text
	}
	return reply(messages)
}

// continuation returns the rest of a reply that was cut off, when the history
// ends with its beginning and a request to go on. It may have been cut more
// than once.
func continuation(messages []message) (string, bool) {
	n := len(messages)
	at := n - 1
	for at >= 0 && messages[at].Role != "assistant" {
		if messages[at].Role == "tool" || !goOn.MatchString(messages[at].Content) {
			return "", false
		}
		at--
	}
	if at < 1 || at == n-1 || n-at > 3 {
		return "", false
	}
	said := strings.TrimSpace(messages[at].Content)
	rest, ok := strings.CutPrefix(strings.TrimLeft(speak(messages[:at]), " "), said)
	return rest, ok && said != "" && strings.TrimSpace(rest) != ""
}
