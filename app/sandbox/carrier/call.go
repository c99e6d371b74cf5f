package carrier

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// Causes of the end of a call.
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

// A call is one call, in either direction. One goroutine runs it; others control it through the
// methods that take its mutex.
type call struct {
	c         *Carrier
	sid       string
	direction string
	params    params
	created   time.Time
	log       *slog.Logger
	line      *line
	notify    *notifier
	greeting  <-chan struct{} // closed at the end of an answering machine's greeting; set before the call is answered, nil for a person
	ctx       context.Context //nolint:containedctx // the call's life, which hangUp ends
	hangUp    context.CancelCauseFunc
	over      chan struct{} // closed when the call has its final status

	mu        sync.Mutex // guards the fields below
	snap      snapshot
	ring      *Ring              // nil until the phone rings
	pending   *source            // set by redirect, until the call follows it
	interrupt context.CancelFunc // ends the current verb
	limit     *time.Timer        // ends the call; nil until it is answered
}

// snapshot is the state of a call that is visible from outside.
type snapshot struct {
	from, to, status         string
	started, answered, ended time.Time
	answeredBy               string
}

func (c *Carrier) newCall(from, to, direction string, p params) *call {
	call := &call{
		c: c, sid: wire.ID("CA"), direction: direction, params: p, created: time.Now(),
		over: make(chan struct{}),
		snap: snapshot{from: from, to: to, status: queued},
	}
	call.ctx, call.hangUp = context.WithCancelCause(c.life.Context())
	call.log = c.cfg.Log.With(slog.String("call_sid", call.sid))
	call.line = newLine(call)
	call.notify = newNotifier(call)
	c.add(call)
	return call
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

// become sets the call's status and reports it as event, if that is not empty, with the SIP code
// of a call that has ended.
func (k *call) become(status, event, sip string) {
	k.mu.Lock()
	now := time.Now()
	k.snap.status = status
	switch status {
	case ringing:
		k.snap.started = now
	case inProgress:
		k.snap.answered = now
	case completed, busy, noAnswer, failed, canceled:
		k.snap.ended = now
	}
	k.mu.Unlock()
	k.notify.send(event, status, sip)
}

// end ends the call as a REST update to status does. It reports whether the call was in a state
// for it.
func (k *call) end(status string) bool {
	if k.final() {
		return false
	}
	if status != canceled {
		k.hangUp(errCompleted)
		return true
	}
	k.mu.Lock()
	ring, answered := k.ring, k.snap.status == inProgress
	k.mu.Unlock()
	if answered || ring != nil && !ring.end(canceled) {
		return false
	}
	k.hangUp(errCanceled)
	return true
}

// extend sets the time limit of a call in progress, in seconds after its answer. It reports
// whether the call is in progress.
func (k *call) extend(seconds int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snap.status != inProgress {
		return false
	}
	k.limit.Reset(time.Until(k.snap.answered.Add(k.c.seconds(float64(seconds)))))
	return true
}

// redirect sends a call in progress to other TwiML. It reports whether the call is in progress.
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

// runOutbound runs a call that was placed by REST, to its end.
func (k *call) runOutbound(life context.Context) {
	go k.notify.run(life)
	status, sip := canceled, ""
	if k.ctx.Err() == nil { // else it was canceled while queued: no callback is sent
		status, sip = k.dial(k.ctx) //nolint:contextcheck // the call has a life of its own
	}
	if status == inProgress {
		k.converse(k.ctx, k.params.source) //nolint:contextcheck // as above
		status = completed
	}
	k.finish(k.ctx, status, sip) //nolint:contextcheck // as above
}

// dial rings the phone until the call's status is known: in progress, or final with a SIP code.
func (k *call) dial(ctx context.Context) (status, sip string) {
	k.notify.send("initiated", "initiated", "")
	ring := newRing(k)
	k.mu.Lock()
	k.ring = ring
	k.mu.Unlock()
	defer close(ring.over)
	k.become(ringing, "ringing", "")
	stop := context.AfterFunc(ctx, func() { ring.end(canceled) })
	defer stop()
	timeout := time.AfterFunc(k.c.seconds(float64(k.params.timeout)), func() { ring.end(noAnswer) })
	defer timeout.Stop()
	if k.c.cfg.Answer != nil {
		k.c.life.Go(func(context.Context) { k.c.cfg.Answer(ctx, ring) })
	}
	switch status = <-ring.decided; status {
	case inProgress:
		return status, "200"
	case busy:
		return status, "486"
	default:
		return status, "487"
	}
}

// converse runs the call from its answer to its end.
func (k *call) converse(ctx context.Context, first source) {
	timer := time.AfterFunc(k.c.seconds(float64(k.params.timeLimit)), func() { k.hangUp(errTimeLimit) })
	defer timer.Stop()
	k.mu.Lock()
	k.limit = timer
	k.mu.Unlock()
	k.become(inProgress, "answered", "")
	lineCtx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { k.line.run(lineCtx) })
	if k.params.machine {
		wg.Go(func() { k.detectMachine(lineCtx) })
	}
	k.execute(ctx, first)
	cancel()
	wg.Wait()
}

