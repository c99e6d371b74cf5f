package elders

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// A Reaction is what the elder does next.
type Reaction struct {
	// Say is what they say; empty if they say nothing.
	Say string
	// Rest is how a slow speaker goes on, each piece after a pause. nAIber may take a pause for
	// the end; the elder goes on all the same.
	Rest []Piece
	// Delay is how long they think before they begin, from the end of what they heard (with
	// Interrupt: from the word at which they break in).
	Delay time.Duration
	// Interrupt means that they speak while nAIber talks. Only [Script.Overhear] returns it.
	Interrupt bool
	// Press is the keys that they press instead of speaking.
	Press string
	// HangUp means that they hang up, after Delay and after Say.
	HangUp bool
	// Silent means that they heard nAIber and deliberately say nothing.
	Silent bool
}

// A Piece is a part of a sentence that comes after a pause.
type Piece struct {
	Pause time.Duration
	Say   string
}

// A Script is an elder on one call. It is not safe for concurrent use. The same elder, seed and
// words heard give the same reactions.
//
// The caller calls Next once on picking up, with no words, to get the elder's hello; then once
// each time that nAIber has finished speaking, with what was heard of it; and, if the elder may
// break in, Overhear while nAIber speaks. After four to eight turns, as set in their file,
// and one more for each turn of an errand, the elder says goodbye, and the Next after that hangs
// up. In a health check or a cognitive check they stay until nAIber says goodbye, answer the
// questions from their file, and let nAIber finish.
type Script struct {
	elder   Elder
	ear     ear
	seed    uint64
	rng     *rand.Rand
	planned int // turns before the goodbye
	turn    int
	picked  bool // has picked up
	gone    bool // has said goodbye
	silence int  // how often in a row nothing was heard
	odd     bool // the last turn showed the manner and had no content
	breakIn int  // words after which they break in; 0: not in this turn
	check   bool // a health check has begun
	now     func() time.Time

	cognitive bool // a cognitive check has begun
	mind      able
	know      remembered

	errands int                 // turns about an errand, which do not count as conversation
	asked   map[string]int      // how often the elder answered each subject
	decks   map[string][]string // unused lines
}

// NewScript returns the elder at the beginning of a call.
func NewScript(e Elder, seed uint64) *Script {
	rng := newRand(e.ID, seed)
	s := &Script{elder: e, ear: earOf(e.Language), seed: seed, rng: rng, now: time.Now, decks: map[string][]string{}, asked: map[string]int{}}
	s.planned = e.Turns.Min + rng.IntN(e.Turns.Max-e.Turns.Min+1)
	// In a fixed order, since that of a map would change the random numbers.
	for _, c := range s.ear.cues {
		if c.Errand {
			s.decks[c.Subject] = e.Answers[c.Subject]
			continue
		}
		s.shuffle(c.Subject, e.Answers[c.Subject])
	}
	for _, name := range []string{"hello", "opening", "goodbye", "news"} {
		s.shuffle(name, e.Lines[name])
	}
	s.decks["quirks"], s.decks["fillers"] = e.Lines["quirks"], e.Lines["fillers"]
	if e.Manner == WrongPerson {
		s.decks["news"] = e.Lines["news"] // a story, told from its beginning
	}
	s.planBreakIn()
	s.mind = mindOf(e.Cognition, 0, newRand(e.ID+"/mind", seed))
	return s
}

// Next returns what the elder does when nAIber has finished speaking. heard is what they heard of
// nAIber's last words: empty on picking up, and if nothing was said.
func (s *Script) Next(heard string) Reaction {
	heard = strings.TrimSpace(heard)
	switch {
	case s.gone:
		return Reaction{HangUp: true, Delay: time.Second}
	case heard == "" && !s.picked:
		s.picked = true
		return Reaction{Say: s.line("hello"), Delay: 300 * time.Millisecond}
	case heard == "" && s.cognitive:
		return s.hushed()
	case heard == "":
		return s.nothingHeard()
	}
	s.picked, s.silence = true, 0
	s.turn++
	s.planBreakIn()
	if s.errands < mostErrandTurns && slices.ContainsFunc(s.ear.subjectsOf(heard), s.errand) {
		s.errands++
		s.planned++
	}
	// A wrong person has no answers.
	s.check = s.check || s.elder.Manner != WrongPerson && english.Holds(english.Plain(heard), s.ear.check.Begins...)
	s.cognitive = s.cognitive || s.elder.Manner != WrongPerson && english.Holds(english.Plain(heard), s.ear.cognitive.Begins...)
	switch {
	case s.cognitive:
		return s.answerCognitive(heard)
	case s.check:
		return s.answerCheck(heard)
	case s.ear.takesLeave(heard) || s.turn >= s.planned:
		return s.leave()
	case keyAsked(heard) != "":
		return Reaction{Press: keyAsked(heard), Delay: s.delay()}
	}
	return s.inManner(heard)
}

