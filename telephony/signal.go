package telephony

import (
	"context"
	"time"
)

// later hands e to the call's loop, unless that has come to its verdict. A
// socket's reader goes on at once, and the loop takes what it was told in order.
func (c *liveCall) later(e event) {
	select {
	case c.signals <- e:
	case <-c.over:
	}
}

// laterFor is later for what happened in a conversation; the loop does nothing
// where that was given up meanwhile.
func (c *liveCall) laterFor(v *conversation, do func()) {
	c.later(func(context.Context) *verdict {
		if v == c.loop.conv {
			do()
		}
		return nil
	})
}

// onOpened notes that a conversation runs.
func (c *liveCall) onOpened() {
	c.loop.begun++
	c.onKeypad() // digits that waited for it
}

// onInterrupted calls a goodbye off where the person spoke over it.
func (c *liveCall) onInterrupted() {
	if l := &c.loop; l.bye != nil && l.bye.polite && !l.bye.ended {
		l.bye = nil
		l.parting.Stop()
	}
}

// onEndCall begins the goodbye that the conversation asked for.
func (c *liveCall) onEndCall() {
	_, _, reason := c.facts.get()
	c.sayGoodbye(farewell{verdict: verdict{cause: askedCause(reason), phone: phoneHangUp}})
}

// onFirstAudio notes how long the person waited for a first word, once in a
// call: one that another process began has had its first word there.
func (c *liveCall) onFirstAudio(at time.Time) {
	l := &c.loop
	if !l.first && !c.resumed {
		wait := at.Sub(c.answered)
		c.metrics.firstWord.Observe(wait.Seconds())
		c.notes.firstWord(wait)
	}
	l.first = true
}
