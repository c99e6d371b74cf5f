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
	// callBackReason is why a call back is made, as the model is told.
	callBackReason = "You had to break off the last call, because something was wrong on your side, and promised to call back."
	// callBackPause is how long it waits while the person is on another call, and
	// callBackRest after a call back that had to be given up as well.
	callBackPause = 5 * time.Minute
	callBackRest  = time.Hour
	// ringBackPause is how long it waits while somebody is on the telephone whose caller is
	// to be rung back, and ringBackFor how long after their call that is still done.
	ringBackPause = 15 * time.Second
	ringBackFor   = 15 * time.Minute
)

// callBack places the call that was promised when c was given up, through the gate
// as any other. Where it is only not the time, it says in what time it is. A call
// placed since then, by any process, has kept the promise, unless it failed.
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
	case refused && no.Rule == telephony.RuleLiveCall: // on their telephone, with somebody else
		return callBackPause, nil
	case refused:
		a.log.WarnContext(ctx, "person is not called back", "call_id", c.ID, "person_id", c.PersonID, "reason", no.Rule)
		return 0, nil
	case errors.Is(err, telephony.ErrCarrierUnclear), errors.Is(err, telephony.ErrUnknownPerson):
		return 0, nil // it is on record and settles by itself; or there is nobody to call
	}
	return 0, err
}

// ringBack rings the person whose number somebody phoned from in c without showing who they
// were. Where their line is not free, it says in what time it is tried again.
func (a *App) ringBack(ctx context.Context, c calls.Call) (again time.Duration, err error) {
	if c.EndedAt == nil || time.Since(*c.EndedAt) > ringBackFor {
		return 0, nil
	}
	_, err = a.calls.RingBack(ctx, c)
	no, refused := errors.AsType[*telephony.Refusal](err)
	switch {
	case refused && no.Rule == telephony.RuleLiveCall: // they phone again, or are phoned
		return ringBackPause, nil
	case refused:
		a.log.InfoContext(ctx, "caller is not rung back", "call_id", c.ID, "person_id", c.BelievedID, "reason", no.Rule)
		return 0, nil
	case errors.Is(err, telephony.ErrCarrierUnclear), errors.Is(err, store.ErrNotFound):
		return 0, nil // it settles by itself; or there is nobody to ring
	}
	return 0, err
}
