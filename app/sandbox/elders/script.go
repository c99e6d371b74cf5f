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
	// Say is what they say; empty when they say nothing.
	Say string
	// Rest is how a slow speaker goes on, after a pause each. nAIber may take a
	// pause for the end; the elder goes on all the same.
	Rest []Piece
	// Delay is the time they think before they begin, from the end of what
	// they heard (with Interrupt: from the word that they break in on).
	Delay time.Duration
	// Interrupt says that they speak while nAIber talks. Only
	// [Script.Overhear] returns it.
	Interrupt bool
	// Press is the keys that they press, instead of speaking.
	Press string
	// HangUp says that they put down the receiver, after Delay and after Say.
	HangUp bool
	// Silent says that they heard, and say nothing on purpose.
	Silent bool
}

// A Piece is a part of a sentence that comes after a pause.
type Piece struct {
	Pause time.Duration
	Say   string
}

// A Script is an elder on one call. It is for one goroutine. The same elder,
// seed and words heard give the same reactions.
//
// Whoever drives it calls Next once on picking up, with no words, to hear the
// elder's hello; then once each time that nAIber has finished speaking, with
// what was heard of it; and, if the elder may break in, Overhear while nAIber
// speaks. After between four and eight turns the elder says goodbye, and
// the Next after that hangs up. In a health check or a cognitive check they stay until nAIber takes
// leave, answer the questions from their file, and let nAIber finish.
type Script struct {
	elder   Elder
	ear     ear
	seed    uint64
	rng     *rand.Rand
	planned int // turns until the goodbye
	turn    int
	picked  bool // has picked up
	gone    bool // has said goodbye
	silence int  // times in a row that nothing was heard
	odd     bool // the last turn was one of manner rather than of content
	breakIn int  // words after which they break in; 0: not in this turn
	check   bool // a health check has begun
	now     func() time.Time

	cognitive bool // a cognitive check has begun
	mind      able
	know      remembered

	errands int                 // turns in which something was to be done, which are not counted as talk
	asked   map[string]int      // how often each of its questions was answered
	decks   map[string][]string // lines that are left to say
}

// NewScript returns the elder at the beginning of a call.
func NewScript(e Elder, seed uint64) *Script {
	rng := newRand(e.ID, seed)
	s := &Script{elder: e, ear: earOf(e.Language), seed: seed, rng: rng, now: time.Now, decks: map[string][]string{}, asked: map[string]int{}}
	s.planned = e.Turns.Min + rng.IntN(e.Turns.Max-e.Turns.Min+1)
	// In an order of their own, so that a map's order decides nothing.
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
		s.decks["news"] = e.Lines["news"] // a story with a beginning
	}
	s.planBreakIn()
	s.mind = mindOf(e.Cognition, 0, newRand(e.ID+"/mind", seed))
	return s
}

// Next returns what the elder does when nAIber has finished speaking. heard is
// what reached them of nAIber's last words: empty on picking up, and when
// nothing was said.
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
	// Whoever is not the person has no answers.
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

// Overhear is called while nAIber speaks, with what was heard of this turn so
// far. It reports whether the elder breaks in, at most once for each of
// nAIber's turns. The reaction is a turn of the elder's: what nAIber says next
// goes to Next.
func (s *Script) Overhear(soFar string) (Reaction, bool) {
	mayNot := s.gone || s.check || s.cognitive || s.breakIn == 0 || s.turn == 0 || s.turn+1 >= s.planned || len(strings.Fields(soFar)) < s.breakIn
	if mayNot || len(s.decks["news"]) == 0 {
		return Reaction{}, false
	}
	s.breakIn = 0
	s.turn++
	return Reaction{Say: s.again("quirks") + " " + lowerFirst(s.line("news")), Interrupt: true, Delay: 100 * time.Millisecond}, true
}

// planBreakIn decides whether, and after how many words, the elder will break
// in on what nAIber says next.
func (s *Script) planBreakIn() {
	chance, after := s.rng.Float64(), 4+s.rng.IntN(6)
	s.breakIn = 0
	if s.elder.Manner == Chatty && chance < 0.4 {
		s.breakIn = after
	}
}

// nothingHeard is when nAIber was silent: they ask who is there, and put down
// the receiver in the end.
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

// mostErrandTurns is how long anybody's patience with an errand lasts.
const mostErrandTurns = 20

// errand reports whether a subject is one that this elder wants something done about.
func (s *Script) errand(name string) bool {
	return len(s.elder.Answers[name]) > 0 && slices.ContainsFunc(s.ear.cues, func(c subject) bool { return c.Errand && c.Subject == name })
}

// inManner answers as this elder does.
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

// content is what the elder has to say to what was heard: after the first
// words an opening, then the answer to what was asked, what they have to tell
// anyway, and at last a filler.
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

// spoken makes a reaction of a line, with the pauses of the slow.
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

// halting cuts a line where a slow speaker stops: after commas, and in the
// middle of what is still long.
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

// line draws an unused line of a deck, or "".
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

// shuffle makes a deck of lines.
func (s *Script) shuffle(name string, lines []string) {
	lines = slices.Clone(lines)
	s.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	s.decks[name] = lines
}

// again draws a line and puts it back at the end: what a manner makes them say, they
// say again.
func (s *Script) again(name string) string {
	line := s.line(name)
	s.decks[name] = append(slices.Clip(s.decks[name]), line)
	return line
}
