package telephony

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// finishTimeout bounds the transaction that ends a call.
	finishTimeout = 10 * time.Second
	// hangUpTimeout bounds hanging up at Twilio, including retries.
	hangUpTimeout = 15 * time.Second
	// humanTurns is how often a voice must have spoken to count as a person, whatever machine
	// detection reports: an answering machine speaks once.
	humanTurns = 2
)

// finish ends a call, once: its ending and the work that follows it are recorded in one
// transaction. A second ending changes nothing and is no error. It ignores ctx's cancellation, to
// be able to clean up after it. If an ending could not be recorded, it is kept, and recorded even
// if the call ends later for another cause.
func (s *Service) finish(ctx context.Context, id store.CallID, end calls.Ending) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if first, pending := s.unrecorded.LoadOrStore(id, end); pending {
		end = first.(calls.Ending) //nolint:errcheck,forcetypeassert // nothing else is kept there
	}
	c, ended, err := s.dep.Store.FinishCall(ctx, id, end, func(tx store.Tx, c calls.Call) error {
		return s.follow(ctx, tx, c)
	})
	if err != nil {
		return err
	}
	s.unrecorded.Delete(id)
	if !ended {
		return nil
	}
	end = *c.Ending // the outcome may depend on who was on the line
	s.metrics.endings.WithLabelValues(end.Cause, end.By).Inc()
	s.log.LogAttrs(ctx, slog.LevelInfo, "call ended",
		slog.String("call_id", id.String()), slog.String("person_id", c.PersonID.String()), slog.String("call_type", string(c.Type)),
		slog.String("outcome", string(end.Outcome)), slog.String("reason", end.Cause), slog.String("by", end.By),
		slog.Int64("elapsed_ms", talked(c).Milliseconds()))
	if s.dep.Ended != nil {
		s.dep.Ended(id)
	}
	return nil
}

// follow writes what belongs in the same transaction as a call's ending: it blanks the words that
// the person has not allowed to be kept, notes the end in the timeline, and schedules the work that
// follows.
func (s *Service) follow(ctx context.Context, tx store.Tx, c calls.Call) error {
	if _, err := s.dep.Store.BlankUnrecorded(ctx, tx, c.ID); err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{
		"outcome": c.Ending.Outcome, "cause": c.Ending.Cause, "by": c.Ending.By, "seconds": talked(c).Seconds(),
	})
	if err != nil {
		return fmt.Errorf("marshal ending: %w", err)
	}
	if _, err := s.dep.Store.AddEventTx(ctx, tx, c.ID, "ended", data, "ended"); err != nil {
		return err
	}
	if s.dep.Finished != nil {
		if err := s.dep.Finished(ctx, tx, c); err != nil {
			return err
		}
	}
	if c.ConversationID == "" {
		return nil // no conversation took place: there is nothing to look back on
	}
	if err := s.dep.PostCall.Schedule(ctx, tx, c); err != nil {
		return err
	}
	_, err = s.dep.Store.AddEventTx(ctx, tx, c.ID, "post_call_scheduled", nil, "post_call_scheduled")
	return err
}

// talked returns how long the line was open.
func talked(c calls.Call) time.Duration {
	if c.AnsweredAt == nil || c.EndedAt == nil || c.EndedAt.Before(*c.AnsweredAt) {
		return 0
	}
	return c.EndedAt.Sub(*c.AnsweredAt)
}

// hangUp ends the telephone call. It returns nil for one that has ended already.
func (s *Service) hangUp(ctx context.Context, sid string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpTimeout)
	defer cancel()
	if err := s.dep.Twilio.HangUp(ctx, twilio.CallSID(sid)); err != nil {
		return fmt.Errorf("hang up: %w", err)
	}
	return nil
}

// settle ends a call that no loop carries here.
func (s *Service) settle(ctx context.Context, id store.CallID, cause string) error {
	n, err := s.timesSpoken(ctx, id)
	if err != nil {
		return err
	}
	return s.finish(ctx, id, endingOf(cause, "", n))
}

// settleStatus ends a call that Twilio reports to be over and that no loop carries here. A goodbye
// in the timeline explains the end of an answered call better than the status does; without one,
// unexplained is the cause.
func (s *Service) settleStatus(ctx context.Context, c calls.Call, status calls.CallStatus, unexplained string) error {
	if status != calls.StatusCompleted {
		return s.settle(ctx, c.ID, statusCause(status))
	}
	n, err := s.timesSpoken(ctx, c.ID)
	if err != nil {
		return err
	}
	cause := unexplained
	if isMachine(c.AnsweredBy) && n < humanTurns {
		return s.finish(ctx, c.ID, endingOf(causeVoicemail, "", n))
	}
	err = s.eachEvent(ctx, c.ID, func(e calls.Event) {
		if e.Kind == "connected" {
			cause = unexplained // the goodbye before it was not carried out
		}
		if e.Kind != "goodbye" {
			return
		}
		var goodbye struct {
			Reason string `json:"reason"`
		}
		_ = json.Unmarshal(e.Data, &goodbye) // a goodbye without a reason still counts
		cause = askedCause(goodbye.Reason)
	})
	if err != nil {
		return err
	}
	return s.finish(ctx, c.ID, endingOf(cause, "", n))
}

// timesSpoken counts how often the person was heard to say something: by the transcript and, for
// words that they have not allowed to be kept, by the timeline, which holds the fact without the
// words. Keys that were pressed count as speech, as in a call that is carried here.
func (s *Service) timesSpoken(ctx context.Context, id store.CallID) (int, error) {
	lines, err := s.dep.Store.Transcript(ctx, id)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, u := range lines {
		if u.Role == calls.RoleUser && spoken(u.Text) {
			n++
		}
	}
	err = s.eachEvent(ctx, id, func(e calls.Event) {
		if e.Kind == "keypad" || e.Kind == "heard" && heardWordless(e.Data) {
			n++
		}
	})
	return n, err
}

// heardWordless reports whether a timeline's "heard" event stands for words of the person that were
// not kept.
func heardWordless(data []byte) bool {
	var heard struct {
		Role calls.Role `json:"role"`
		Text *string    `json:"text"`
	}
	return json.Unmarshal(data, &heard) == nil && heard.Role == calls.RoleUser && heard.Text == nil
}

// eachEvent calls visit for each event of a call's timeline, in order.
func (s *Service) eachEvent(ctx context.Context, id store.CallID, visit func(calls.Event)) error {
	for after := int64(0); ; {
		events, err := s.dep.Store.EventsAfter(ctx, id, after)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			visit(e)
			after = e.ID
		}
	}
}

// isMachine reports whether Twilio detected that no person picked up. machine_start does not count:
// it misfires on people who answer slowly.
func isMachine(answeredBy string) bool {
	a := twilio.AnsweredBy(answeredBy)
	return a.MachineReady() || a == twilio.AnsweredByFax
}

// note adds an event to a call's timeline, once for each non-empty key, and reports whether it was
// new. An error is logged only, and delays nothing.
func (s *Service) note(ctx context.Context, id store.CallID, kind, key string, data map[string]any) bool {
	b := []byte("{}")
	if data != nil {
		var err error
		if b, err = json.Marshal(data); err != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "event does not marshal", slog.String("kind", kind), slog.Any("err", err))
			return false
		}
	}
	added, err := s.dep.Store.AddEvent(ctx, id, kind, b, key)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "event was not kept",
			slog.String("call_id", id.String()), slog.String("kind", kind), slog.Any("err", err))
	}
	return added
}
