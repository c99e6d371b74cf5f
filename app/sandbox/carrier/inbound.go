package carrier

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotAnswered is returned to a caller whose call was not answered.
var ErrNotAnswered = errors.New("the call was not answered")

// Dial calls the account's number from the number from (E.164, or a word such as "anonymous") and
// returns the caller's handset once the call is answered, that is, when the number's VoiceURL has
// answered with TwiML.
//
// If the VoiceURL rejects the call or fails, the error wraps ErrNotAnswered. It may also wrap
// ErrClosed or ctx's error. After an error the call has ended.
func (c *Carrier) Dial(ctx context.Context, from string) (*Handset, error) {
	return c.dial(ctx, from, "")
}

// DialVouched is like [Carrier.Dial], from a telephone whose own network vouches for its number,
// as with full SHAKEN/STIR attestation.
func (c *Carrier) DialVouched(ctx context.Context, from string) (*Handset, error) {
	return c.dial(ctx, from, "TN-Validation-Passed-A")
}

func (c *Carrier) dial(ctx context.Context, from, verstat string) (*Handset, error) {
	if c.cfg.VoiceURL == "" {
		return nil, fmt.Errorf("%w: the number has no voice URL", ErrNotAnswered)
	}
	k := c.newCall(from, c.cfg.Number, "inbound", params{
		source: source{url: c.cfg.VoiceURL}, timeLimit: defaultTimeLimit, callback: c.cfg.StatusCallback, events: []string{"completed"}, verstat: verstat,
	})
	answered := make(chan struct{})
	if !c.life.Go(func(life context.Context) { k.runInbound(life, answered) }) {
		return nil, ErrClosed
	}
	select {
	case <-answered:
		return &Handset{k: k}, nil
	case <-k.over:
		return nil, fmt.Errorf("%w: %s", ErrNotAnswered, k.snapshot().status)
	case <-ctx.Done():
		k.hangUp(errHungUp)
		return nil, fmt.Errorf("call the number: %w", ctx.Err())
	}
}

// runInbound runs a call from outside, to its end. It closes answered when the call is answered.
func (k *call) runInbound(life context.Context, answered chan<- struct{}) {
	go k.notify.run(life)
	k.become(ringing, "", "")
	doc, err := k.load(k.ctx, k.params.source) //nolint:contextcheck // the call has a life of its own
	status := noAnswer
	switch {
	case k.ctx.Err() != nil:
	case err != nil:
		status = failed
	case len(doc.verbs) > 0 && doc.verbs[0].name() == "Reject":
		if doc.verbs[0].attr("reason") == "busy" {
			status = busy
		}
	default:
		close(answered)
		k.converse(k.ctx, source{ready: &doc}) //nolint:contextcheck // as above
		status = completed
	}
	k.finish(k.ctx, status, "") //nolint:contextcheck // as above
}
