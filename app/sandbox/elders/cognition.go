package elders

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
)

const (
	// mostCognitiveTurns is the number of turns after which an elder ends a cognitive check.
	mostCognitiveTurns = 160
	// mostWaits is how often in a row nothing may be heard before the elder hangs up.
	mostWaits = 60
	// poor is the [Cognition.Hearing] of an elder who hears badly.
	poor = "poor"
)

// cognitiveCheck is what all elders understand and say in cognitive checks.
type cognitiveCheck struct {
	Begins   []string  `yaml:"begins"`
	Subjects []subject `yaml:"subjects"`
	Lists    []struct {
		Cues  []string `yaml:"cues"`
		Words []string `yaml:"words"`
	} `yaml:"lists"`
	Reasons []struct {
		Cues []string `yaml:"cues"`
		Good string   `yaml:"good"`
		Poor string   `yaml:"poor"`
	} `yaml:"reasons"`
}

// remembered is what an elder keeps in mind during a cognitive check.
type remembered struct {
	words    []string // read out to be remembered
	story    []string // sentence by sentence
	backward bool     // digits must be repeated in reverse
	alone    bool     // nobody whispers answers any more
	more     []string // words of a list that may still come to mind
}

// Checks sets how many cognitive checks the elder went through before this call.
func (s *Script) Checks(before int) {
	s.mind = mindOf(s.elder.Cognition, before, newRand(s.elder.ID+"/mind", s.seed))
}

// Checked reports whether this call became a cognitive check.
func (s *Script) Checked() bool { return s.cognitive }

// answerCognitive returns what the elder does in a cognitive check, as their mind allows. They
// stay until nAIber says goodbye.
func (s *Script) answerCognitive(heard string) Reaction {
	if s.turn >= mostCognitiveTurns || s.ear.takesLeave(lastSentence(heard)) {
		return s.leave()
	}
	if s.elder.Cognition.Hearing == poor && !s.odd && s.chance(.12) {
		s.odd = true
		return s.says("Pardon? I didn't hear that.")
	}
	s.odd = false
	if r, ok := s.task(heard); ok {
		return r
	}
	for _, q := range append(questionsIn(heard), heard) {
		for _, about := range cued(s.ear.cognitive.Subjects, q) {
			s.know.alone = s.know.alone || about.Subject == "alone"
			line := about.Lines[min(s.asked[about.Subject], len(about.Lines)-1)]
			s.asked[about.Subject]++
			return s.says(line)
		}
	}
	return Reaction{Silent: true, Delay: s.delay()}
}

// task answers a task, if the words heard hold one.
func (s *Script) task(heard string) (Reaction, bool) {
	plain := english.Plain(heard)
	if english.Holds(plain, "backward", "backwards") {
		s.know.backward = true
	} else if english.Holds(plain, "same order") {
		s.know.backward = false
	}
	more := s.know.more
	s.know.more = nil
	if len(more) > 0 && english.Holds(plain, "still a little while") {
		return s.says(sentence(more[0]) + " That's all I can think of."), true
	}
	if list := run(heard, isDigit); len(list) > 1 {
		return s.says(sentence(strings.Join(s.span(list, s.know.backward), ", "))), true
	}
	if words := run(heard, isWord); len(words) > 1 {
		if len(words) > 2 { // two words only test the hearing
			s.know.words = words
		}
		return s.says(sentence(strings.Join(words, ", "))), true
	}
	for _, l := range s.ear.cognitive.Lists {
		if english.Holds(plain, l.Cues...) {
			return s.list(l.Words, english.Holds(plain, "letter", "begin with")), true
		}
	}
	if english.Holds(plain, "story") {
		return s.story(heard)
	}
	for _, r := range s.ear.cognitive.Reasons {
		if english.Holds(plain, r.Cues...) {
			if s.chance(s.mind[reasons]) {
				return s.says(r.Good), true
			}
			return s.says(r.Poor), true
		}
	}
	if len(s.know.words) > 0 && english.Holds(plain, "words i asked you", "of the three words", "three words come") {
		return s.recall(), true
	}
	return s.orientation(plain)
}

// recall repeats the words that were to be remembered.
func (s *Script) recall() Reaction {
	kept := s.kept(s.know.words, s.mind[keepsWord])
	switch lost := len(kept) < len(s.know.words); {
	case lost && s.whispered():
		return s.says("My " + s.elder.Cognition.Prompted + " says it's " + strings.Join(s.know.words, ", ") + ".")
	case len(kept) == 0:
		return s.says("I can't remember any of them.")
	case lost:
		return s.says(sentence(strings.Join(kept, ", ")) + " That's all I remember.")
	}
	return s.says(sentence(strings.Join(kept, ", ")))
}

// whispered reports whether somebody tells the elder the answer this time.
func (s *Script) whispered() bool {
	return s.elder.Cognition.Prompted != "" && !s.know.alone && s.chance(.8)
}

// list names the words that come to mind, a few at a time, with growing pauses.
func (s *Script) list(all []string, byLetter bool) Reaction {
	about := s.mind[animalsAMinute]
	if byLetter {
		about = s.mind[lettersAMinute]
	}
	words := s.comeToMind(all, about)
	s.know.more = slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(words, w) })
	r := Reaction{Delay: s.delay()}
	for few := range slices.Chunk(words, 4) {
		said := strings.Join(few, ", ")
		if r.Say == "" {
			r.Say = said
			continue
		}
		pause := time.Duration(len(r.Rest)+2) * (1 + time.Duration(s.rng.IntN(2))) * time.Second
		r.Rest = append(r.Rest, Piece{Pause: pause, Say: said})
	}
	return r
}

