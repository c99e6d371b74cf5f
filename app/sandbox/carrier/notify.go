package carrier

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// holdBack is how long an out-of-order callback waits for its successor.
const holdBack = 500 * time.Millisecond

// A notifier delivers a call's status callbacks one after the other.
type notifier struct {
	k     *call
	queue chan url.Values
	done  chan struct{}
	next  int // the sequence number; used by the call's goroutine alone
}

func newNotifier(k *call) *notifier {
	return &notifier{k: k, done: make(chan struct{}), queue: make(chan url.Values, 8)} // holds more than a call has events
}

// send queues a callback for event, if the client asked for that event. It must not be called
// after wait.
func (n *notifier) send(event, status, sip string) {
	if n.k.params.callback == "" || !slices.Contains(n.k.params.events, event) {
		return
	}
	f := n.k.form(status)
	f.Set("SequenceNumber", strconv.Itoa(n.next))
	n.next++
	f.Set("Timestamp", stamp(time.Now()))
	f.Set("CallbackSource", "call-progress-events")
	if sip != "" {
		f.Set("SipResponseCode", sip)
	}
	if status == completed {
		seconds := n.k.duration()
		f.Set("CallDuration", strconv.Itoa(seconds))
		f.Set("Duration", strconv.Itoa((seconds+59)/60))
	}
	n.queue <- f
}

// wait returns when every callback is delivered or given up.
func (n *notifier) wait() {
	close(n.queue)
	<-n.done
}

// run delivers callbacks until wait is called. ctx ends with the carrier, not with the call.
func (n *notifier) run(ctx context.Context) {
	defer close(n.done)
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
	id := wire.ID("")
	n.k.callback(ctx, n.k.params.callback, id, f)
	if n.k.c.cfg.Faults.On(faults.DuplicateCallbacks) {
		n.k.callback(ctx, n.k.params.callback, id, f)
	}
}
