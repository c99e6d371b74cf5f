package app_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

var soak = flag.Bool("soak", false, "run TestSoak at full length: 30 elders, 20 calls each")

const soakSeed = 20261122

// mostTries is how often one question may be put in a call: four wordings, the
// offer of keys, and once more after a reply that was lost or asked to be repeated. It
// is put again, up to a bound of its own, to somebody who asks who speaks.
const mostTries = 6

const whoSpeaks = "¿Quién habla?"

// manner is how an elder of the soak talks.
type manner string

const (
	mannerPlain      manner = "plain"
	mannerSlow       manner = "slow"         // in pieces, and into the question that is put again
	mannerInterrupts manner = "interrupting" // over nAIber's words
	mannerDigresses  manner = "digressing"
	mannerConfused   manner = "confused"
	mannerSilent     manner = "silent"
	mannerHostile    manner = "hostile"
	mannerSpanish    manner = "Spanish" // to an English check: no answer may be made of it
)

var manners = []manner{mannerPlain, mannerSlow, mannerInterrupts, mannerDigresses, mannerConfused, mannerSilent, mannerHostile, mannerSpanish}

// TestSoak has elders of different manners hold health checks and chats with the
// real process, back to back, while the process, its stores and the model fail at
// random. Nothing may panic, no question may be put more often than mostTries, each
// answer whose reply was heard is on record as it was said, and each turn is
// answered. With -soak it is the whole soak, and prints its table.
func TestSoak(t *testing.T) {
	t.Parallel()
	elders, calls, gap := len(manners), 2, 40
	if *soak {
		elders, calls, gap = 30, 20, 60
	}
	w := newSoakWorld(t)
	cat := newCatalogue(w.packs)
	client := callers(t)
	all := make([]*soaker, elders)
	for i := range all {
		all[i] = w.newSoaker(t, cat, client, i, calls)
	}
	over := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(over)
		var running sync.WaitGroup
		for _, s := range all {
			running.Go(func() {
				if err := s.run(); err != nil {
					t.Errorf("elder %d (%s): %v", s.n, s.manner, err)
				}
			})
		}
		running.Wait()
	}()
	faults := w.failNowAndThen(over, gap)
	<-over
	w.mend("")
	w.awaitJobs(all)
	for _, s := range all {
		s.check()
	}
	t.Logf("%d elders, %d turns in %v; faults: %v\n%s", elders, w.turns.Load(), time.Since(began).Round(time.Second), faults, soakTable(all))
}

// soakWorld is a clinic whose stores are behind gates.
type soakWorld struct {
	*clinic
	redisGate, dbGate *storetest.Gate

	mu    sync.Mutex    // guards whole
	whole chan struct{} // closed while nothing is broken
}

func newSoakWorld(t *testing.T) *soakWorld {
	t.Helper()
	needsProcess(t)
	redis, database := redistest.New(t), storetest.URL(t)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	w := &soakWorld{redisGate: storetest.NewGate(t, redis.Addr()), dbGate: storetest.NewGate(t, u.Host), whole: make(chan struct{})}
	close(w.whole)
	w.clinic = newClinic(t, clinicOptions{
		redis: redis, redisURL: w.redisGate.URL(t, redis.URL()), database: database, process: w.dbGate.URL(t, database),
	})
	return w
}

// fail breaks one part; mend repairs it.
func (w *soakWorld) fail(fault string) {
	w.mu.Lock()
	w.whole = make(chan struct{})
	w.mu.Unlock()
	switch fault {
	case "redis away":
		w.redisGate.Shut()
	case "redis frozen":
		w.redis.Freeze(w.t)
	case "database away":
		w.dbGate.Shut()
	case "killed":
		w.restart()
	default:
		kind := strings.TrimPrefix(fault, "model ")
		w.model.fault.Store(&kind)
	}
}

