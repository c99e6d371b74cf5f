package app

import (
	"context"
	"errors"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony"
)

const (
	// callBackReason is the reason of a call back, as the model is told it.
	callBackReason = "You had to break off the last call, because something was wrong on your side, and promised to call back."
	// callBackPause is the wait while the person is on another call, and callBackRest the wait
	// after a call back that had to be given up as well.
	callBackPause = 5 * time.Minute
	callBackRest  = time.Hour
	// ringBackPause is the wait while the line of a person who must be rung back is busy, and
	// ringBackFor how long after their call a ring back is still made.
	ringBackPause = 15 * time.Second
	ringBackFor   = 15 * time.Minute
)

// callBack places the call that was promised when c was given up, through the gate like any
// other. If it is only too early, it returns how long to wait. A call placed since then, by any
// process, has kept the promise unless it failed.
func (a *App) callBack(ctx context.Context, c calls.Call) (again time.Duration, err error) {
	if c.BelievedID.Known() {
		return a.ringBack(ctx, c)
	}
	if c.Reason == callBackReason && c.EndedAt != nil && time.Since(*c.EndedAt) < callBackRest {
		return time.Until(c.EndedAt.Add(callBackRest)), nil
	}
	since, err := a.store.Calls(ctx, calls.CallFilter{PersonID: c.PersonID, Limit: lastCalls})
	if err != nil {
		return 0, err
	}
	for _, later := range since {
		if later.ID != c.ID && later.CreatedAt.After(c.CreatedAt) && (later.Live() || later.Ending.Outcome != calls.OutcomeFailed) {
			return 0, nil
		}
	}
	_, err = a.calls.Place(ctx, telephony.PlaceRequest{PersonID: c.PersonID, Type: c.Type, Reason: callBackReason, Safety: c.Danger != nil, Wanted: c.Danger != nil, By: "call_back"})
	no, refused := errors.AsType[*telephony.Refusal](err)
	switch {
	case refused && no.Until != nil:
		return max(time.Until(*no.Until), time.Second), nil
	case refused && no.Rule == telephony.RuleLiveCall: // the person is on another call
		return callBackPause, nil
	case refused:
		a.log.WarnContext(ctx, "person is not called back", "call_id", c.ID, "person_id", c.PersonID, "reason", no.Rule)
		return 0, nil
	case errors.Is(err, telephony.ErrCarrierUnclear), errors.Is(err, telephony.ErrUnknownPerson):
		return 0, nil // the call is on record and settles by itself, or the person is gone
	}
	return 0, err
}

// ringBack calls the person from whose number c came if the caller did not show who they were. If
// the line is busy, it returns how long to wait.
func (a *App) ringBack(ctx context.Context, c calls.Call) (again time.Duration, err error) {
	if c.EndedAt == nil || time.Since(*c.EndedAt) > ringBackFor {
		return 0, nil
	}
	_, err = a.calls.RingBack(ctx, c)
	no, refused := errors.AsType[*telephony.Refusal](err)
	switch {
	case refused && no.Rule == telephony.RuleLiveCall: // they are calling again or being called
		return ringBackPause, nil
	case refused:
		a.log.InfoContext(ctx, "caller is not rung back", "call_id", c.ID, "person_id", c.BelievedID, "reason", no.Rule)
		return 0, nil
	case errors.Is(err, telephony.ErrCarrierUnclear), errors.Is(err, store.ErrNotFound):
		return 0, nil // the call settles by itself, or the person is gone
	}
	return 0, err
}
