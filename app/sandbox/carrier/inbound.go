package carrier

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotAnswered is returned to a caller whose call was not taken.
var ErrNotAnswered = errors.New("the call was not answered")

// Dial calls the account's number from the number from (E.164, or a word such
// as "anonymous") and returns the caller's handset once the call is answered:
// when the number's VoiceURL has said what to do.
//
// The error wraps ErrNotAnswered when it says to reject the call or fails,
// ErrClosed, or ctx's error; the call has ended then.
func (c *Carrier) Dial(ctx context.Context, from string) (*Handset, error) {
	target := c.hook("voice_url")
	if target == "" {
		return nil, fmt.Errorf("%w: the number has no voice URL", ErrNotAnswered)
	}
	p := params{timeLimit: defaultTimeLimit, callback: c.hook("status_callback"), events: []string{"completed"}}
	k := c.newCall(from, c.cfg.Number, "inbound", p)
	answered := make(chan struct{})
	src := source{url: target}
	if !c.spawn(ctx, func(life context.Context) { k.runInbound(life, src, answered) }) {
		return nil, ErrClosed
	}
	select {
	case <-answered:
		return &Handset{k: k}, nil
	case <-k.over:
		return nil, fmt.Errorf("%w: %s", ErrNotAnswered, k.snapshot().status)
	case <-ctx.Done():
		k.stop(errHungUp)
		return nil, fmt.Errorf("call the number: %w", ctx.Err())
	}
}

// runInbound is the life of a call from outside. It closes answered when the
// call is.
func (k *call) runInbound(parent context.Context, src source, answered chan<- struct{}) {
	ctx := k.begin(parent)
	k.notify.start(parent)
	k.become(ringing, "")
	doc, err := k.load(ctx, src)
	status := noAnswer
	switch {
	case ctx.Err() != nil:
	case err == nil && len(doc.verbs) > 0 && doc.verbs[0].name == "Reject":
		if doc.verbs[0].attrs["reason"] == "busy" {
			status = busy
		}
	case err != nil:
		status = failed
	default:
		close(answered)
		k.converse(ctx, source{ready: &doc})
		status = completed
	}
	k.finish(ctx, status, "")
}