// finish sets the call's final status and waits until that is reported.
func (k *call) finish(ctx context.Context, status, sip string) {
	reason := "done"
	if cause := context.Cause(ctx); cause != nil {
		reason = cause.Error()
	}
	event := "completed"
	if k.snapshot().status == queued {
		event = ""
	}
	k.become(status, event, sip)
	k.line.close()
	k.hangUp(errHungUp) // releases the context
	close(k.over)
	k.notify.wait()
	k.log.InfoContext(ctx, "simulated call ended", slog.String("status", status), slog.String("reason", reason))
}

// form returns the fields that every webhook about the call has.
func (k *call) form(status string) url.Values {
	s := k.snapshot()
	f := url.Values{
		"CallSid": {k.sid}, "AccountSid": {k.c.cfg.AccountSID}, "From": {s.from}, "To": {s.to},
		"Caller": {s.from}, "Called": {s.to}, "CallStatus": {status}, "ApiVersion": {"2010-04-01"},
		"Direction": {k.direction},
	}
	if k.params.verstat != "" {
		f.Set("StirVerstat", k.params.verstat)
	}
	for _, end := range []string{"From", "To", "Caller", "Called"} {
		for _, part := range []string{"City", "State", "Zip"} {
			f.Set(end+part, "")
		}
		f.Set(end+"Country", "US")
	}
	return f
}

// duration returns the carrier's seconds since the call was answered, rounded up; 0 for a call
// that was not answered.
func (k *call) duration() int {
	s := k.snapshot()
	if s.answered.IsZero() {
		return 0
	}
	return int((s.ended.Sub(s.answered) + k.c.cfg.Second - 1) / k.c.cfg.Second)
}

// resource returns the call as REST shows it.
func (k *call) resource() map[string]any {
	s := k.snapshot()
	out := map[string]any{
		"sid": k.sid, "account_sid": k.c.cfg.AccountSID, "status": s.status, "direction": k.direction,
		"from": s.from, "to": s.to, "from_formatted": s.from, "to_formatted": s.to,
		"date_created": stamp(k.created), "date_updated": stamp(time.Now()),
		"start_time": nil, "end_time": nil, "duration": nil, "answered_by": nil,
		"queue_time": "0", "price": nil, "price_unit": "USD", "api_version": "2010-04-01",
		"parent_call_sid": nil, "caller_name": "", "forwarded_from": "", "group_sid": nil, "annotation": nil,
		"phone_number_sid": k.c.numberSID, "trunk_sid": nil, "uri": k.c.uri("/Calls/" + k.sid),
	}
	if !s.started.IsZero() {
		out["start_time"] = stamp(s.started)
	}
	if !s.ended.IsZero() {
		out["end_time"], out["duration"] = stamp(s.ended), strconv.Itoa(k.duration())
	}
	if s.answeredBy != "" {
		out["answered_by"] = s.answeredBy
	}
	return out
}
