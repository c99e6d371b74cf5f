package carrier

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Why a call ended.
var (
	errHungUp    = errors.New("hung up")
	errCompleted = errors.New("ended by REST")
	errCanceled  = errors.New("canceled by REST")
	errTimeLimit = errors.New("time limit")
)

// The statuses of a call.
const (
	queued     = "queued"
	ringing    = "ringing"
	inProgress = "in-progress"
	completed  = "completed"
	busy       = "busy"
	noAnswer   = "no-answer"
	failed     = "failed"
	canceled   = "canceled"
)

// call is one call, in either direction. One goroutine runs it; others steer it
// through the methods that take its mutex.
type call struct {
	c         *Carrier
	sid       string
	direction string
	params    params
	created   time.Time
	log       *slog.Logger
	line      *line
	notify    *notifier
	hangUp    context.CancelCauseFunc // ends the call; set by begin before anyone else knows it
	over      chan struct{}           // closed when the call has its final status

	mu        sync.Mutex // guards what follows
	snap      snapshot
	pending   *source            // where a redirect wants the call to go
	interrupt context.CancelFunc // ends the verb that runs
	cause     error              // an ending asked for before the call began
}

// snapshot is what can be seen of a call from outside.
type snapshot struct {
	from, to, status  string
	started, answered time.Time
	ended             time.Time
	answeredBy        string
}

func (c *Carrier) newCall(from, to, direction string, p params) *call {
	call := &call{
		c: c, sid: "CA" + hexID(), direction: direction, params: p, created: time.Now(),
		over: make(chan struct{}),
		snap: snapshot{from: from, to: to, status: queued},
	}
	call.log = c.log.With(slog.String("call_sid", call.sid))
	call.line = newLine(call)
	call.notify = newNotifier(call)
	c.add(call)
	return call
}

// begin makes the call steerable. The context it returns ends with the call.
func (k *call) begin(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hangUp = cancel
	if k.cause != nil {
		cancel(k.cause)
	}
	return ctx
}

func (k *call) snapshot() snapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.snap
}

func (k *call) final() bool {
	select {
	case <-k.over:
		return true
	default:
		return false
	}
}

// become moves the call on to status and reports it as event, if it is one.
func (k *call) become(status, event string) {
	k.mu.Lock()
	now := time.Now()
	k.snap.status = status
	switch status {
	case ringing:
		if k.snap.started.IsZero() {
			k.snap.started = now
		}
	case inProgress:
		k.snap.answered = now
	case completed, busy, noAnswer, failed, canceled:
		k.snap.ended = now
	}
	k.mu.Unlock()
	if event != "" {
		k.notify.send(event, status)
	}
}

// stop ends the call because of cause, whether it runs already or not.
func (k *call) stop(cause error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hangUp == nil {
		k.cause = cause
		return
	}
	k.hangUp(cause)
}

// end is the REST update of a status. It reports false when the call is not in
// a state for it.
func (k *call) end(status string) bool {
	s := k.snapshot().status
	if k.final() || status == canceled && s != queued && s != ringing {
		return false
	}
	if status == canceled {
		k.stop(errCanceled)
	} else {
		k.stop(errCompleted)
	}
	return true
}

// redirect sends a call in progress to other TwiML.
func (k *call) redirect(to source) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snap.status != inProgress {
		return false
	}
	k.pending = &to
	if k.interrupt != nil {
		k.interrupt()
	}
	return true
}

// runOutbound is the life of a call that REST placed.
func (k *call) runOutbound(parent context.Context) {
	ctx := k.begin(parent)
	k.notify.start(parent)
	status, sip := k.dial(ctx)
	if status == inProgress {
		k.converse(ctx, source{
			twiml: k.params.twiml, url: k.params.url,
		})
		status = completed
	}
	k.finish(ctx, status, sip)
}

// dial lets the phone ring until its status is known: in progress, or final
// together with a SIP code.
func (k *call) dial(ctx context.Context) (status, sip string) {
	if ctx.Err() != nil {
		return canceled, "" // while queued: no callback fires
	}
	k.mu.Lock()
	k.snap.started = time.Now()
	k.mu.Unlock()
	k.notify.send("initiated", "initiated")
	k.become(ringing, "ringing")
	ring := newRing(k)
	defer ring.end()
	k.c.mu.Lock()
	answerer := k.c.answer
	k.c.mu.Unlock()
	if answerer != nil {
		k.c.spawn(ctx, func(life context.Context) {
			life, cancel := context.WithCancel(life)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			answerer(life, ring)
		})
	}
	timeout := time.NewTimer(k.c.seconds(float64(k.params.timeout)))
	defer timeout.Stop()
	select {
	case d := <-ring.decided:
		if d == decideReject {
			return busy, "486"
		}
		return inProgress, "200"
	case <-timeout.C:
		return noAnswer, "487"
	case <-ctx.Done():
		return canceled, "487"
	}
}

