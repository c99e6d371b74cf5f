package telephony

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/twilio"
)

// Revoked cancels the calls that were not answered yet and to which the person no longer agrees,
// whichever process placed them. One that was answered goes on: breaking off in mid-sentence does
// more harm, and the person can end it with a word. One that is answered at the same moment ends as
// soon as its stream begins, see [liveCall.onStream].
//
// It continues after a call that could not be cancelled, and returns all errors joined.
func (s *Service) Revoked(ctx context.Context) error {
	live, err := s.dep.Store.LiveCalls(ctx)
	if err != nil {
		return fmt.Errorf("cancel unwanted calls: %w", err)
	}
	var errs []error
	for _, c := range live {
		errs = append(errs, s.withdraw(ctx, c))
	}
	return errors.Join(errs...)
}

// withdraw cancels a call that was not answered yet if the person no longer agrees to it. A call
// that has no SID yet is checked again when it has one.
func (s *Service) withdraw(ctx context.Context, c calls.Call) error {
	if c.SID == "" || !c.Live() || c.Status.Rank() >= calls.StatusInProgress.Rank() {
		return nil
	}
	no, err := s.unwantedNow(ctx, c)
	if err != nil || no == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpTimeout)
	defer cancel()
	s.note(ctx, c.ID, "revoked", "revoked", map[string]any{"rule": no.Rule}) // before the call's end, which a callback reports
	status, err := s.dep.Twilio.Cancel(ctx, twilio.CallSID(c.SID))
	if err != nil {
		return fmt.Errorf("cancel call %s: %w", c.ID, err)
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "call is cancelled", slog.String("reason", no.Rule))
	if status != twilio.StatusCanceled {
		return nil // a callback reports its end, or it was answered
	}
	_, _, err = s.foldStatus(ctx, c.ID, calls.StatusCanceled, s.cfg.Now())
	return errors.Join(err, s.settleStatus(ctx, c, calls.StatusCanceled, causeCanceled))
}

// unwantedNow returns why the person on an outbound call has not agreed to it, or no longer does;
// nil if they agree.
func (s *Service) unwantedNow(ctx context.Context, c calls.Call) (*Refusal, error) {
	if c.Direction != calls.Outbound || !c.PersonID.Known() {
		return nil, nil //nolint:nilnil // nothing is against it
	}
	p, err := s.dep.Store.Person(ctx, c.PersonID)
	if err != nil {
		return nil, err
	}
	scopes, err := s.dep.Store.ConsentScopes(ctx, c.PersonID)
	if err != nil {
		return nil, err
	}
	return unwanted(p, c.Type, scopes), nil
}

// end returns how an unwanted call ends when it is answered: a person who has opted out hears that
// this is stored; others may not know of the revocation.
func (r *Refusal) end() *verdict {
	if r.Rule == RuleOptedOut {
		return &verdict{cause: causeCanceled, phone: phoneOptedOut}
	}
	return &verdict{cause: causeCanceled, phone: phoneFarewell}
}
