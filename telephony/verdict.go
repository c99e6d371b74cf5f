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
	// settleTime is how long to wait for Twilio's report on why a stream stopped.
	settleTime = 2 * time.Second

	// Timeouts of the steps of an ending.
	putDownTimeout = 15 * time.Second
	flushTimeout   = 15 * time.Second
	recordTimeout  = time.Minute
	recordPause    = 2 * time.Second
)

// verdict holds how a call must end.
type verdict struct {
	cause string
	by    string // empty: the usual party for the cause
	phone phoneEnd
	final bool // end the call even if the person talks with somebody else, see [liveCall.staysOn]
}

// phoneEnd is what to do with the telephone line.
type phoneEnd int

const (
	phoneGone     phoneEnd = iota // it is down, or is ended elsewhere
	phoneHangUp                   // hang up
	phoneSorry                    // say sorry, then hang up
	phoneFarewell                 // say goodbye, then hang up
	phoneOptedOut                 // say that there will be no more calls, then hang up
)

// close ends the call. Each step has its own timeout, and runs even if the one before it failed.
// The telephone line is ended first: once our socket closes, Twilio would ask for a reconnection.
func (c *liveCall) close(ctx context.Context, v verdict) {
	if v.cause == causeAborted {
		c.crash()
		return
	}
	c.putDown(ctx, v.phone)
	c.talks.Wait() // what the conversations still hear belongs to the transcript
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

// putDown ends the telephone line as end says.
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
			_ = c.do.hangUp(ctx, line.Call.SID) // a last attempt
		}
	})
}

// finish records the ending, and retries until that succeeds or ctx ends.
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

// letGo waits up to settleTime for Twilio to end the stream by itself, then closes it.
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

// within runs one step of an ending with a timeout of d.
func within(ctx context.Context, d time.Duration, step func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	step(ctx)
}

// causeAborted is not a cause that is recorded: it drops a call as a crash of the process would.
const causeAborted = "aborted"

// Abort drops every live call at once: sockets break without a goodbye, and no ending is recorded.
// The carrier and the next process then react as to a crash, which the sandbox simulates in this
// way.
func (s *Service) Abort() {
	s.live.mu.Lock()
	s.live.draining = true
	s.live.mu.Unlock()
	for _, c := range s.live.all() {
		go c.end(verdict{cause: causeAborted, final: true})
	}
	s.live.running.Wait()
}

// crash drops the call without an ending.
func (c *liveCall) crash() {
	if st := c.loop.stream; st != nil {
		_ = st.conn.CloseNow()
		<-st.gone
	}
	c.talks.Wait()
}
