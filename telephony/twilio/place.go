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
			return Call{}, &Error{Op: "place call", Err: errors.Join(unknown, err), Class: ClassOutcomeUnknown}
		}
		if found {
			return call, nil
		}
	}
	return Call{}, unknown
}

// look searches for the call that r may have placed at or after start.
func (c *Client) look(ctx context.Context, r CallRequest, start time.Time) (Call, bool, error) {
	for i := range looks {
		if i > 0 {
			select {
			case <-time.After(c.lookWait):
			case <-ctx.Done():
				return Call{}, false, context.Cause(ctx)
			}
		}
		calls, err := c.FindCalls(ctx, r.To, start)
		if err != nil {
			return Call{}, false, err
		}
		i := slices.IndexFunc(calls, func(call Call) bool {
			return call.To == r.To && call.From == r.From && (call.Direction == "" || strings.HasPrefix(call.Direction, "outbound"))
		})
		if i >= 0 {
			return calls[i], true, nil
		}
	}
	return Call{}, false, nil
}
