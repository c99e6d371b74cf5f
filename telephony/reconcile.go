package telephony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// unplacedAfter is how long a call may be on record without a SID from Twilio: longer than its
	// creation takes with all lookups and retries.
	unplacedAfter = 2 * time.Minute
	// overdue is how long after its hard time limit a call counts as forgotten.
	overdue = 5 * time.Minute
)

// Reconcile settles calls that are live on record though no process carries them, by asking Twilio
// for their status: after a crash, or if a callback was lost. It may run at startup and every
// minute, in several processes at once; it leaves a call that is under way alone.
//
// It continues after a call that could not be settled, and returns all errors joined.
func (s *Service) Reconcile(ctx context.Context) error {
	calls, err := s.dep.Store.LiveCalls(ctx)
	if err != nil {
		return fmt.Errorf("reconcile calls: %w", err)
	}
	var errs []error
	for _, c := range calls {
		if _, here := s.live.get(c.ID); here {
			continue
		}
		if err := s.reconcile(ctx, c); err != nil {
			errs = append(errs, fmt.Errorf("reconcile call %s: %w", c.ID, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

func (s *Service) reconcile(ctx context.Context, c calls.Call) error {
	if c.SID == "" {
		if s.cfg.Now().Sub(c.CreatedAt) < unplacedAfter {
			return nil
		}
		found, err := s.findPlaced(ctx, &c)
		if err != nil {
			return err
		}
		if !found {
			s.orphan(ctx, c, "unplaced")
			return s.finish(ctx, c.ID, endingOf(causeFailed, byNaiber, 0))
		}
	}
	at, err := s.dep.Twilio.GetCall(ctx, twilio.CallSID(c.SID))
	switch {
	case twilio.ClassOf(err) == twilio.ClassNotFound:
		s.orphan(ctx, c, "vanished")
		return s.lost(ctx, c)
	case err != nil:
		return err
	}
	status, answered := calls.CallStatus(at.Status), at.Started
	if answered.IsZero() {
		answered = s.cfg.Now()
	}
	switch {
	case status.Final():
		return s.reconcileFinal(ctx, c, status, answered)
	case status == calls.StatusInProgress:
		return s.reconcileOpen(ctx, c, answered)
	default: // it is still ringing
		return s.withdraw(ctx, c)
	}
}

// findPlaced searches Twilio for a call whose creation did not return a SID, and stores the SID if
// it finds it.
func (s *Service) findPlaced(ctx context.Context, c *calls.Call) (bool, error) {
	// Twilio's clock and ours may differ a little.
	calls, err := s.dep.Twilio.FindCalls(ctx, c.Phone, c.CreatedAt.Add(-time.Minute))
	if err != nil {
		return false, err
	}
	for _, at := range calls {
		if at.From != s.cfg.Number || at.Created.After(c.CreatedAt.Add(unplacedAfter)) {
			continue
		}
		switch _, err := s.dep.Store.CallBySID(ctx, string(at.SID)); {
		case err == nil:
			continue // another call of ours
		case !errors.Is(err, store.ErrNotFound):
			return false, err
		}
		if err := s.dep.Store.SetCallSID(ctx, c.ID, string(at.SID)); err != nil {
			return false, err
		}
		c.SID = string(at.SID)
		s.orphan(ctx, *c, "found")
		return true, nil
	}
	return false, nil
}

// reconcileFinal ends a call whose last callback did not reach us.
func (s *Service) reconcileFinal(ctx context.Context, c calls.Call, status calls.CallStatus, answered time.Time) error {
	if _, _, err := s.foldStatus(ctx, c.ID, status, answered); err != nil {
		return err
	}
	s.orphan(ctx, c, "ended")
	if c.ConversationID != "" {
		return s.settleStatus(ctx, c, status, causeProcessRestart)
	}
	return s.settleStatus(ctx, c, status, causeHungUp)
}

// reconcileOpen hangs up a line that has been open for long without a media stream.
func (s *Service) reconcileOpen(ctx context.Context, c calls.Call, answered time.Time) error {
	if _, _, err := s.foldStatus(ctx, c.ID, calls.StatusInProgress, answered); err != nil {
		return err
	}
	c, err := s.dep.Store.Call(ctx, c.ID)
	if err != nil || !c.Live() {
		return err
	}
	alone, err := s.alone(ctx, c)
	if err != nil || !alone {
		return err
	}
	if c.Connected != nil { // a person who talked with somebody else may be waiting to come back
		switch err := s.takeBack(ctx, c); {
		case err == nil || twilio.ClassOf(err) == twilio.ClassRetryable:
			return err
		case !errors.Is(err, errCarried):
			s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "call is not taken back", slog.Any("err", err))
		}
	}
	s.orphan(ctx, c, "hung_up")
	if err := s.hangUp(ctx, c.SID); err != nil {
		return err
	}
	return s.lost(ctx, c)
}

// alone reports whether an open line has had no media stream for longer than one may take to come
// back. Another process may carry the call; the timeline, which all of them write, shows it.
func (s *Service) alone(ctx context.Context, c calls.Call) (bool, error) {
	since := c.CreatedAt
	if c.AnsweredAt != nil {
		since = *c.AnsweredAt
	}
	now, most := s.cfg.Now(), s.cfg.TimeLimit+twilioLimitSlack+overdue
	if w := c.Connected; w != nil {
		if connected(w, now) {
			return false, nil
		}
		most = max(most, overAt(w).Add(connectAfter+overdue).Sub(since))
	}
	if now.Sub(since) > most {
		return true, nil
	}
	stream := "" // the one that is open
	err := s.eachEvent(ctx, c.ID, func(e calls.Event) {
		var told struct {
			Event  string `json:"event"`
			Stream string `json:"streamSid"`
		}
		_ = json.Unmarshal(e.Data, &told) // a missing field matches no event
		ended := told.Event == "stream-stopped" || told.Event == "stream-error"
		switch {
		case e.Kind == "stream_started":
			stream, since = told.Stream, e.At
		case e.Kind == "reconnecting", e.Kind == "stream_status" && ended && told.Stream == stream:
			stream, since = "", e.At
		}
	})
	if w := c.Connected; w != nil && overAt(w).After(since) {
		since = overAt(w)
	}
	return stream == "" && now.Sub(since) > s.cfg.ReconnectGrace+s.cfg.StreamStartTimeout, err
}

// lost ends a call that was lost while under way.
func (s *Service) lost(ctx context.Context, c calls.Call) error {
	return s.settleStatus(ctx, c, calls.StatusCompleted, causeProcessRestart)
}

func (s *Service) orphan(ctx context.Context, c calls.Call, what string) {
	s.metrics.orphans.WithLabelValues(what).Inc()
	s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "orphaned call is settled", slog.String("reason", what))
}
