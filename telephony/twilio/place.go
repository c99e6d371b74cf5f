package twilio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// looks is the number of lookups after a creation with unknown outcome.
const looks = 3

// PlaceCall places a call, and guarantees that one request rings a phone no more than once. If the
// outcome of a creation is unknown, it looks for the call among the latest ones to that number. It
// returns that call if it finds it, and tries the creation once more if several lookups do not.
//
// Twilio has no idempotency key for calls, so two concurrent PlaceCalls with the same numbers could
// take each other's call for their own. The caller must prevent that.
//
// An error of [ClassOutcomeUnknown] means that the outcome is still unknown; the call must not be
// placed again until its callbacks had time to arrive.
func (c *Client) PlaceCall(ctx context.Context, r CallRequest) (Call, error) {
	start := time.Now()
	return once(ctx, c.lookWait, "place call",
		func() (Call, error) { return c.CreateCall(ctx, r) },
		func() (Call, bool, error) { return c.findPlaced(ctx, r, start) })
}

// findPlaced looks up the call that r may have placed at or after start.
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

// once calls create. If its outcome is unknown, it calls find, and create once more if that finds
// nothing.
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

// look calls find up to looks times, with pauses of wait.
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