func (w *soakWorld) mend(fault string) {
	switch fault {
	case "redis away":
		w.redisGate.Open(w.t)
	case "redis frozen":
		w.redis.Thaw(w.t)
	case "database away":
		w.dbGate.Open(w.t)
	default:
		w.model.fault.Store(nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.whole:
	default:
		close(w.whole)
	}
}

// awaitWhole waits until nothing is broken.
func (w *soakWorld) awaitWhole() {
	w.mu.Lock()
	whole := w.whole
	w.mu.Unlock()
	<-whole
}

var soakFaults = []string{"killed", "redis away", "redis frozen", "database away", "model refuses", "model hangs", "model breaks off"}

// failNowAndThen breaks something about every gap turns for a few more, until the
// calls are over, and returns how often each part failed.
func (w *soakWorld) failNowAndThen(over <-chan struct{}, gap int) map[string]int {
	r := rand.New(rand.NewPCG(soakSeed, 1))
	count := map[string]int{}
	for {
		target := w.turns.Load() + int64(gap/2+r.IntN(gap))
		for w.turns.Load() < target {
			select {
			case <-w.begun:
			case <-over:
				return count
			}
		}
		fault := soakFaults[r.IntN(len(soakFaults))]
		count[fault]++
		w.fail(fault)
		select {
		case <-time.After(time.Duration(100+r.IntN(700)) * time.Millisecond):
		case <-over:
		}
		w.mend(fault)
	}
}

// awaitJobs waits until the work that follows all calls is done.
func (w *soakWorld) awaitJobs(all []*soaker) {
	w.t.Helper()
	var people []*patient
	for _, s := range all {
		people = append(people, &patient{calls: s.calls})
	}
	w.awaitAftermath(people)
}

// soaker is an elder of the soak.
type soaker struct {
	w      *soakWorld
	t      *testing.T
	cat    *catalogue
	client *http.Client
	n      int
	manner manner
	rounds int
	rand   *rand.Rand
	person people.Person
	calls  []*line

	checks []*soakCheck
	took   []time.Duration
	chats  int
	lost   int
	calm   int
	ends   int // calls that nAIber ended because something was wrong on its side
}

// soakCheck is one health check, over as many calls as it took.
type soakCheck struct {
	last    *line
	truth   map[string]reply
	settled map[string]bool // the reply to the answer was heard
	tries   map[string]int  // in the present call
	most    int
	again   bool // it went on with the middle of a check that had ended
}

func (w *soakWorld) newSoaker(t *testing.T, cat *catalogue, client *http.Client, n, rounds int) *soaker {
	t.Helper()
	s := &soaker{w: w, t: t, cat: cat, client: client, n: n, manner: manners[n%len(manners)], rounds: rounds, rand: rand.New(rand.NewPCG(soakSeed, uint64(n)))}
	s.person = w.patient(people.Person{
		Name: fmt.Sprintf("Elder Number%d", n), PreferredName: "Margaret", Phone: newPhone(), Timezone: "Canada/Newfoundland", Language: "en",
		QuietHours: &people.QuietHours{Start: "00:00", End: "00:00"}, Conditions: [][]string{nil, {"heart failure"}, {"COPD"}}[n%3],
	})
	return s
}

// run holds all calls of the elder: checks and chats in turn.
func (s *soaker) run() error {
	for i := range s.rounds {
		var err error
		if i%2 == 0 {
			err = s.healthCheck()
		} else {
			err = s.chat()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dial begins a call, once the database is there to hold it.
func (s *soaker) dial(about calls.CallType) (*line, error) {
	s.w.awaitWhole()
	l, err := s.w.ringFor(s.t, s.client, s.person, about)
	if err == nil {
		s.calls = append(s.calls, l)
	}
	return l, err
}

// says is a turn; it counts replies that were none.
func (s *soaker) says(l *line, words string) (heard, error) {
	began := time.Now()
	h, err := l.says(words, false)
	s.took = append(s.took, time.Since(began))
	switch {
	case err != nil:
	case strings.TrimSpace(h.text) == "":
		s.t.Errorf("elder %d (%s): %q was answered with nothing", s.n, s.manner, words)
	case strings.Contains(h.text, calmSentence):
		s.calm++
		s.w.awaitWhole()
	}
	return h, err
}

// cutShort makes the last reply one over which the elder began to speak.
func cutShort(l *line) {
	last := &l.messages[len(l.messages)-1]
	words := strings.Fields(last.Content)
	last.Content = strings.Join(words[:max(1, len(words)*2/3)], " ") + "..."
}

// mostTurns bounds a call: every question of the longest check, put as often as it may be.
const mostTurns = 300

// mostCalls is in how many calls one check must come to its end.
const mostCalls = 8

func (s *soaker) healthCheck() error {
	c := &soakCheck{truth: map[string]reply{}, settled: map[string]bool{}}
	s.checks = append(s.checks, c)
	for range mostCalls {
		l, err := s.dial(calls.CallHealthCheck)
		if err != nil {
			return err
		}
		c.last, c.tries = l, map[string]int{}
		done, err := s.checkCall(l, c)
		if err := errors.Join(err, l.status("completed")); err != nil {
			return err
		}
		if done {
			return nil
		}
		s.ends++
	}
	return fmt.Errorf("a check did not end in %d calls", mostCalls)
}

// checkCall holds one call of a check and reports whether the check is over.
func (s *soaker) checkCall(l *line, c *soakCheck) (done bool, err error) {
	words, answers := "Yes, go ahead.", ""
	var rest []string // what the elder has still to say to the open question
	for range mostTurns {
		h, err := s.says(l, words)
		if err != nil {
			return false, err
		}
		if strings.Contains(h.text, calmSentence) && !h.ended {
			continue // the same again
		}
		if h.ended {
			return partsWell(h.text) && !strings.Contains(h.text, "call you back"), nil
		}
		f, asks := s.cat.asked(h.text)
		if answers != "" && len(rest) == 0 {
			c.settled[answers] = true
			answers = ""
		}
		if asks && !f.readBack && words != whoSpeaks {
			c.tries[f.id]++
			c.most = max(c.most, c.tries[f.id])
			if c.tries[f.id] == mostTries+1 {
				s.t.Errorf("elder %d (%s): %s is put for the %dth time in a call: %q", s.n, s.manner, f.id, mostTries+1, h.text)
			}
			if c.settled[f.id] && len(rest) == 0 && s.manner != mannerInterrupts {
				s.t.Errorf("elder %d (%s): %s is asked again after %q: %q\n%s", s.n, s.manner, f.id, words, h.text, s.about(l, f.id))
			}
		}
		switch {
		case len(rest) > 0 && strings.Contains(h.text, "you are not alone: I am here"): // who forgets where they are is asked who is with them
			words = "My son is here with me."
		case len(rest) > 0:
			words, rest = rest[0], rest[1:]
			if s.manner == mannerSlow && s.rand.IntN(2) == 0 {
				cutShort(l)
			}
		case f.readBack:
			words, answers = "Yes.", f.id
		case strings.HasSuffix(strings.ToLower(h.text), "is that right?") && s.manner != mannerSpanish:
			words = "Yes."
		case asks:
			var said []string
			said, answers = s.answer(c, f.id, c.tries[f.id])
			words, rest = said[0], said[1:]
			if s.manner == mannerInterrupts && s.rand.IntN(4) == 0 {
				cutShort(l)
			}
		default:
			words = "Go on."
			s.w.awaitWhole()
		}
	}
	return false, fmt.Errorf("a check never ends; last %v, tries: %v", l.messages[len(l.messages)-4:], c.tries)
}

// answer is what the elder says to a question, in their manner, piece by piece, and
// which question that answers in the end, if any.
func (s *soaker) answer(c *soakCheck, id string, try int) (said []string, answers string) {
	it := s.cat.items[id]
	r := c.truth[id]
	if r.said == "" {
		r = scripted(soakSeed+uint64(len(s.checks)), s.n, it)
	}
	odd := s.rand.IntN(2) == 0
	if it.Type == packs.TypeText {
		odd = false // whatever is said to an open question is its answer
	}
	pick := func(from ...string) string { return from[s.rand.IntN(len(from))] }
	keys := strings.HasPrefix(r.said, "[keypad")
	switch {
	case s.manner == mannerSpanish:
		return []string{pick("No le entiendo, hija.", whoSpeaks, "Aquí en casa todo como siempre.", "Perdone, no hablo inglés.")}, ""
	case s.manner == mannerHostile && odd && it.Type != packs.TypeText:
		r = reply{pick("That's none of your business.", "I'm not telling you that.", "I won't answer that."), "refused", ""}
	case s.manner == mannerSlow && odd && !keys:
		said = []string{pick("Well, let me think,", "Oh, now,", "Hmm, I would have to think,"), pick("it was, what was it,", "I would say,", "now then,")}[:1+s.rand.IntN(2)]
	case s.manner == mannerDigresses && odd && try == 1:
		said = []string{pick("My granddaughter brought her new puppy on Sunday.", "We used to keep hens behind the house, you know.", "The postman has a new van.")}
	case s.manner == mannerConfused && odd && try == 1:
		said = []string{pick("Who is this again?", "Pardon?", "Now where did I put my glasses.")}
	case s.manner == mannerSilent && odd && try == 1:
		said = []string{"..."}
	}
	c.truth[id] = r
	return append(said, r.said), id
}

// chat holds a call of company.
func (s *soaker) chat() error {
	l, err := s.dial(calls.CallGeneral)
	if err != nil {
		return err
	}
	s.chats++
	lines := []string{
		"I was in the garden this morning.", "My knee is a bit stiff today.", "Do you know what day it is?", "My sister rang on Tuesday.", "...",
		"What was I saying, now,", "Leave me alone with that.", "Hoy no me encuentro muy bien.", "And then the cat came in.", "It was a long story.",
	}
	s.rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for _, words := range append(lines[:4+s.rand.IntN(4)], "Goodbye now.") {
		h, err := s.says(l, words)
		if err != nil {
			return err
		}
		if h.ended {
			break
		}
		if s.manner == mannerInterrupts {
			cutShort(l)
		}
	}
	return l.status("completed")
}

// check compares what is on record with what the elder said.
func (s *soaker) check() {
	list, err := s.w.db.HealthChecks(context.Background(), s.person.ID, checks.Query{Limit: 100})
	if err != nil {
		s.t.Error(err)
		return
	}
	for i, c := range s.checks {
		at := slices.IndexFunc(list, func(h checks.Check) bool { return h.CallID == c.last.call.ID })
		if at < 0 {
			s.t.Errorf("elder %d (%s): check %d is not on record", s.n, s.manner, i+1)
			s.lost += len(c.settled)
			continue
		}
		found := map[string]bool{}
		for _, a := range list[at].Answers {
			valued := a.Status == "answered" || a.Status == "keypad" || a.Status == "refused"
			if !valued || s.manner == mannerSpanish && a.Type == string(packs.TypeText) {
				continue // an open question keeps whatever was said
			}
			found[a.QuestionID] = true
			truth := c.truth
			if _, told := truth[a.QuestionID]; !told && a.Carried && i > 0 {
				// The end of the check before was in Redis alone when the process died, and
				// Redis was away when this one began: its middle was gone on with.
				truth, c.again = s.checks[i-1].truth, true
			}
			if said, ok := truth[a.QuestionID]; !ok || !sameAnswer(a, said) {
				s.t.Errorf("elder %d (%s): check %d has %s as %s %s on %q, want %s %s", s.n, s.manner, i+1, a.QuestionID, a.Status, a.Value, a.Quote, said.status, said.value)
			}
		}
		for id := range c.settled {
			if !found[id] {
				s.lost++
				s.t.Errorf("elder %d (%s): check %d lost the answer to %s:\n%s", s.n, s.manner, i+1, id, s.about(c.last, id))
			}
		}
	}
}

// about returns what was said from a question on.
func (s *soaker) about(l *line, id string) string {
	var b strings.Builder
	left := 0
	for _, m := range l.messages {
		if f, ok := s.cat.asked(m.Content); ok && f.id == id && left == 0 {
			left = 8
		}
		if left > 0 {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
			left--
		}
	}
	return b.String()
}

// soakTable is one line a manner.
func soakTable(all []*soaker) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "manner\telders\tcalls\tchecks\tchats\tturns\tmost tries\tanswers\tlost\tput again\tcalm\tended by a fault\tp50 ms\tp99 ms\t")
	for _, m := range manners {
		var elders, calls, checks, chats, most, answers, lost, again, calm, ends int
		var took []time.Duration
		for _, s := range all {
			if s.manner != m {
				continue
			}
			elders, calls, checks, chats = elders+1, calls+len(s.calls), checks+len(s.checks), chats+s.chats
			lost, calm, ends, took = lost+s.lost, calm+s.calm, ends+s.ends, append(took, s.took...)
			for _, c := range s.checks {
				most, answers = max(most, c.most), answers+len(c.settled)
				if c.again {
					again++
				}
			}
		}
		slices.Sort(took)
		at := func(q float64) int64 { return took[int(q*float64(len(took)-1))].Milliseconds() }
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", m, elders, calls, checks, chats, len(took), most, answers, lost, again, calm, ends, at(0.5), at(0.99))
	}
	_ = t.Flush()
	return b.String()
}
