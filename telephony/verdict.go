package telephony

import (
	"context"
	"log/slog"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/prompts"
)

const (
	// settleTime is how long Twilio's word on why a stream stopped is awaited.
	settleTime = 2 * time.Second

	// The steps of an ending.
	putDownTimeout = 15 * time.Second
	flushTimeout   = 15 * time.Second
	recordTimeout  = time.Minute
	recordPause    = 2 * time.Second
)

// verdict is how a call is to end.
type verdict struct {
	cause string
	by    string // empty: as usual for the cause
	phone phoneEnd
	final bool // even where the person talks with somebody else, see [liveCall.staysOn]
}

// phoneEnd is what becomes of the telephone line.
type phoneEnd int

const (
	phoneGone     phoneEnd = iota // it is down, or somebody else sees to it
	phoneHangUp                   // hang up
	phoneSorry                    // say sorry, then hang up
	phoneFarewell                 // say goodbye, then hang up
	phoneOptedOut                 // say that nobody calls any more, then hang up
)

// close is the one ending of a call. Each step has its own time, and a step that
// fails does not keep the next from happening. The telephone goes first: once
// our socket closes, Twilio would ask how to reconnect.
func (c *liveCall) close(ctx context.Context, v verdict) {
	if v.cause == causeAborted {
		c.crash()
		return
	}
	c.putDown(ctx, v.phone)
	c.talks.Wait() // what they still heard belongs to the transcript
	within(ctx, flushTimeout, func(ctx context.Context) {
		if err := c.notes.flush(ctx); err != nil {
			c.log.LogAttrs(ctx, slog.LevelError, "transcript is late", slog.Any("err", err))
		}
	})
	line, spoken, _ := c.facts.get()
	end := endingOf(v.cause, v.by, spoken)
	end.Verified = line.Call.Verified
	c.facts.set(func(f *facts) { end.Denied = f.denied })
	within(ctx, recordTimeout, func(ctx context.Context) { c.finish(ctx, end) })
	c.letGo(c.loop.stream)
	seconds := time.Since(c.answered).Seconds()
	c.metrics.seconds.Observe(seconds)
	c.log.LogAttrs(ctx, slog.LevelDebug, "call let go", slog.String("reason", end.Cause),
		slog.Int64("elapsed_ms", int64(seconds*1000)), slog.Int("turns", spoken),
		slog.Int("reconnects", c.loop.broken+c.loop.reopened))
}

// putDown sees to the telephone line.
func (c *liveCall) putDown(ctx context.Context, end phoneEnd) {
	line := c.now()
	within(ctx, putDownTimeout, func(ctx context.Context) {
		var err error
		switch end {
		case phoneGone:
			return
		case phoneSorry:
			err = c.do.say(ctx, line, prompts.Sorry)
		case phoneFarewell:
			err = c.do.say(ctx, line, prompts.Farewell)
		case phoneOptedOut:
			err = c.do.say(ctx, line, prompts.OptedOut)
		case phoneHangUp:
			err = c.do.hangUp(ctx, line.Call.SID)
		}
		if err == nil {
			return
		}
		c.log.LogAttrs(ctx, slog.LevelWarn, "line not put down", slog.Any("err", err))
		if end != phoneHangUp {
			_ = c.do.hangUp(ctx, line.Call.SID) // the one thing left to try
		}
	})
}

// finish records the ending, again and again until it is recorded.
func (c *liveCall) finish(ctx context.Context, end calls.Ending) {
	for {
		err := c.do.finish(ctx, c.id, end)
		if err == nil {
			return
		}
		c.log.LogAttrs(ctx, slog.LevelError, "ending not recorded", slog.Any("err", err))
		select {
		case <-time.After(recordPause):
		case <-ctx.Done():
			return // reconciliation finds the call
		}
	}
}

// letGo gives Twilio a moment to end the stream by itself, then closes it.
func (c *liveCall) letGo(st *stream) {
	if st == nil {
		return
	}
	select {
	case <-st.gone:
	case <-time.After(settleTime):
		_ = st.conn.Close(websocket.StatusNormalClosure, "")
		<-st.gone
	}
}

// within gives one step of an ending its own time.
func within(ctx context.Context, d time.Duration, step func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	step(ctx)
}

// causeAborted is no ending: it drops a call as a crash of the process would.
const causeAborted = "aborted"

// Abort drops every live call at once: sockets break without a goodbye, and no
// ending is recorded. What the carrier does then, and what the next process
// makes of it, is what a crash would bring about; the sandbox plays one so.
func (s *Service) Abort() {
	s.live.mu.Lock()
	s.live.draining = true
	s.live.mu.Unlock()
	for _, c := range s.live.all() {
		go c.end(verdict{cause: causeAborted, final: true})
	}
	s.live.running.Wait()
}

// crash is the ending that is none.
func (c *liveCall) crash() {
	if st := c.loop.stream; st != nil {
		_ = st.conn.CloseNow()
		<-st.gone
	}
	c.talks.Wait()
}
