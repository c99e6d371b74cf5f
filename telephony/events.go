package telephony

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// This file handles what both sides cause in a live call: streams that begin and end, the carrier's
// statuses, an answering machine, keys, and the conversation's events.

// voicemailWait is how long Twilio may take to leave our stream and speak the message to the
// answering machine.
const voicemailWait = 15 * time.Second

// onStream adopts a media stream: the first one, the one after a broken line, or one that replaces
// a stream which still seems to run.
func (c *liveCall) onStream(ctx context.Context, st *stream) *verdict {
	l := &c.loop
	if st.wrongFormat {
		l.stream = st
		return &verdict{cause: causeAudioFormat, by: byTwilio, phone: phoneHangUp}
	}
	if c.unwanted != nil {
		l.stream = st
		c.notes.event("revoked", map[string]any{"rule": c.unwanted.Rule})
		return c.unwanted.end()
	}
	if old := l.stream; old != nil {
		c.talks.Go(func() {
			defer c.survive("stream", c.giveUp)
			_ = old.conn.CloseNow() // its reader ends then
		})
	}
	c.dropConversation()
	if l.away.gone || cameBack(c.now().Call.Connected, time.Now()) {
		c.back()
	}
	l.away.since = time.Now()
	again := c.resumed || l.begun > 0 || l.broken > 0
	l.stream = st
	l.settle.Stop()
	l.grace.Stop()
	c.facts.set(func(f *facts) { f.line.Call.SID = string(st.callSID) })
	if again {
		c.metrics.reconnects.WithLabelValues("stream").Inc()
	}
	c.notes.event("stream_started", map[string]any{"streamSid": string(st.sid), "reconnect": again})
	c.log.LogAttrs(ctx, slog.LevelInfo, "media stream started", slog.Bool("reconnect", again))
	if !l.machine {
		c.converse(ctx)
	}
	return nil
}

// onStreamEnded handles the end of a media stream: the call is over with it, or the line broke and
// may come back.
func (c *liveCall) onStreamEnded(st *stream, stopped bool) *verdict {
	l := &c.loop
	if st != l.stream {
		return nil
	}
	l.stream = nil
	c.dropConversation()
	switch {
	case l.machine:
		return &verdict{cause: causeVoicemail}
	case l.bye != nil:
		return &l.bye.verdict // said, and the line is down: only the hang-up is left, to make sure
	case stopped:
		l.settle.Reset(settleTime)
	default:
		l.broken++
		l.brokenAt = time.Now()
		l.grace.Reset(c.cfg.ReconnectGrace)
		c.notes.event("reconnecting", map[string]any{"cause": causeStreamLost, "n": l.broken})
		c.log.Warn("media stream lost", slog.Int("count", l.broken))
	}
	return nil
}

// onCarrier handles a status from Twilio. A final one ends the call, for the reason that was under
// way if there is one.
func (c *liveCall) onCarrier(status calls.CallStatus) *verdict {
	l := &c.loop
	if !status.Final() {
		return nil
	}
	l.down = true
	switch {
	case l.machine:
		return &verdict{cause: causeVoicemail}
	case l.bye != nil:
		v := l.bye.verdict
		v.phone = phoneGone
		return &v
	case l.stream == nil && !l.brokenAt.IsZero() && status == calls.StatusCompleted && time.Since(l.brokenAt) > settleTime:
		return &verdict{cause: causeStreamLost}
	default:
		return &verdict{cause: statusCause(status)}
	}
}

// onMachine makes the call silent for an answering machine, and waits for Twilio to leave the
// stream.
func (c *liveCall) onMachine() *verdict {
	l := &c.loop
	l.machine = true
	l.reopen.Stop()
	c.dropConversation()
	if l.stream != nil {
		_ = l.stream.clear() // its reader reports a broken line
	}
	l.leave.Reset(voicemailWait)
	return nil
}

// later hands e to the call's loop, unless the loop has its verdict. It waits only while the buffer
// is full, and the loop takes such events in order.
func (c *liveCall) later(e event) {
	select {
	case c.signals <- e:
	case <-c.over:
	}
}

// laterFor calls do on the loop, as later does, unless v is no longer the call's conversation then.
func (c *liveCall) laterFor(v *conversation, do func()) {
	c.later(func(context.Context) *verdict {
		if v == c.loop.conv {
			do()
		}
		return nil
	})
}