// converse is the call from its answer to its end.
func (k *call) converse(ctx context.Context, first source) {
	timer := time.AfterFunc(k.c.seconds(float64(k.params.timeLimit)), func() { k.stop(errTimeLimit) })
	defer timer.Stop()
	k.become(inProgress, "answered")
	lineDone := make(chan struct{})
	lineCtx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(lineDone)
		k.line.run(lineCtx)
	}()
	defer func() {
		cancel()
		<-lineDone
	}()
	if k.detectMachine(ctx) {
		k.execute(ctx, first)
	}
}

// finish gives the call its final status and waits until that is reported.
func (k *call) finish(ctx context.Context, status, sip string) {
	reason := "done"
	if cause := context.Cause(ctx); cause != nil {
		reason = cause.Error()
	}
	wasQueued := k.snapshot().status == queued
	k.notify.sip = sip
	event := "completed"
	if wasQueued {
		event = ""
	}
	k.become(status, event)
	k.line.close()
	k.stop(errHungUp) // releases the context
	close(k.over)
	k.notify.wait()
	k.log.InfoContext(ctx, "simulated call ended", slog.String("status", status), slog.String("reason", reason))
}

// form is what every webhook about the call says.
func (k *call) form(status string) url.Values {
	s := k.snapshot()
	f := url.Values{
		"CallSid": {k.sid}, "AccountSid": {k.c.cfg.AccountSID}, "From": {s.from}, "To": {s.to},
		"Caller": {s.from}, "Called": {s.to}, "CallStatus": {status}, "ApiVersion": {"2010-04-01"},
		"Direction": {k.direction},
	}
	for _, end := range []string{"From", "To", "Caller", "Called"} {
		f.Set(end+"City", "")
		f.Set(end+"State", "")
		f.Set(end+"Zip", "")
		f.Set(end+"Country", "US")
	}
	return f
}

// duration is how many seconds the call lasted since its answer, rounded up.
func (k *call) duration() int {
	s := k.snapshot()
	if s.answered.IsZero() {
		return 0
	}
	end := s.ended
	if end.IsZero() {
		end = time.Now()
	}
	return int((end.Sub(s.answered) + k.c.cfg.Second - 1) / k.c.cfg.Second)
}

// resource is the call as REST shows it.
func (k *call) resource() map[string]any {
	s := k.snapshot()
	out := map[string]any{
		"sid": k.sid, "account_sid": k.c.cfg.AccountSID, "status": s.status, "direction": k.direction,
		"from": s.from, "to": s.to, "from_formatted": s.from, "to_formatted": s.to,
		"date_created": stamp(k.created), "date_updated": stamp(time.Now()),
		"start_time": nil, "end_time": nil, "duration": nil, "answered_by": nil,
		"queue_time": "0", "price": nil, "price_unit": "USD", "api_version": "2010-04-01",
		"parent_call_sid": nil, "caller_name": "", "forwarded_from": "", "group_sid": nil, "annotation": nil,
		"phone_number_sid": k.c.number.sid, "trunk_sid": nil,
		"uri": "/2010-04-01/Accounts/" + k.c.cfg.AccountSID + "/Calls/" + k.sid + ".json",
	}
	if !s.started.IsZero() {
		out["start_time"] = stamp(s.started)
	}
	if !s.ended.IsZero() {
		out["end_time"] = stamp(s.ended)
		out["duration"] = strconv.Itoa(k.duration())
	}
	if s.answeredBy != "" {
		out["answered_by"] = s.answeredBy
	}
	return out
}

// absolute resolves ref against base. An empty base is the TwiML of a request,
// in which references must be absolute.
func absolute(base, ref string) (string, bool) {
	ref = strings.TrimSpace(ref)
	if webURL(ref) {
		return ref, true
	}
	b, err := url.Parse(base)
	if base == "" || err != nil {
		return "", false
	}
	u, err := b.Parse(ref)
	if err != nil {
		return "", false
	}
	return u.String(), true
}
