package telephony

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/twilio"
)

// A person in danger may be put through to who takes care of their alert: both calls leave
// what they do for a conference at Twilio, and the person's comes back by /twilio/reconnect
// when it is over. Nothing of what is said there passes through here.

const (
	// connectWait bounds asking whether a person was put through.
	connectWait = time.Second
	// connectLook is how often that is asked while they are, and how long their line may take
	// to come back by itself.
	connectLook = 5 * time.Second
	// connectSettle is how long Twilio may take to leave our stream for a conference.
	connectSettle = 15 * time.Second
	// connectAfter is for how long a call may go on at least that has come back.
	connectAfter = 5 * time.Minute
)

// connected reports whether a person talks with somebody else, as far as is known.
func connected(w *calls.Connected, now time.Time) bool {
	return w != nil && w.OverAt == nil && now.Sub(w.At) < calls.ConnectedFor+connectSettle
}

// cameBack reports whether a call has just come back from a conference.
func cameBack(w *calls.Connected, now time.Time) bool {
	return w != nil && w.OverAt != nil && now.Sub(*w.OverAt) < time.Minute
}

// connectable returns the call in which an alert was raised, where the person is still on
// the line and may be put through.
func (s *Service) connectable(ctx context.Context, a alerts.Alert) (calls.Call, bool) {
	if a.CallID == (store.CallID{}) || s.dep.PutThrough == nil || !s.dep.PutThrough(a) {
		return calls.Call{}, false
	}
	c, err := s.dep.Store.Call(ctx, a.CallID)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "it is not known whether the person is on the line",
			slog.String("alert_id", a.ID.String()), slog.Any("err", err))
		return c, false
	}
	return c, c.Live() && !c.Status.Final() && c.SID != "" && c.ConversationID != ""
}

// putThrough connects who pressed the key on a call about an alert with the person.
func (s *Service) putThrough(ctx context.Context, n noticeCall, sid twilio.CallSID) (string, error) {
	c, ok := s.connectable(ctx, n.Alert)
	err := error(store.ErrNotFound)
	if ok {
		err = s.dep.Store.Connect(ctx, c.ID, n.NoticeID, s.cfg.Now())
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.noticeDetails(ctx, n, n.words.Call.Gone), nil
	case err != nil:
		return "", err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpTimeout)
	defer cancel()
	room := c.ID.String()
	theirs := noticeWords(n.person.Language)
	err = s.dep.Twilio.Redirect(bounded, twilio.CallSID(c.SID), twilio.Join(fill(theirs.Call.Through, "who", n.Name), theirs.voice, room,
		calls.ConnectedFor, s.hook(routeReconnect, c.ID, reconnectTuning)))
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "person is not put through", slog.Any("err", err))
		if err := s.dep.Store.Disconnect(bounded, n.NoticeID, s.cfg.Now()); err != nil {
			return "", err
		}
		return s.noticeDetails(ctx, n, n.words.Call.Gone), nil
	}
	s.note(ctx, c.ID, "connected", "connected:"+n.NoticeID.String(), map[string]any{"to": n.Name})
	if err := s.dep.Store.PutThrough(bounded, n.Alert.ID, n.Name, s.cfg.Now()); err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelError, "alert does not say who is put through", slog.Any("err", err))
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "person is put through", slog.String("alert_id", n.Alert.ID.String()))
	answered := cmp.Or(c.AnsweredAt, &c.CreatedAt)
	s.extend(bounded, twilio.CallSID(c.SID), s.cfg.Now().Sub(*answered)+calls.ConnectedFor+2*connectAfter)
	s.extend(bounded, sid, noticeTimeLimit+calls.ConnectedFor)
	return twilio.Join(n.words.Call.Connecting, n.words.voice, room, calls.ConnectedFor, ""), nil
}

// extend gives a call more time; without it Twilio ends it earlier.
func (s *Service) extend(ctx context.Context, sid twilio.CallSID, limit time.Duration) {
	if err := s.dep.Twilio.Extend(ctx, sid, max(limit, s.cfg.TimeLimit+twilioLimitSlack)); err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "call keeps its time limit", slog.Any("err", err))
	}
}

// takeBack fetches a person's call out of a conference that nobody else is in any more.
func (s *Service) takeBack(ctx context.Context, c calls.Call) error {
	token := newToken()
	if _, err := s.dep.Store.Reconnect(ctx, c.ID, token); err != nil {
		return err
	}
	return s.dep.Twilio.Redirect(ctx, twilio.CallSID(c.SID), s.connectTwiML(c.ID, token))
}

// staysOn reports whether the call goes on though the loop has come to a verdict: the
// person talks with somebody else, and nothing of ours may hang up on them.
//
//nolint:contextcheck // what a person is connected to does not end with the conversations
func (c *liveCall) staysOn(v *verdict) bool {
	l := &c.loop
	if l.down || v.final {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectWait)
	defer cancel()
	now, err := c.do.call(ctx, c.id)
	w := now.Connected
	switch {
	case err != nil:
		c.log.LogAttrs(ctx, slog.LevelWarn, "it is not known whether the person was put through", slog.Any("err", err))
		l.grace.Reset(connectLook)
		return l.away
	case connected(w, time.Now()) && (l.stream == nil || time.Since(w.At) < connectSettle):
		if v.cause == causeShutdown { // the next process takes the line back
			*v = verdict{cause: causeAborted}
			return false
		}
		l.away = true
		l.grace.Reset(connectLook)
		return true
	case l.away && l.stream == nil && !l.fetched && now.Live():
		if w != nil && w.OverAt != nil && time.Since(*w.OverAt) < connectLook {
			l.grace.Reset(connectLook)
			return true
		}
		l.fetched = true
		if err := c.do.takeBack(ctx, now); err != nil {
			c.log.LogAttrs(ctx, slog.LevelWarn, "call is not taken back", slog.Any("err", err))
		}
		l.grace.Reset(c.cfg.ReconnectGrace)
		return true
	}
	return false
}

// back takes a call up again that has come back from a conference.
func (c *liveCall) back() {
	l := &c.loop
	l.away, l.fetched, l.bye = false, false, nil
	l.parting.Stop()
	l.limit.Reset(max(c.timeLimit()-time.Since(c.answered), connectAfter))
	l.quiet.Reset(c.cfg.SilenceHangUp)
}
