package telephony

import "time"

const (
	// speechGap without new audio means that the voice service has sent all of a
	// reply: it sends faster than real time, in bursts.
	speechGap = 1500 * time.Millisecond
	// speechWait is how long the first audio of a last reply is awaited.
	speechWait = 4 * time.Second
	// speechLook is how often it is looked for.
	speechLook = 100 * time.Millisecond
	// farewellLimit ends a goodbye that goes on and on.
	farewellLimit = time.Minute
	// settleSlack is by how much the estimate of what is queued may be off.
	settleSlack = 250 * time.Millisecond
)

// farewell is a goodbye on its way to the person's ear.
type farewell struct {
	verdict verdict
	polite  bool // asked for from outside: a person who speaks again calls it off
	began   time.Time
	ended   bool   // the conversation is over: no more audio can come
	mark    string // outstanding; empty: audio may still come
}

// endAfterSpeech takes an ending that is to come once everything was heard.
func (c *liveCall) endAfterSpeech(v verdict) *verdict {
	if c.loop.stream == nil {
		return &v
	}
	c.sayGoodbye(farewell{verdict: v, polite: true})
	return nil
}

// sayGoodbye begins a farewell: the call ends when it was heard. A second one
// changes nothing, except that one from inside the conversation is final.
func (c *liveCall) sayGoodbye(f farewell) {
	l := &c.loop
	if l.bye != nil {
		l.bye.polite = l.bye.polite && f.polite
		l.bye.ended = l.bye.ended || f.ended
	} else {
		f.began = time.Now()
		l.bye = &f
		c.notes.event("goodbye", map[string]any{"reason": f.verdict.cause})
	}
	l.parting.Reset(0)
}

// onParting takes a farewell its next step: wait until no more audio can be
// expected, then send a mark, then wait for that, but not for ever.
func (c *liveCall) onParting() *verdict {
	l := &c.loop
	f := l.bye
	if f == nil {
		return nil
	}
	if l.stream == nil || f.mark != "" || time.Since(f.began) > farewellLimit {
		return &f.verdict // heard as far as anybody can tell
	}
	if wait := c.moreAudio(f); wait > 0 {
		l.parting.Reset(wait)
		return nil
	}
	return c.markFarewell(f)
}

// moreAudio is how much longer audio of the last words is to be expected.
func (c *liveCall) moreAudio(f *farewell) time.Duration {
	v := c.loop.conv
	if f.ended || v == nil {
		return 0
	}
	if last := time.Unix(0, v.lastAudio.Load()); last.After(f.began) {
		return speechGap - time.Since(last)
	}
	if f.polite { // the reply was only just written: look again soon
		return min(speechWait-time.Since(f.began), speechLook)
	}
	return speechGap - time.Since(f.began)
}

// markFarewell asks Twilio to say when the last words were played.
func (c *liveCall) markFarewell(f *farewell) *verdict {
	l := &c.loop
	name, err := l.stream.mark("bye")
	if err != nil {
		return &f.verdict
	}
	f.mark = name
	l.parting.Reset(l.stream.played.queued(time.Now()) + c.cfg.GoodbyeCap)
	return nil
}

// onMark ends the call when a mark proves that its last words were heard.
func (c *liveCall) onMark(st *stream, name string, played bool) *verdict {
	c.onTold(st, name, played)
	l := &c.loop
	f := l.bye
	if st != l.stream || f == nil || f.mark != name {
		return nil
	}
	if played && l.stream.played.queued(time.Now()) <= settleSlack {
		return &f.verdict
	}
	// Cut short by a clear, or more was said after the mark.
	f.mark = ""
	l.parting.Reset(0)
	return nil
}

// onQuiet ends a call in which nothing is said any more: the last line of
// defence behind the gentle questions that the conversation asks.
func (c *liveCall) onQuiet() *verdict {
	l := &c.loop
	last := l.lastWords
	if st := l.stream; st == nil {
		last = time.Now() // other timers watch over a broken line
	} else if ends := st.played.ends(); ends.After(last) {
		last = ends
	}
	if left := c.cfg.SilenceHangUp - time.Since(last); left > 0 {
		l.quiet.Reset(left)
		return nil
	}
	return &verdict{cause: causeSilence, phone: phoneHangUp}
}