// Overhear returns the elder's reaction while nAIber speaks, given what was heard of this turn so
// far, and reports whether the elder breaks in, at most once in each of nAIber's turns. The
// reaction is a turn of the elder's: what nAIber says next goes to Next.
func (s *Script) Overhear(soFar string) (Reaction, bool) {
	mayNot := s.gone || s.check || s.cognitive || s.breakIn == 0 || s.turn == 0 || s.turn+1 >= s.planned || len(strings.Fields(soFar)) < s.breakIn
	if mayNot || len(s.decks["news"]) == 0 {
		return Reaction{}, false
	}
	s.breakIn = 0
	s.turn++
	return Reaction{Say: s.again("quirks") + " " + lowerFirst(s.line("news")), Interrupt: true, Delay: 100 * time.Millisecond}, true
}

// planBreakIn decides whether, and after how many words, the elder breaks in on what nAIber says
// next.
func (s *Script) planBreakIn() {
	chance, after := s.rng.Float64(), 4+s.rng.IntN(6)
	s.breakIn = 0
	if s.elder.Manner == Chatty && chance < 0.4 {
		s.breakIn = after
	}
}

// nothingHeard returns what the elder does when nAIber was silent: they ask who is there, and
// hang up in the end.
func (s *Script) nothingHeard() Reaction {
	s.silence++
	asks := s.ear.check.Nothing
	if s.silence > len(asks) {
		s.gone = true
		return Reaction{HangUp: true, Delay: 2 * time.Second}
	}
	return Reaction{Say: asks[s.silence-1], Delay: 2 * time.Second}
}

func (s *Script) leave() Reaction {
	s.gone = true
	return s.spoken(s.line("goodbye"))
}

// mostErrandTurns is how many turns of an errand are added to the planned ones.
const mostErrandTurns = 20

// errand reports whether the elder wants something done about a subject.
func (s *Script) errand(name string) bool {
	return len(s.elder.Answers[name]) > 0 && slices.ContainsFunc(s.ear.cues, func(c subject) bool { return c.Errand && c.Subject == name })
}

// inManner returns an answer in the elder's manner.
func (s *Script) inManner(heard string) Reaction {
	chance := s.rng.Float64()
	odd := s.turn > 1 && !s.odd
	s.odd = false
	switch manner := s.elder.Manner; {
	case (manner == HardOfHearing || manner == Confused) && odd && chance < 0.45:
		s.odd = true
		return s.spoken(s.again("quirks"))
	case manner == Quiet && odd && chance < 0.3:
		s.odd = true
		return Reaction{Silent: true, Delay: s.delay() + 3*time.Second}
	case manner == Distressed && chance < 0.5:
		return s.spoken(s.again("quirks") + " " + s.content(heard))
	case manner == Chatty: // goes on to something else
		return s.spoken(strings.TrimSpace(s.content(heard) + " " + s.line("news")))
	}
	return s.spoken(s.content(heard))
}

// content returns the elder's answer to what was heard: after nAIber's first words an opening,
// then the answer to what was asked, then news, and at last a filler.
func (s *Script) content(heard string) string {
	var from []string
	if s.turn == 1 {
		from = append(from, "opening")
	}
	for _, name := range slices.Concat(from, s.ear.subjectsOf(heard), []string{"news"}) {
		if line := s.line(name); line != "" {
			return line
		}
	}
	return s.again("fillers")
}

// spoken returns the reaction that says line, with pauses if the elder is slow.
func (s *Script) spoken(line string) Reaction {
	r := Reaction{Say: line, Delay: s.delay()}
	if s.elder.Manner != Slow {
		return r
	}
	pieces := halting(line)
	if len(pieces) > 1 && s.rng.Float64() < 0.4 {
		pieces[0] += " " + s.again("quirks") + ","
	}
	r.Say = pieces[0]
	for _, p := range pieces[1:] {
		r.Rest = append(r.Rest, Piece{Pause: between(s.rng, s.elder.Pause), Say: p})
	}
	return r
}

// halting cuts a line at the pauses of a slow speaker: after commas, and in the middle of parts
// that are still long.
func halting(line string) []string {
	var out []string
	for part := range strings.SplitAfterSeq(line, ", ") {
		words := strings.Fields(part)
		half := 0
		if len(words) > 6 {
			half = len(words) / 2
		}
		out = append(out, strings.Join(words[:half], " "), strings.Join(words[half:], " "))
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

func (s *Script) delay() time.Duration { return between(s.rng, s.elder.Thinking) }

// line takes the next unused line of a deck, or returns "". The last line of an errand is never
// used up.
func (s *Script) line(name string) string {
	lines := s.decks[name]
	if len(lines) == 0 {
		return ""
	}
	if len(lines) > 1 || !s.errand(name) {
		s.decks[name] = lines[1:]
	}
	return lines[0]
}

// shuffle sets a deck to lines in random order.
func (s *Script) shuffle(name string, lines []string) {
	lines = slices.Clone(lines)
	s.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	s.decks[name] = lines
}

// again takes a line and puts it back at the end of the deck, since the lines of a manner repeat.
func (s *Script) again(name string) string {
	line := s.line(name)
	s.decks[name] = append(slices.Clip(s.decks[name]), line)
	return line
}
