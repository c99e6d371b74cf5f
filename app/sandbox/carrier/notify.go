package carrier

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// holdBack is how long an out-of-order callback waits for its successor.
const holdBack = 500 * time.Millisecond

// notifier delivers a call's status callbacks one after the other.
type notifier struct {
	k      *call
	queue  chan url.Values
	done   chan struct{}
	next   int    // the sequence number; used by the call's goroutine alone
	sip    string // the final SIP code; likewise
	target webhook
	events []string
}

func newNotifier(k *call) *notifier {
	n := &notifier{
		k: k, done: make(chan struct{}),
		queue:  make(chan url.Values, 8), // more than a call has events
		target: webhook{url: k.params.callback},
		events: k.params.events,
	}
	return n
}

// start begins to deliver. ctx ends with the carrier, not with the call.
func (n *notifier) start(ctx context.Context) {
	go func() {
		defer close(n.done)
		n.run(ctx)
	}()
}

// send reports event, if it was asked for. It must not be called after wait.
func (n *notifier) send(event, status string) {
	if n.target.url == "" || !slices.Contains(n.events, event) {
		return
	}
	f := n.k.form(status)
	f.Set("SequenceNumber", strconv.Itoa(n.next))
	n.next++
	f.Set("Timestamp", stamp(time.Now()))
	f.Set("CallbackSource", "call-progress-events")
	if event == "completed" {
		if n.sip != "" {
			f.Set("SipResponseCode", n.sip)
		}
		if status == completed {
			seconds := n.k.duration()
			f.Set("CallDuration", strconv.Itoa(seconds))
			f.Set("Duration", strconv.Itoa((seconds+59)/60))
		}
	}
	n.queue <- f
}

// wait returns when everything is delivered or given up.
func (n *notifier) wait() {
	close(n.queue)
	<-n.done
}

func (n *notifier) run(ctx context.Context) {
	for f := range n.queue {
		if n.k.c.cfg.Faults.On(faults.OutOfOrderCallbacks) {
			t := time.NewTimer(holdBack)
			select {
			case later, ok := <-n.queue:
				if ok {
					n.deliver(ctx, later)
				}
			case <-t.C:
			case <-ctx.Done():
			}
			t.Stop()
		}
		n.deliver(ctx, f)
	}
}

func (n *notifier) deliver(ctx context.Context, f url.Values) {
	h := n.target
	h.form, h.id = f, hexID()
	times := 1
	if n.k.c.cfg.Faults.On(faults.DuplicateCallbacks) {
		times = 2
	}
	for range times {
		r, err := n.k.c.deliver(ctx, h)
		if err != nil || r.code >= 400 {
			n.k.c.warn(ctx, 11200, n.k.sid, "status callback failed")
			n.k.log.DebugContext(ctx, "status callback failed", slog.Int("status", r.code), slog.Any("err", err))
		}
	}
}
