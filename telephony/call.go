package telephony

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

// liveCall is a call that this process carries, from its first media stream to its ending. One loop
// makes all decisions; the sockets' readers only move audio and send the loop events. Its methods
// may be used concurrently.
type liveCall struct {
	common // its log names the call

	id       store.CallID
	resumed  bool     // another process began it
	unwanted *Refusal // why the person no longer wanted the call when it was answered, or nil
	answered time.Time
	up       *ring
	notes    *transcript
	facts    facts
	talks    sync.WaitGroup

	events  chan event    // events whose sender waits until the loop takes them
	signals chan event    // events whose sender waits only while the buffer is full
	over    chan struct{} // closed when the loop has its verdict and takes no more events
	done    chan struct{} // closed when the ending is complete

	loop loopState
}

// event is what the loop does about something that happened. It returns how the call ends, or nil
// if the call goes on. ctx is the context of the conversations.
type event func(ctx context.Context) *verdict

// facts holds what is known of a call while it lasts.
type facts struct {
	mu        sync.Mutex // guards the fields below
	line      calls.Line
	spoken    int    // how often the person was heard to speak
	endReason string // the reason given to the conversation's end_call tool, once it is used
	denied    bool   // the speaker turned out not to be the person, and that could not be stored
}

// set calls change with f locked.
func (f *facts) set(change func(f *facts)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// heard counts that the person was heard to speak.
func (f *facts) heard() { f.set(func(f *facts) { f.spoken++ }) }

// get returns the current facts.
func (f *facts) get() (line calls.Line, spoken int, endReason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.line, f.spoken, f.endReason
}

// loopState holds the loop's state. Only the loop's goroutine uses it.
type loopState struct {
	timers

	stream   *stream       // nil if the line is broken
	conv     *conversation // nil if none runs or is being opened
	begun    int           // conversations that ran
	reopened int           // conversations begun after another one broke
	broken   int           // times that the line broke
	brokenAt time.Time
	keys     string
	bye      *farewell
	machine  bool
	down     bool // the carrier has reported that the line is down
	away     away // set while the person talks with somebody else, see [liveCall.staysOn]
	first    bool // the first word was sent
	// lastWords is when the person last spoke or pressed a key.
	lastWords time.Time
}

// timers holds the loop's timers.
type timers struct {
	limit   *time.Timer // the call's maximum duration is over
	quiet   *time.Timer // the person may have been silent for too long
	settle  *time.Timer // time for Twilio to report why the stream stopped
	grace   *time.Timer // time for a broken line to come back
	parting *time.Timer // the next step of a goodbye
	keypad  *time.Timer // no more digits came
	reopen  *time.Timer // another conversation is due
	telling *time.Timer // all of the first words may have been sent
	leave   *time.Timer // time for Twilio to leave a machine to its message
}

// newLiveCall returns a call on line, which [liveCall.run] carries. spoken is how often the person
// was heard to speak while another process carried the call.
func newLiveCall(with common, line calls.Line, keepWords bool, spoken int) *liveCall {
	with.log = with.log.With(slog.String("call_id", line.Call.ID.String()), slog.String("call_type", string(line.Call.Type)))
	if line.Person.ID.Known() {
		with.log = with.log.With(slog.String("person_id", line.Person.ID.String()))
	}
	c := &liveCall{
		common: with, id: line.Call.ID, resumed: line.Call.ConversationID != "", answered: time.Now(),
		up: newRing(ringOpening), notes: newTranscript(line.Call.ID, with.do.book, keepWords, with.log, with.metrics),
		facts:  facts{line: line, spoken: spoken},
		events: make(chan event), signals: make(chan event, 16), over: make(chan struct{}), done: make(chan struct{}),
	}
	if line.Call.AnsweredAt != nil && line.Call.AnsweredAt.Before(c.answered) {
		c.answered = *line.Call.AnsweredAt
	}
	return c
}

// carrierEnded reports a final status from Twilio to the loop.
func (c *liveCall) carrierEnded(status calls.CallStatus) {
	c.tell(func(context.Context) *verdict { return c.onCarrier(status) })
}

// machineAnswered informs the loop that a machine picked up, and reports whether the call accepts
// that. If so, it falls silent and ends as voicemail once Twilio leaves its stream, which the
// caller of machineAnswered must arrange. A conversation that already shows a human goes on.
func (c *liveCall) machineAnswered() bool {
	_, spoken, _ := c.facts.get()
	return spoken < humanTurns && c.tell(func(context.Context) *verdict { return c.onMachine() }) //nolint:contextcheck // nothing of it is bound to the request
}

// end ends the call with v, without waiting for anything else.
func (c *liveCall) end(v verdict) { c.tell(func(context.Context) *verdict { return &v }) }

// tell hands e to the call's loop, and reports whether the loop took it. It does not once it has
// its verdict.
func (c *liveCall) tell(e event) bool {
	select {
	case c.events <- e:
		return true
	case <-c.over:
		return false
	}
}

// now returns the line in its current state: who is on the call, and in which conversation.
func (c *liveCall) now() calls.Line {
	line, _, _ := c.facts.get()
	return line
}

// run carries the call to its end and completes the ending. ctx must outlive the request that
// started the call.
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

// conclude completes the ending. If that panics, it hangs up and records an internal error as the
// cause; [Service.Reconcile] completes what is still missing then.
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
	if left := c.notes.run(ctx); left > 0 {
		c.metrics.lostNotes.Add(float64(left))
		c.log.LogAttrs(ctx, slog.LevelError, "notes lost", slog.Int("count", left))
	}
}