// story remembers and retells a story, or retells one that was heard before. It reports false if
// there is none.
func (s *Script) story(heard string) (Reaction, bool) {
	var told []string
	for _, sentence := range english.Sentences(heard) {
		if len(strings.Fields(sentence)) > 3 && !english.Holds(english.Plain(sentence), "i", "i'm", "i'll", "i'd", "you", "your", "me", "please", "story") {
			told = append(told, sentence)
		}
	}
	p := keepsIdeaLong
	if len(told) > 1 {
		s.know.story, p = told, keepsIdea
	}
	if len(s.know.story) == 0 {
		return Reaction{}, false
	}
	if said := s.retold(s.know.story, s.mind[p]); said != "" {
		return s.says(said), true
	}
	return s.says("I'm sorry, I can't remember it."), true
}

// orientation answers a question about time, place or the person. It reports false if there is
// none. Of several it answers the first in its table.
func (s *Script) orientation(plain string) (Reaction, bool) {
	now := s.now()
	if zone, err := time.LoadLocation(s.elder.Timezone); err == nil {
		now = now.In(zone)
	}
	born, _ := time.Parse(time.DateOnly, s.elder.BirthDate)
	about := now
	if !s.chance(s.mind[knowsDate]) {
		about = now.AddDate(-1, -1, -3-s.rng.IntN(4)) // wrong about the date
	}
	age := about.Year() - born.Year()
	if about.YearDay() < born.YearDay() {
		age--
	}
	for _, q := range []struct {
		cues []string
		say  func() string
	}{
		{[]string{"date of birth", "when were you born"}, func() string { return born.Format("2 January 2006") + "." }},
		{[]string{"how old"}, func() string { return "I'm " + strconv.Itoa(age) + "." }},
		{[]string{"tomorrow"}, func() string { return about.AddDate(0, 0, 1).Format("Monday.") }},
		{[]string{"day of the week", "what weekday", "which weekday"}, func() string { return about.Format("It's Monday.") }},
		{[]string{"day of the month", "what date", "which date"}, func() string { return "The " + ordinal(about.Day()) + "." }},
		{[]string{"season"}, func() string { return sentence(seasonOf(about)) }},
		{[]string{"what time", "time is it"}, func() string { return "About " + hours[about.Hour()%12] + " o'clock." }},
		{[]string{"where are you"}, func() string { return s.place(about.Equal(now)) }},
		{[]string{"what month", "which month"}, func() string { return about.Format("It's January.") }},
		{[]string{"what year", "which year"}, func() string { return about.Format("It's 2006.") }},
	} {
		if !english.Holds(plain, q.cues...) {
			continue
		}
		if !about.Equal(now) && s.whispered() {
			about = now
			return s.says("My " + s.elder.Cognition.Prompted + " says it's, let me see: " + q.say()), true
		}
		return s.says(q.say()), true
	}
	return Reaction{}, false
}

func (s *Script) place(knows bool) string {
	if knows {
		return "At home, in my chair."
	}
	return "Well, I'm sitting here."
}

// says returns a line without the pauses of a manner, since a task is answered without them.
func (s *Script) says(line string) Reaction { return Reaction{Say: line, Delay: s.delay()} }

// hushed returns what the elder does when nothing was heard in a cognitive check, for example
// while nAIber listens for a minute: they say once that this was all, and wait.
func (s *Script) hushed() Reaction {
	s.silence++
	switch {
	case s.silence > mostWaits:
		s.gone = true
		return Reaction{HangUp: true, Delay: time.Second}
	case s.silence == 2 && s.know.more != nil:
		s.know.more = nil
		return s.says("That's all I can think of.")
	}
	return Reaction{Silent: true}
}

var breaks = regexp.MustCompile(`[.,…!?:;]+`)

// run returns the last run of words that stand between marks one by one, as when they are read
// out slowly: "Apple. … Table. … Penny."
func run(heard string, fits func(string) bool) (last []string) {
	var now []string
	for _, part := range breaks.Split(heard, -1) {
		part = strings.ToLower(strings.TrimSpace(part))
		switch {
		case part == "": // only punctuation
		case fits(part):
			if now = append(now, part); len(now) > 1 {
				last = now
			}
		default:
			now = nil
		}
	}
	return last
}

func isDigit(word string) bool {
	n, ok := english.Number(word)
	return ok && n < 10
}

// isWord reports whether word is a single word and not a phrase of conversation.
func isWord(word string) bool {
	return !strings.Contains(word, " ") && !slices.Contains([]string{"good", "well", "now", "yes", "thanks", "please", "hello", "right", "sorry"}, word)
}

func lastSentence(heard string) string {
	all := english.Sentences(heard)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// sentence returns words with an initial capital and a full stop.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

var hours = [12]string{"twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}

func ordinal(day int) string {
	suffix := "th"
	if s := []string{"th", "st", "nd", "rd"}; day%10 < 4 && day/10 != 1 {
		suffix = s[day%10]
	}
	return fmt.Sprint(day, suffix)
}

func seasonOf(t time.Time) string {
	return [4]string{"winter", "spring", "summer", "autumn"}[int(t.Month())%12/3]
}
