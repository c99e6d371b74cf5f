package telephony

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/naiber/naiber/store"
)

// liveCall is a call that this process carries, from its first media stream to
// its ending. One loop decides everything; the sockets' readers only move audio
// and tell the loop what happened. Its methods may be used concurrently.
type liveCall struct {
	id        store.CallID
	resumed   bool // another process began it
	answered  time.Time
	cfg       Config
	do        world
	live      *registry
	log       *slog.Logger
	metrics   *metrics
	up        *ring
	direct    atomic.Pointer[conversation] // takes audio without a detour through up
	notes     *transcript
	streams   chan *stream
	ended     chan endedStream
	lost      chan lostConversation
	signals   chan signal
	carrier   chan store.CallStatus
	requests  chan request
	machine   chan string
	over      chan struct{} // closed when the loop has its verdict: nobody listens any more
	done      chan struct{} // closed when the ending is complete
	talks     sync.WaitGroup
	lastWords lastTime

	mu         sync.Mutex // guards what follows
	line       store.Line
	spoken     int    // how often the person was heard to speak
	endReason  string // why the conversation's end_call tool is used, once it is
	answeredBy string // a machine took the call, and a message is being left

	loop loopState
}

// loopState belongs to the loop alone.
type loopState struct {
	stream   *stream       // nil: the line is broken
	conv     *conversation // nil: none runs or opens
	begun    int           // conversations that ran
	reopened int           // conversations begun after another broke
	broken   int           // times that the line broke
	brokenAt time.Time
	keys     string
	bye      *farewell
	machine  bool
	first    bool // the first word was sent

	limit   *time.Timer // the call has gone on for as long as it may
	quiet   *time.Timer // nothing may have been said for long
	settle  *time.Timer // Twilio was given time to say why the stream stopped
	grace   *time.Timer // a broken line was given time to come back
	parting *time.Timer // a goodbye takes its next step
	keypad  *time.Timer // no more digits came
	reopen  *time.Timer // another conversation is due
	leave   *time.Timer // Twilio was given time to leave a machine to its message
}

// newLiveCall makes the call of line, which [liveCall.run] carries. spoken is how
// often the person was heard in another process.
func newLiveCall(
	cfg Config, do world, live *registry, log *slog.Logger, m *metrics, line store.Line, keepWords bool, spoken int,
) *liveCall {
	log = log.With(slog.String("call_id", line.Call.ID.String()), slog.String("call_type", string(line.Call.Type)))
	if line.Person.ID.Known() {
		log = log.With(slog.String("person_id", line.Person.ID.String()))
	}
	c := &liveCall{
		id: line.Call.ID, resumed: line.Call.ConversationID != "", cfg: cfg, do: do, live: live, log: log, metrics: m,
		line: line, spoken: spoken, up: newRing(ringOpening), answered: time.Now(),
		notes:   newTranscript(line.Call.ID, do.book, keepWords, log, m),
		streams: make(chan *stream), ended: make(chan endedStream), lost: make(chan lostConversation),
		signals: make(chan signal, 16), carrier: make(chan store.CallStatus), requests: make(chan request),
		machine: make(chan string), over: make(chan struct{}), done: make(chan struct{}),
	}
	if line.Call.AnsweredAt != nil && line.Call.AnsweredAt.Before(c.answered) {
		c.answered = *line.Call.AnsweredAt
	}
	return c
}

// bind gives the call a media stream, its first or the one after a broken line.
// It reports false when the call has ended.
func (c *liveCall) bind(st *stream) bool { return tell(c, c.streams, st) }

// streamEnded tells the call that a media stream's reader has ended.
func (c *liveCall) streamEnded(st *stream, stopped bool) {
	tell(c, c.ended, endedStream{st, stopped})
}

// carrierEnded tells the call that Twilio reports a final status.
func (c *liveCall) carrierEnded(status store.CallStatus) { tell(c, c.carrier, status) }

// machineAnswered tells the call that a machine picked up. It reports whether
// the call takes that for true: then it falls silent and ends as voicemail once
// Twilio leaves its stream, which the caller of machineAnswered sees to. A
// conversation that already shows a human is left alone.
func (c *liveCall) machineAnswered(answeredBy string) bool {
	c.mu.Lock()
	human := c.spoken >= humanTurns
	c.mu.Unlock()
	return !human && tell(c, c.machine, answeredBy)
}

// end ends the call at once.
func (c *liveCall) end(cause, by string) {
	tell(c, c.requests, request{verdict: verdict{cause: cause, by: by, phone: phoneHangUp}})
}

