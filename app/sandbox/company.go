package sandbox

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/elders"
)

// nothingHeard is how long an elder waits for a word before wondering, in the
// time of people who speak at the usual speed.
const nothingHeard = 12 * time.Second

// company is the elders who answer by themselves: each by a script, with their
// own manner.
type company struct {
	cast []elders.Elder
	pace float64 // how much faster than the usual the world runs
	log  *slog.Logger

	ctx  context.Context //nolint:containedctx // the company's own life, which close ends
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu   sync.Mutex // guards seed
	seed uint64
}

func newCompany(cast []elders.Elder, seed int64, wpm int, pace float64, log *slog.Logger) *company {
	c := &company{cast: cast, seed: uint64(seed), pace: pace, log: log} //nolint:gosec // any bits make a seed
	if wpm > 0 {
		c.pace *= float64(wpm) / audio.DefaultWPM
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// close ends all scripts; wait waits for them.
func (c *company) close() { c.stop() }

func (c *company) wait() { c.wg.Wait() }

// next is the seed of the next call: each call is another day.
func (c *company) next() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed++
	return c.seed
}

func (c *company) at(number string) (elders.Elder, bool) {
	for _, e := range c.cast {
		if e.Phone == number {
			return e, true
		}
	}
	return elders.Elder{}, false
}

// answer decides what becomes of a ringing telephone. A number of no elder is
// answered by nobody.
func (c *company) answer(_ context.Context, ring *carrier.Ring) {
	elder, known := c.at(ring.To)
	if !known {
		return
	}
	c.wg.Go(func() {
		seed := c.next()
		how := elder.Ring(seed)
		if !c.sleep(ring.Over(), how.After) {
			return
		}
		if err := c.pickUp(ring, elder, seed, how); err != nil {
			c.log.DebugContext(c.ctx, "elder did not come to the telephone", "call_sid", ring.CallSID, "err", err)
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
			for range set.Heard() { // the tape runs
			}
		}
		return err
	default:
		set, err := ring.Answer()
		if err == nil {
			c.play(set, elders.NewScript(elder, seed))
		}
		return err
	}
}

// speak lets an elder who has rung nAIber talk.
func (c *company) speak(number string, set *carrier.Handset) {
	elder, known := c.at(number)
	if !known {
		elder = c.cast[0] // a stranger talks like anybody
	}
	c.wg.Go(func() { c.play(set, elders.NewScript(elder, c.next())) })
}

// play is one elder on one call, until it is over.
func (c *company) play(set *carrier.Handset, script *elders.Script) {
	defer set.HangUp()
	speaking, on := c.react(set, script.Next(""))
	var heard []string
	wonder := time.NewTimer(c.faster(nothingHeard))
	defer wonder.Stop()
	for on {
		next, acts := elders.Reaction{}, false
		select {
		case <-c.ctx.Done():
			return
		case <-set.Done():
			return
		case <-speaking: // what one says oneself is no silence
			speaking = nil
			wonder.Reset(c.faster(nothingHeard))
		case <-wonder.C:
			next, acts = script.Next(""), speaking == nil
		case e, ok := <-set.Heard():
			if !ok {
				return
			}
			wonder.Reset(c.faster(nothingHeard))
			next, heard, acts = hear(script, e, heard)
		}
		if acts {
			speaking, on = c.react(set, next)
			wonder.Reset(c.faster(nothingHeard))
		}
	}
}

// hear is what the elder makes of a sound: what they do, if anything, and the
// words that they have not answered yet.
func hear(script *elders.Script, e carrier.HeardEvent, heard []string) (elders.Reaction, []string, bool) {
	switch e.Kind {
	case carrier.HeardWord:
		heard = append(heard, e.Text)
		if r, breaksIn := script.Overhear(strings.Join(heard, " ")); breaksIn {
			return r, nil, true
		}
	case carrier.HeardSilence:
		if len(heard) > 0 {
			return script.Next(strings.Join(heard, " ")), nil, true
		}
	default: // nothing that an elder answers
	}
	return elders.Reaction{}, heard, false
}

// react does what the script says. It returns a channel that is closed when the
// elder has finished speaking, and whether the call goes on.
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

// after waits until something was said, and reports false where the call was over first.
func (c *company) after(said <-chan struct{}, set *carrier.Handset) bool {
	if said == nil {
		return true
	}
	select {
	case <-said:
		return true
	case <-set.Done():
		return false
	case <-c.ctx.Done():
		return false
	}
}

// sleep waits in the world's own time, and reports false where over came first.
func (c *company) sleep(over <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(c.faster(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-over:
		return false
	case <-c.ctx.Done():
		return false
	}
}

func (c *company) faster(d time.Duration) time.Duration { return time.Duration(float64(d) / c.pace) }
