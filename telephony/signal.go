package telephony

import "time"

// signal is something small that happened on one of a call's sockets.
type signal struct {
	kind   signalKind
	stream *stream
	conv   *conversation
	text   string
	played bool
	at     time.Time
}

// signalKind is what happened.
type signalKind int

const (
	signalFirstAudio  signalKind = iota // a conversation's first audio was sent to the phone
	signalOpened                        // a conversation runs
	signalWords                         // the person spoke
	signalInterrupted                   // the person spoke over nAIber, and the phone was told to be quiet
	signalEndCall                       // the conversation asked for its end
	signalMark                          // a mark came back; played says whether it proves anything
	signalKey                           // the person pressed a key
)

// signal tells the loop of s, unless that has come to its verdict.
func (c *liveCall) signal(s signal) {
	select {
	case c.signals <- s:
	case <-c.over:
	}
}

// onSignal takes what a socket's reader has to say, unless that socket was given
// up meanwhile.
func (c *liveCall) onSignal(s signal) *verdict {
	switch s.kind {
	case signalMark:
		if s.stream == c.loop.stream {
			return c.onMark(s)
		}
	case signalKey:
		c.onKey(s)
	case signalWords:
		c.loop.lastWords = s.at
	default:
		if s.conv == c.loop.conv {
			c.onConversation(s)
		}
	}
	return nil
}

// onConversation takes a signal of the conversation that runs.
func (c *liveCall) onConversation(s signal) {
	l := &c.loop
	switch s.kind {
	case signalOpened:
		l.begun++
		c.onKeypad() // digits that waited for it
	case signalFirstAudio:
		c.onFirstAudio(s.at)
	case signalInterrupted:
		if l.bye != nil && l.bye.polite && !l.bye.ended {
			l.bye = nil
			l.parting.Stop()
		}
	case signalEndCall:
		_, _, reason := c.facts.get()
		c.sayGoodbye(farewell{verdict: verdict{cause: askedCause(reason), phone: phoneHangUp}})
	default:
	}
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
