package telephony

import (
	"context"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store/calls"
)

// This file is what the telephone's side brings about in a live call: streams
// that come and go, the carrier's statuses, an answering machine.

// voicemailWait is how long Twilio may take to leave our stream for the
// message on the answering machine.
const voicemailWait = 15 * time.Second

// onStream takes a media stream: the first, the one after a broken line, or one
// that replaces a stream which still seems to run.
func (c *liveCall) onStream(ctx context.Context, st *stream) *verdict {
	l := &c.loop
	if st.wrongFormat {
		l.stream = st
		return &verdict{cause: causeAudioFormat, by: byTwilio, phone: phoneHangUp}
	}
	if old := l.stream; old != nil {
		c.talks.Go(func() {
			defer c.survive("stream", c.giveUp)
			_ = old.conn.CloseNow() // its reader ends by it
		})
	}
	c.dropConversation()
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

// onStreamEnded is the end of a media stream: the call is over with it, or the
// line broke and may come back.
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
		return &l.bye.verdict // said, and the line is down: nothing is left to do but to make sure
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

// onCarrier takes a status from Twilio. A final one ends the call, for the
// reason that was under way where there is one.
func (c *liveCall) onCarrier(status calls.CallStatus) *verdict {
	l := &c.loop
	switch {
	case !status.Final():
		return nil
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

// onMachine falls silent for an answering machine, and waits for Twilio to leave
// the stream.
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