// tell hands v to the call's loop, unless that has come to its verdict.
func tell[T any](c *liveCall, to chan T, v T) bool {
	select {
	case to <- v:
		return true
	case <-c.over:
		return false
	}
}

// now is the line as it stands: who is on the call, in which conversation.
func (c *liveCall) now() store.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line
}

// run carries the call to its end and completes the ending. ctx must outlive
// whatever started the call.
func (c *liveCall) run(ctx context.Context) {
	defer close(c.done)
	defer c.live.remove(c)
	noting, stopNoting := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { c.keepNotes(noting) })
	defer writer.Wait()
	defer stopNoting()
	talking, stopTalking := context.WithCancel(ctx)
	v := c.carry(talking)
	close(c.over)
	stopTalking()
	c.conclude(context.WithoutCancel(ctx), v)
}

// conclude completes the ending. Where even that panics, the line is put down and
// the ending recorded as what it was; what cannot be done then is left to
// reconciliation.
func (c *liveCall) conclude(ctx context.Context, v verdict) {
	defer c.survive("ending", func() {
		defer c.survive("ending", nil)
		_ = c.do.hangUp(ctx, c.now().Call.SID) // the one thing left to try
		within(ctx, recordTimeout, func(ctx context.Context) { c.finish(ctx, endingOf(causeInternal, "", 0)) })
	})
	c.close(ctx, v)
}

// keepNotes writes the transcript until ctx ends.
func (c *liveCall) keepNotes(ctx context.Context) {
	for again := true; again; {
		again = false
		func() {
			defer c.survive("notes", func() {
				c.notes.pop() // the one that did it
				again = true
				c.metrics.lostNotes.Inc()
			})
			if left := c.notes.run(ctx); left > 0 {
				c.metrics.lostNotes.Add(float64(left))
				c.log.LogAttrs(ctx, slog.LevelError, "notes lost", slog.Int("count", left))
			}
		}()
	}
}

// carry is the loop: its select lists every way in which a call can go on or
// end. ctx is that of the conversations.
//
//nolint:contextcheck // messages on a socket have no deadline of their own, see noDeadline
func (c *liveCall) carry(ctx context.Context) (v verdict) {
	l := &c.loop
	l.setTimers(max(c.cfg.TimeLimit-time.Since(c.answered), 0), c.cfg.SilenceHangUp)
	defer l.stopTimers()
	defer c.survive("loop", func() { v = verdict{cause: causeInternal, phone: phoneSorry} })
	c.lastWords.set(time.Now())
	for {
		var end *verdict
		select {
		case st := <-c.streams:
			end = c.onStream(ctx, st)
		case s := <-c.ended:
			end = c.onStreamEnded(s)
		case lost := <-c.lost:
			end = c.onLost(ctx, lost)
		case s := <-c.signals:
			end = c.onSignal(s)
		case status := <-c.carrier:
			end = c.onCarrier(status)
		case r := <-c.requests:
			end = c.onRequest(r)
		case by := <-c.machine:
			c.onMachine(by)
		case <-l.limit.C:
			end = &verdict{cause: causeTimeLimit, phone: phoneFarewell}
		case <-l.quiet.C:
			end = c.onQuiet()
		case <-l.settle.C: // the stream stopped, and no status said otherwise
			end = &verdict{cause: causeHungUp}
		case <-l.grace.C: // the broken line did not come back
			end = &verdict{cause: causeStreamLost, phone: phoneHangUp}
		case <-l.parting.C:
			end = c.onParting()
		case <-l.keypad.C:
			c.onKeypad()
		case <-l.reopen.C:
			c.converse(ctx)
		case <-l.leave.C: // a machine answered, and the stream was not left
			end = &verdict{cause: causeVoicemail, phone: phoneHangUp}
		}
		if end != nil {
			return *end
		}
	}
}

// setTimers makes the loop's timers. Only those of the whole call run from the
// beginning.
func (l *loopState) setTimers(limit, quiet time.Duration) {
	l.limit, l.quiet = time.NewTimer(limit), time.NewTimer(quiet)
	for _, t := range []**time.Timer{&l.settle, &l.grace, &l.parting, &l.keypad, &l.reopen, &l.leave} {
		*t = time.NewTimer(0)
		(*t).Stop()
	}
}

func (l *loopState) stopTimers() {
	for _, t := range []*time.Timer{l.limit, l.quiet, l.settle, l.grace, l.parting, l.keypad, l.reopen, l.leave} {
		t.Stop()
	}
}
