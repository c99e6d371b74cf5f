package sandbox

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// nothingHeard is how long an elder waits for a word before asking who is there, at the usual
// speed of speech. leastNothingHeard is the least wait in real time: the sandbox may run faster
// than real time, but the servers that answer in it do not.
const (
	nothingHeard      = 12 * time.Second
	leastNothingHeard = 4 * time.Second
)

// A company holds the elders, each of whom answers the telephone by a script, in their own
// manner.
type company struct {
	cast []elders.Elder
	pace float64 // how much faster than usual the world runs
	log  *slog.Logger
	life *wire.Life
	seed atomic.Uint64 // of the last call; each call has another

	mu     sync.Mutex     // guards checks
	checks map[string]int // cognitive checks that an elder went through, by id
}

func newCompany(cast []elders.Elder, seed int64, wpm int, pace float64, log *slog.Logger) *company {
	c := &company{cast: cast, pace: pace, log: log, life: wire.NewLife(), checks: map[string]int{}}
	c.seed.Store(uint64(seed)) //nolint:gosec // any bits make a seed
	if wpm > 0 {
		c.pace *= float64(wpm) / audio.DefaultWPM
	}
	return c
}

// at returns the elder with a number and whether there is one; if not, the elder is any of them.
func (c *company) at(number string) (elder elders.Elder, known bool) {
	i := slices.IndexFunc(c.cast, func(e elders.Elder) bool { return e.Phone == number })
	return c.cast[max(i, 0)], i >= 0
}

// answer lets the elder at the ringing number decide what becomes of it. If the number is no
// elder's, nobody answers.
func (c *company) answer(_ context.Context, ring *carrier.Ring) {
	elder, known := c.at(ring.To)
	if !known {
		return
	}
	c.life.Go(func(ctx context.Context) {
		seed := c.seed.Add(1)
		how := elder.Ring(seed)
		if !c.sleep(ring.Over(), how.After) {
			return
		}
		if err := c.pickUp(ring, elder, seed, how); err != nil {
			c.log.DebugContext(ctx, "elder did not come to the telephone", "call_sid", ring.CallSID, "err", err)
		}
	})
}

func (c *company) pickUp(ring *carrier.Ring, elder elders.Elder, seed uint64, how elders.Ringing) error {
	switch how.Outcome {
	case elders.Busy:
		return ring.Reject()
	case elders.NoAnswer:
		return ring.Ignore()
	case elders.Machine:
		set, err := ring.AnswerAsMachine(how.Greeting)
		if err == nil {
			c.after(set.Done(), set) // the machine records
		}
		return err
	default:
		set, err := ring.Answer()
		if err == nil {
			c.play(set, elder, seed)
		}
		return err
	}
}

// speak runs the script of an elder who has called nAIber. A caller who is no elder speaks like
// any of them.
func (c *company) speak(number string, set *carrier.Handset) {
	elder, _ := c.at(number)
	c.life.Go(func(context.Context) { c.play(set, elder, c.seed.Add(1)) })
}

// play runs the script of one elder on one call, until that is over.
func (c *company) play(set *carrier.Handset, elder elders.Elder, seed uint64) {
	defer set.HangUp()
	script := elders.NewScript(elder, seed)
	c.mu.Lock()
	script.Checks(c.checks[elder.ID])
	c.mu.Unlock()
	defer func() {
		if script.Checked() {
			c.mu.Lock()
			c.checks[elder.ID]++
			c.mu.Unlock()
		}
	}()
	speaking, on := c.react(set, script.Next(""))
	var heard []string
	patience := max(c.faster(nothingHeard), leastNothingHeard)
	wonder := time.NewTimer(patience)
	defer wonder.Stop()
	for on {
		next, acts := elders.Reaction{}, false
		select {
		case <-c.life.Context().Done():
			return
		case <-set.Done():
			return
		case <-speaking: // the elder's own speech is not silence
			speaking = nil
			wonder.Reset(patience)
		case <-wonder.C:
			if speaking != nil {
				continue
			}
			next, heard, acts = script.Next(strings.Join(heard, " ")), nil, true
		case e, ok := <-set.Heard():
			if !ok {
				return
			}
			wonder.Reset(patience)
			next, heard, acts = hear(script, e, heard)
		}
		if acts {
			speaking, on = c.react(set, next)
			wonder.Reset(patience)
		}
	}
}

// hear passes a sound to the script. It returns the elder's reaction, the words not answered yet,
// and whether there is a reaction. A pause within a sentence is none of the speaker's: the elder
// waits for its end.
func hear(script *elders.Script, e carrier.HeardEvent, heard []string) (elders.Reaction, []string, bool) {
	if e.Kind == carrier.HeardSilence && len(heard) > 0 && strings.ContainsAny(heard[len(heard)-1], ".!?…") {
		return script.Next(strings.Join(heard, " ")), nil, true
	}
	if e.Kind == carrier.HeardWord {
		heard = append(heard, e.Text)
		if r, breaksIn := script.Overhear(strings.Join(heard, " ")); breaksIn {
			return r, nil, true
		}
	}
	return elders.Reaction{}, heard, false
}

// react carries out a reaction. It returns a channel that is closed when the elder has finished
// speaking, and reports whether the call goes on.
func (c *company) react(set *carrier.Handset, r elders.Reaction) (<-chan struct{}, bool) {
	if !c.sleep(set.Done(), r.Delay) {
		return nil, false
	}
	if r.Press != "" {
		if err := set.Press(r.Press); err != nil {
			c.log.Warn("elder pressed what is no key", "err", err)
		}
	}
	var said <-chan struct{}
	if r.Say != "" {
		said = set.Say(r.Say)
	}
	for _, piece := range r.Rest {
		if !c.after(said, set) || !c.sleep(set.Done(), piece.Pause) {
			return nil, false
		}
		said = set.Say(piece.Say)
	}
	if r.HangUp {
		c.after(said, set)
	}
	return said, !r.HangUp
}

// after waits until said is closed. It reports false if the call ended first.
func (c *company) after(said <-chan struct{}, set *carrier.Handset) bool {
	return said == nil || until(c, said, set.Done())
}

// sleep waits for d in the world's time. It reports false if over was closed first.
func (c *company) sleep(over <-chan struct{}, d time.Duration) bool {
	return until(c, time.After(c.faster(d)), over)
}

// until waits for what. It reports false if over was closed, or the company ended, first.
func until[T any](c *company, what <-chan T, over <-chan struct{}) bool {
	select {
	case <-what:
		return true
	case <-over:
		return false
	case <-c.life.Context().Done():
		return false
	}
}

func (c *company) faster(d time.Duration) time.Duration { return time.Duration(float64(d) / c.pace) }
