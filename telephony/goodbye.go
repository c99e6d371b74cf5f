package telephony

import "time"

const (
	// speechGap without new audio means that the voice service has sent all of a reply: it sends
	// faster than real time, in bursts.
	speechGap = 1500 * time.Millisecond
	// speechWait is how long to wait for the first audio of a last reply.
	speechWait = 4 * time.Second
	// speechLook is the interval of checks for that audio.
	speechLook = 100 * time.Millisecond
	// farewellLimit bounds a goodbye that does not end by itself.
	farewellLimit = time.Minute
	// settleSlack is the error allowed in the estimate of the audio that is queued.
	settleSlack = 250 * time.Millisecond
)

// farewell is a goodbye that is being spoken.
type farewell struct {
	verdict verdict
	polite  bool // requested from outside: it is cancelled if the person speaks again
	began   time.Time
	ended   bool   // the conversation is over: no more audio can come
	mark    string // outstanding; empty: audio may still come
}

// endAfterSpeech ends the call with v once everything said was heard.
func (c *liveCall) endAfterSpeech(v verdict) *verdict {
	if c.loop.stream == nil {
		return &v
	}
	c.sayGoodbye(farewell{verdict: v, polite: true})
	return nil
}

// sayGoodbye begins a farewell: the call ends once it was heard. A second one changes nothing,
// except that one from inside the conversation can no longer be cancelled.
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

// onParting takes the next step of a farewell: it waits until no more audio can be expected, then
// sends a mark, then waits for the mark, for a limited time.
func (c *liveCall) onParting() *verdict {
	l := &c.loop
	f := l.bye
	if f == nil {
		return nil
	}
	if l.stream == nil || f.mark != "" || time.Since(f.began) > farewellLimit {
		return &f.verdict // heard, as far as can be known
	}
	if wait := c.moreAudio(f); wait > 0 {
		l.parting.Reset(wait)
		return nil
	}
	return c.markFarewell(f)
}

// moreAudio returns how much longer to expect audio of the last words.
func (c *liveCall) moreAudio(f *farewell) time.Duration {
	v := c.loop.conv
	if f.ended || v == nil {
		return 0
	}
	if last := time.Unix(0, v.lastAudio.Load()); last.After(f.began) {
		return speechGap - time.Since(last)
	}
	if f.polite { // the reply was only just written: check again soon
		return min(speechWait-time.Since(f.began), speechLook)
	}
	return speechGap - time.Since(f.began)
}

// markFarewell asks Twilio to report when the last words were played.
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

// onQuiet ends a call in which nobody has said anything for SilenceHangUp. It is the last resort,
// if the conversation's own questions do not end the silence.
func (c *liveCall) onQuiet() *verdict {
	l := &c.loop
	last := l.lastWords
	if st := l.stream; st == nil {
		last = time.Now() // other timers handle a broken line
	} else if ends := st.played.ends(); ends.After(last) {
		last = ends
	}
	if left := c.cfg.SilenceHangUp - time.Since(last); left > 0 {
		l.quiet.Reset(left)
		return nil
	}
	return &verdict{cause: causeSilence, phone: phoneHangUp}
}
