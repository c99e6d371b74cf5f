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

// liveCall is a call that this process carries, from its first media stream to
// its ending. One loop decides everything; the sockets' readers only move audio
// and tell the loop what happened. Its methods may be used concurrently.
type liveCall struct {
	common // its log names the call

	id       store.CallID
	resumed  bool     // another process began it
	unwanted *Refusal // the person did not agree to it any more when it was answered
	answered time.Time
	up       *ring
	notes    *transcript
	facts    facts
	talks    sync.WaitGroup

	events  chan event    // what the loop must take before the teller goes on
	signals chan event    // what it may take a little later
	over    chan struct{} // closed when the loop has its verdict: nobody listens any more
	done    chan struct{} // closed when the ending is complete

	loop loopState
}

// event is what the loop is to do about something that happened. It returns how
// the call ends, or nil where it goes on. ctx is that of the conversations.
type event func(ctx context.Context) *verdict

// facts is what is known of a call while it lasts.
type facts struct {
	mu        sync.Mutex // guards what follows
	line      calls.Line
	spoken    int    // how often the person was heard to speak
	endReason string // why the conversation's end_call tool is used, once it is
	denied    bool   // the speaker is not the person after all, and that could not be kept
}

// set changes facts under their lock.
func (f *facts) set(change func(f *facts)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// heard counts that the person was heard to speak.
func (f *facts) heard() { f.set(func(f *facts) { f.spoken++ }) }

// get returns the facts as they stand.
func (f *facts) get() (line calls.Line, spoken int, endReason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.line, f.spoken, f.endReason
}

// loopState belongs to the loop alone.
type loopState struct {
	timers

	stream   *stream       // nil: the line is broken
	conv     *conversation // nil: none runs or opens
	begun    int           // conversations that ran
	reopened int           // conversations begun after another broke
	broken   int           // times that the line broke
	brokenAt time.Time
	keys     string
	bye      *farewell
	machine  bool
	down     bool // the carrier says that the line is
	away     away // with somebody else, see [liveCall.staysOn]
	first    bool // the first word was sent
	// lastWords is when the person last spoke or pressed a key.
	lastWords time.Time
}

// timers are the loop's.
type timers struct {
	limit   *time.Timer // the call has gone on for as long as it may
	quiet   *time.Timer // nothing may have been said for long
	settle  *time.Timer // Twilio was given time to say why the stream stopped
	grace   *time.Timer // a broken line was given time to come back
	parting *time.Timer // a goodbye takes its next step
	keypad  *time.Timer // no more digits came
	reopen  *time.Timer // another conversation is due
	telling *time.Timer // all of the first words may have been sent
	leave   *time.Timer // Twilio was given time to leave a machine to its message
}

// newLiveCall makes the call of line, which [liveCall.run] carries. spoken is how
// often the person was heard in another process.
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

// carrierEnded tells the call that Twilio reports a final status.
func (c *liveCall) carrierEnded(status calls.CallStatus) {
	c.tell(func(context.Context) *verdict { return c.onCarrier(status) })
}

// machineAnswered tells the call that a machine picked up. It reports whether
// the call takes that for true: then it falls silent and ends as voicemail once
// Twilio leaves its stream, which the caller of machineAnswered sees to. A
// conversation that already shows a human is left alone.
func (c *liveCall) machineAnswered() bool {
	_, spoken, _ := c.facts.get()
	return spoken < humanTurns && c.tell(func(context.Context) *verdict { return c.onMachine() }) //nolint:contextcheck // nothing of it is bound to the request
}

// end ends the call at once.
func (c *liveCall) end(v verdict) { c.tell(func(context.Context) *verdict { return &v }) }

// tell hands e to the call's loop, and reports false where that has come to its
// verdict.
func (c *liveCall) tell(e event) bool {
	select {
	case c.events <- e:
		return true
	case <-c.over:
		return false
	}
}

// now is the line as it stands: who is on the call, in which conversation.
func (c *liveCall) now() calls.Line {
	line, _, _ := c.facts.get()
	return line
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
	if left := c.notes.run(ctx); left > 0 {
		c.metrics.lostNotes.Add(float64(left))
		c.log.LogAttrs(ctx, slog.LevelError, "notes lost", slog.Int("count", left))
	}
}

// carry is the loop: whatever makes a call go on or end comes to its select. ctx is that of the conversations.
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
		case <-l.settle.C: // the stream stopped, and no status said otherwise
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
		case <-l.leave.C: // a machine answered, and the stream was not left
			end = &verdict{cause: causeVoicemail, phone: phoneHangUp}
		}
		if end != nil && !c.staysOn(end) {
			return *end
		}
	}
}

// setTimers makes the loop's timers. Only those of the whole call run from the
// beginning.
func (l *timers) setTimers(limit, quiet time.Duration) {
	l.limit, l.quiet = time.NewTimer(limit), time.NewTimer(quiet)
	for _, t := range []**time.Timer{&l.settle, &l.grace, &l.parting, &l.keypad, &l.reopen, &l.telling, &l.leave} {
		*t = time.NewTimer(0)
		(*t).Stop()
	}
}

// survive makes a panic in one of a call's goroutines the end of that call and of
// nothing else. It is deferred; then, where it is not nil, runs after a panic.
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

// giveUp ends the call because something in it is broken: the person hears that
// we are sorry.
func (c *liveCall) giveUp() {
	c.end(verdict{cause: causeInternal, phone: phoneSorry})
}
