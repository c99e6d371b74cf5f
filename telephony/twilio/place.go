package twilio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// looks is how often a call of unknown outcome is looked for.
const looks = 3

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
	start := time.Now()
	return once(ctx, c.lookWait, "place call",
		func() (Call, error) { return c.CreateCall(ctx, r) },
		func() (Call, bool, error) { return c.findPlaced(ctx, r, start) })
}

// findPlaced looks for the call that r may have placed at or after start.
func (c *Client) findPlaced(ctx context.Context, r CallRequest, start time.Time) (Call, bool, error) {
	calls, err := c.FindCalls(ctx, r.To, start)
	if err != nil {
		return Call{}, false, err
	}
	i := slices.IndexFunc(calls, func(call Call) bool {
		return call.To == r.To && call.From == r.From && (call.Direction == "" || strings.HasPrefix(call.Direction, "outbound"))
	})
	if i < 0 {
		return Call{}, false, nil
	}
	return calls[i], true, nil
}

// once creates something; where the outcome is unknown it looks for it, and creates it
// once more if it is not there.
func once[T any](ctx context.Context, wait time.Duration, op string, create func() (T, error), find func() (T, bool, error)) (T, error) {
	const tries = 2
	var none T
	var unknown error
	for range tries {
		made, err := create()
		if ClassOf(err) != ClassOutcomeUnknown {
			return made, err
		}
		unknown = err
		made, found, err := look(ctx, wait, find)
		if err != nil {
			return none, &Error{Op: op, Err: errors.Join(unknown, err), Class: ClassOutcomeUnknown}
		}
		if found {
			return made, nil
		}
	}
	return none, unknown
}

// look tries to find something several times, with pauses of wait.
func look[T any](ctx context.Context, wait time.Duration, find func() (T, bool, error)) (made T, found bool, err error) {
	for i := range looks {
		if i > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return made, false, context.Cause(ctx)
			}
		}
		if made, found, err = find(); found || err != nil {
			break
		}
	}
	return made, found, err
}
