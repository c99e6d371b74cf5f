package twilio

import (
	"context"
	"errors"
	"strings"
	"time"
)

const (
	// looks is how often a call of unknown outcome is looked for.
	looks = 3
	// lookLimit is how many of the latest calls to the number are looked at.
	lookLimit = 20
	// clockGrain is the resolution of both clocks that are compared.
	clockGrain = 2 * time.Second
)

// PlaceCall places a call and makes sure that one request rings a phone no more
// than once. When a creation ends with its outcome unknown, it looks for the
// call among the latest ones to that number: if it is there, that call is
// returned; if it is not, after several looks, the creation is tried once more.
//
// Twilio has no idempotency key for calls, so two calls of PlaceCall with the
// same numbers at the same time could take each other's call for their own. The
// caller keeps that from happening.
//
// An error of [ClassOutcomeUnknown] means that even now
// nobody knows; the call must not be placed again until its callbacks had time
// to arrive.
func (c *Client) PlaceCall(ctx context.Context, r CallRequest) (Call, error) {
	const tries = 2
	var unknown error
	start := time.Now()
	for range tries {
		call, err := c.CreateCall(ctx, r)
		if ClassOf(err) != ClassOutcomeUnknown {
			return call, err
		}
		unknown = err
		call, found, err := c.look(ctx, r, start)
		if err != nil {
			return Call{}, unsettled(unknown, err)
		}
		if found {
			return call, nil
		}
	}
	return Call{}, unknown
}

// unsettled is a creation of unknown outcome that could not be looked into.
func unsettled(unknown, lookErr error) *Error {
	return &Error{Op: "place call", Err: errors.Join(unknown, lookErr), Class: ClassOutcomeUnknown}
}

// look searches for the call that r may have placed at or after start.
func (c *Client) look(ctx context.Context, r CallRequest, start time.Time) (Call, bool, error) {
	for i := range looks {
		if i > 0 {
			if err := wait(ctx, c.lookWait); err != nil {
				return Call{}, false, err
			}
		}
		calls, serverNow, err := c.findCalls(ctx, r.To, lookLimit)
		if err != nil {
			return Call{}, false, err
		}
		since := serverTime(start, serverNow).Add(-clockGrain)
		for _, call := range calls {
			if call.To == r.To && call.From == r.From && call.outbound() && !call.Created.Before(since) {
				return call, true, nil
			}
		}
	}
	return Call{}, false, nil
}

// serverTime translates a moment of our clock into the server's, which the
// creation times are told in, given what the server's clock shows now.
func serverTime(ours, serverNow time.Time) time.Time {
	if serverNow.IsZero() {
		return ours
	}
	return serverNow.Add(-time.Since(ours))
}

func (c Call) outbound() bool { return c.Direction == "" || strings.HasPrefix(c.Direction, "outbound") }

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
