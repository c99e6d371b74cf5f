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

func newCompany(cast []elders.Elder, seed int64, wpm int, log *slog.Logger) *company {
	c := &company{cast: cast, seed: uint64(seed), pace: 1, log: log} //nolint:gosec // any bits make a seed
	if wpm > 0 {
		c.pace = float64(wpm) / audio.DefaultWPM
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
			c.log.Debug("elder did not come to the telephone", "call_sid", ring.CallSID, "err", err)
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
	if !c.react(set, script.Next("")) {
		return
	}
	var heard []string
	wonder := time.NewTimer(c.faster(nothingHeard))
	defer wonder.Stop()
	for {
		var next elders.Reaction
		select {
		case <-c.ctx.Done():
			return
		case <-wonder.C:
			next = script.Next("")
		case e, ok := <-set.Heard():
			if !ok {
				return
			}
			wonder.Reset(c.faster(nothingHeard))
			switch e.Kind {
			case carrier.HeardWord:
				heard = append(heard, e.Text)
				r, breaksIn := script.Overhear(strings.Join(heard, " "))
				if !breaksIn {
					continue
				}
				next = r
			case carrier.HeardSilence:
				next = script.Next(strings.Join(heard, " "))
			default:
				continue
			}
			heard = nil
		}
		if !c.react(set, next) {
			return
		}
		wonder.Reset(c.faster(nothingHeard))
	}
}

// react does what the script says, and reports whether the call goes on.
func (c *company) react(set *carrier.Handset, r elders.Reaction) bool {
	if !c.sleep(set.Done(), r.Delay) {
		return false
	}
	if r.Press != "" {
		if err := set.Press(r.Press); err != nil {
			c.log.Warn("elder pressed what is no key", "err", err)
		}
	}
	if r.Say != "" {
		set.Say(r.Say)
	}
	for _, piece := range r.Rest {
		if !c.sleep(set.Done(), piece.Pause) {
			return false
		}
		set.Say(piece.Say)
	}
	return !r.HangUp
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