// carry runs the call's loop, to whose select every event and timer comes, and returns how the call
// ends. ctx is the context of the conversations.
//
//nolint:contextcheck // messages on a socket have no deadline of their own, see noDeadline
func (c *liveCall) carry(ctx context.Context) (v verdict) {
	l := &c.loop
	l.setTimers(c.timeLeft(), c.cfg.SilenceHangUp)
	defer c.survive("loop", func() { v = verdict{cause: causeInternal, phone: phoneSorry} })
	l.lastWords = time.Now()
	for {
		var end *verdict
		select {
		case e := <-c.events:
			end = e(ctx)
		case e := <-c.signals:
			end = e(ctx)
		case <-l.limit.C:
			end = &verdict{cause: causeTimeLimit, phone: phoneFarewell}
		case <-l.quiet.C:
			end = c.onQuiet()
		case <-l.settle.C: // the stream stopped, and no status named another cause
			end = &verdict{cause: causeHungUp}
		case <-l.grace.C: // the broken line did not come back
			end = &verdict{cause: causeStreamLost, phone: phoneHangUp}
		case <-l.parting.C:
			end = c.onParting()
		case <-l.keypad.C:
			end = c.onKeys(ctx)
		case <-l.reopen.C:
			c.converse(ctx)
		case <-l.telling.C:
			c.onTelling(speechGap)
		case <-l.leave.C: // a machine answered, and Twilio did not leave the stream
			end = &verdict{cause: causeVoicemail, phone: phoneHangUp}
		}
		if end != nil && !c.staysOn(end) {
			return *end
		}
	}
}

// setTimers creates the loop's timers. Only limit and quiet run from the beginning.
func (l *timers) setTimers(limit, quiet time.Duration) {
	l.limit, l.quiet = time.NewTimer(limit), time.NewTimer(quiet)
	for _, t := range []**time.Timer{&l.settle, &l.grace, &l.parting, &l.keypad, &l.reopen, &l.telling, &l.leave} {
		*t = time.NewTimer(0)
		(*t).Stop()
	}
}

// survive recovers from a panic in one of a call's goroutines, which ends that call only. It must
// be deferred. If then is not nil, it is called after a panic.
func (c *liveCall) survive(part string, then func()) {
	p := recover()
	if p == nil {
		return
	}
	c.metrics.panics.WithLabelValues(part).Inc()
	_ = survive.Report(c.log, part, p)
	if then != nil {
		then()
	}
}

// giveUp ends the call because of an internal error; the person hears an apology.
func (c *liveCall) giveUp() {
	c.end(verdict{cause: causeInternal, phone: phoneSorry})
}