// onOpened counts a conversation that has opened, and passes on digits that waited for it.
func (c *liveCall) onOpened() {
	c.loop.begun++
	if c.loop.keys != "" {
		c.loop.keypad.Reset(0) // digits pressed before it opened
	}
}

// onInterrupted cancels a goodbye if the person spoke over it.
func (c *liveCall) onInterrupted() {
	c.loop.conv.told.Store(nil) // the audio that was discarded may have been part of the disclosure
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

// onFirstAudio records how long the person waited for the first word, once in a call. In a call
// that another process began, the first word was spoken there.
func (c *liveCall) onFirstAudio(at time.Time) {
	l := &c.loop
	if !l.first && !c.resumed {
		wait := at.Sub(c.answered)
		c.metrics.firstWord.Observe(wait.Seconds())
		c.notes.firstWord(wait)
	}
	l.first = true
	l.telling.Reset(speechGap)
}

const (
	// keypadPause is the pause between two digits that makes them two entries.
	keypadPause = 1500 * time.Millisecond
	// keypadMost is how many digits may wait to be passed on; more are dropped.
	keypadMost = 64
)

// onKey collects a key that the person pressed.
func (c *liveCall) onKey(st *stream, digit string) {
	l := &c.loop
	if st != l.stream || !keypadDigit(digit) || len(l.keys) >= keypadMost {
		return
	}
	l.keys += digit
	l.lastWords = time.Now()
	l.keypad.Reset(keypadPause)
}

// keypadDigit reports whether s is one key of a telephone. A to D, which few telephones have,
// mean nothing to nAIber.
func keypadDigit(s string) bool {
	return len(s) == 1 && (s[0] >= '0' && s[0] <= '9' || s[0] == '*' || s[0] == '#')
}

// optOutWithin bounds storing an opt-out while the call waits.
const optOutWithin = 3 * time.Second

// errInDanger means that a key does not end the call because its speaker has told of danger.
var errInDanger = errors.New("the call is one of danger")

// optsOut reports whether keys end all calls. Star and nine do so in every call, nine alone only in
// calls that never ask for a number. In others the persona's turn determines whether it was asked
// for.
func optsOut(t calls.CallType, keys string) bool {
	return keys == "*9" || keys == "9" && t == calls.CallGeneral
}

// onKeys ends the call if the keys opt out of all calls, once that is stored. All other keys are
// passed on to the conversation, and so is an opt-out that could not be stored: the turn tries it
// again, and says so. If the speaker was not found to be the person, the turn has it reported. A
// call in danger is not hung up, as the person may be dialling 999.
//
//nolint:contextcheck // messages on a socket have no deadline of their own, see noDeadline
func (c *liveCall) onKeys(ctx context.Context) *verdict {
	line := c.now()
	if !line.Person.ID.Known() || line.Call.Withheld() || !optsOut(line.Call.Type, c.loop.keys) {
		c.onKeypad()
		return nil
	}
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), optOutWithin)
	defer cancel()
	if err := c.do.optOut(keep, line.Call); errors.Is(err, errInDanger) {
		c.onKeypad()
		return nil
	} else if err != nil {
		c.log.LogAttrs(ctx, slog.LevelError, "opt-out by key is not kept yet", slog.Any("err", err))
		c.onKeypad()
		return nil
	}
	c.facts.heard()
	c.notes.event("keypad", map[string]any{"digits": c.loop.keys})
	c.log.LogAttrs(ctx, slog.LevelInfo, "person opted out", slog.String("reason", "key"))
	return &verdict{cause: causeOptedOut, phone: phoneOptedOut}
}

// onKeypad passes digits on to the conversation once no more have come.
func (c *liveCall) onKeypad() {
	l := &c.loop
	if l.keys == "" || l.conv == nil || l.conv.id == "" {
		return // wait for the next conversation
	}
	keys := l.keys
	l.keys = ""
	l.keypad.Stop()
	c.facts.heard() // no machine presses keys
	c.notes.event("keypad", map[string]any{"digits": keys})
	_ = l.conv.send(func(dst []byte) []byte { // the socket's reader reports a broken socket
		return elevenlabs.AppendUserMessage(dst, "[keypad: "+keys+"]")
	})
}
