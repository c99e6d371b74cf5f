package escalation

import (
	"context"
	"slices"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
)

// Failed continues a ladder after a provider has reported that a sent notice did not
// arrive, or its reader cannot act on it: if all notices of its step have failed, the next
// step that notifies others is taken now.
func (e *Escalation) Failed(ctx context.Context, s alerts.Step) error {
	all, err := e.cfg.Store.StepFailed(ctx, s)
	if err == nil && all {
		err = e.next(ctx, s)
	}
	return err
}

// MayBeTold reports whether the owner of an address may still be notified of an alert: a
// contact who was removed, or barred from such alerts, may not.
func (e *Escalation) MayBeTold(ctx context.Context, a alerts.Alert, channel, address string) (bool, error) {
	_, told, err := e.who(ctx, a)
	return err == nil && e.among(told, channel, address), err
}

// among reports whether an address belongs to someone who may be notified, or to the
// on-call.
func (e *Escalation) among(told []target, channel, address string) bool {
	if duty := e.duty(); duty != nil {
		told = append(told, *duty)
	}
	return slices.ContainsFunc(told, func(t target) bool {
		return slices.Contains(t.channels, channel) && t.address[channel] == address
	})
}

// Tells reports whether anyone would be notified of an alert about a person.
func (e *Escalation) Tells(ctx context.Context, person store.PersonID, kind string, tier alerts.Tier) (bool, error) {
	_, told, err := e.who(ctx, alerts.Alert{PersonID: person, Kind: kind})
	if err != nil {
		return false, err
	}
	duty := e.duty()
	ladder := e.cfg.Ladders[tier]
	return len(ladder) > 0 && duty != nil || slices.ContainsFunc(ladder.steps(told, duty), func(s step) bool {
		return len(reachable(s.targets, func(_ target, channel string) bool { return e.cfg.Channels[channel] != nil })) > 0
	}), nil
}
