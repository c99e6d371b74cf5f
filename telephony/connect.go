package telephony

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony/twilio"
)

// A person in danger may be put through to the contact who takes care of their alert: both calls
// are redirected to a conference at Twilio, and the person's returns through /twilio/reconnect when
// it is over. None of the conference's audio passes through here.

const (
	// connectWait bounds the query for whether a person was put through.
	connectWait = time.Second
	// connectLook is the interval of that query while they are, how long their line may take to
	// come back by itself, and by how much clocks may differ.
	connectLook = 5 * time.Second
	// connectSettle is how long Twilio may take to leave our stream for a conference.
	connectSettle = 15 * time.Second
	// connectAfter is the least time that a call may go on after it has come back.
	connectAfter = 5 * time.Minute
	// connectBlind is how many queries in a row may fail, and takeBacks how often a call is taken
	// back.
	connectBlind, takeBacks = 12, 3

	// alertsOfCall bounds how many of a person's open alerts are searched for those of a call.
	alertsOfCall = 100

	// paramAfter marks the address at which a call comes back from a conference.
	paramAfter = "after"
)

// errCarried says that another process carries the call.
var errCarried = errors.New("call is carried elsewhere")

// connected reports whether a person talks with somebody else, as far as is known.
func connected(w *calls.Connected, now time.Time) bool { return w != nil && now.Before(overAt(w)) }

// overAt returns the latest time at which the person stops talking with somebody else.
func overAt(w *calls.Connected) time.Time {
	if w.OverAt != nil {
		return *w.OverAt
	}
	return w.At.Add(calls.ConnectedFor + connectSettle)
}

// cameBack reports whether a call has just come back from a conference.
func cameBack(w *calls.Connected, now time.Time) bool {
	return w != nil && w.OverAt != nil && now.Sub(*w.OverAt) < time.Minute
}

// connectable returns the call in which an alert was raised, and reports whether the contact may be
// put through to it: the person is still on the line, the speaker was found to be the person, and
// no other alert of the call must be kept from the contact.
func (s *Service) connectable(ctx context.Context, n noticeCall) (c calls.Call, ok bool, err error) {
	if n.Alert.CallID == (store.CallID{}) || n.Alert.Tier < alerts.Urgent || s.dep.PutThrough == nil {
		return c, false, nil
	}
	if c, err = s.dep.Store.Call(ctx, n.Alert.CallID); err != nil {
		return c, false, err
	}
	if !c.Live() || c.Status.Final() || c.SID == "" || c.ConversationID == "" || c.Withheld() {
		return c, false, nil
	}
	told, err := s.dep.Store.StandingAlerts(ctx, n.Alert.PersonID, alertsOfCall)
	for _, a := range told {
		if a.CallID != c.ID {
			continue
		}
		may, err := s.mayBeTold(ctx, a, alerts.Notice{Channel: n.Channel, Address: n.Address})
		if err != nil || !may || !s.dep.PutThrough(a.Kind) {
			return c, false, err
		}
	}
	return c, err == nil, err
}

// putThrough connects the person with the contact who pressed the key on a call about an alert. If
// Twilio does not report whether it redirected the person's call, it may have: the call is taken
// back if nobody else joins the conference.
func (s *Service) putThrough(ctx context.Context, n noticeCall, sid twilio.CallSID) (string, error) {
	c, ok, err := s.connectable(ctx, n)
	if err != nil {
		return "", err
	}
	if w := c.Connected; ok && connected(w, s.cfg.Now()) && w.Notice != n.NoticeID {
		return s.noticeDetails(ctx, n, n.words.Call.Busy), nil
	}
	err = store.ErrNotFound
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
	room, theirs := c.ID.String(), noticeWords(n.person.Language)
	back := s.cfg.PublicURL + routeReconnect + "?" + url.Values{"call": {room}, paramAfter: {n.NoticeID.String()}}.Encode() + "#" + reconnectTuning
	err = s.dep.Twilio.Redirect(bounded, twilio.CallSID(c.SID),
		twilio.Join(fill(theirs.Call.Through, "who", n.Name), theirs.voice, room, calls.ConnectedFor, false, back))
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "person is perhaps not put through", slog.Any("err", err))
	}
	if err != nil && twilio.ClassOf(err) != twilio.ClassOutcomeUnknown {
		if err := s.dep.Store.Disconnect(bounded, n.NoticeID, s.cfg.Now()); err != nil {
			return "", err
		}
		return s.noticeDetails(ctx, n, n.words.Call.Gone), nil
	}
	s.noteThrough(bounded, c, n)
	go s.extend(context.WithoutCancel(ctx), c, sid) // Twilio waits for the answer
	return twilio.Join(n.words.Call.Connecting, n.words.voice, room, calls.ConnectedFor, true, s.noticeURL(routeNotice, "token", n.token, reconnectTuning)), nil
}

// noteThrough records that n's contact is put through to the person.
func (s *Service) noteThrough(ctx context.Context, c calls.Call, n noticeCall) {
	s.note(ctx, c.ID, "connected", "connected:"+n.NoticeID.String(), map[string]any{"to": n.Name})
	if err := s.dep.Store.PutThrough(ctx, n.Alert.ID, n.Name, s.cfg.Now()); err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelError, "alert does not say who is put through", slog.Any("err", err))
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "person is put through", slog.String("alert_id", n.Alert.ID.String()))
}

// extend raises Twilio's time limit of both calls, which would otherwise end them earlier.
func (s *Service) extend(ctx context.Context, c calls.Call, notice twilio.CallSID) {
	ctx, cancel := context.WithTimeout(ctx, hangUpTimeout)
	defer cancel()
	answered := cmp.Or(c.AnsweredAt, &c.CreatedAt)
	person := max(s.cfg.TimeLimit+twilioLimitSlack, s.cfg.Now().Sub(*answered)+calls.ConnectedFor+2*connectAfter)
	err := survive.Try(s.log, "extend", func() error {
		return errors.Join(s.dep.Twilio.Extend(ctx, twilio.CallSID(c.SID), person), s.dep.Twilio.Extend(ctx, notice, noticeTimeLimit+calls.ConnectedFor+noticeTimeLimit))
	})
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "a call keeps its time limit", slog.Any("err", err))
	}
}

// takeBack fetches a person's call out of a conference that nobody else is in any more. It returns
// [errCarried] if the call has come back by itself.
func (s *Service) takeBack(ctx context.Context, c calls.Call) error {
	carried := false
	err := s.eachEvent(ctx, c.ID, func(e calls.Event) {
		carried = carried || e.Kind == "stream_started" && c.Connected != nil && e.At.After(c.Connected.At)
	})
	if err != nil {
		return err
	}
	if carried {
		return errCarried
	}
	token := rand.Text()
	if _, err := s.dep.Store.ComeBack(ctx, c.ID, token, s.cfg.Now()); err != nil {
		return err
	}
	return s.dep.Twilio.Redirect(ctx, twilio.CallSID(c.SID), s.connectTwiML(c.ID, token))
}

// away holds what the loop knows of a person who talks, or has talked, with somebody else.
type away struct {
	since   time.Time // when the last stream began
	gone    bool      // they talk with somebody else, and no stream of ours is left
	blind   int       // queries in a row that failed
	fetched int       // how often their call was taken back
}

// staysOn reports whether the call goes on although the loop has a verdict: the person talks with
// somebody else, and we must not hang up on them.
func (c *liveCall) staysOn(v *verdict) bool {
	l := &c.loop
	if l.down || v.final {
		return false
	}
	if v.cause == causeShutdown && l.away.gone {
		*v = verdict{cause: causeAborted} // the next process takes the line back
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectWait)
	defer cancel()
	now, err := c.do.call(ctx, c.id)
	if err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "it is not known whether the person was put through", slog.Any("err", err))
		l.away.blind++
		l.grace.Reset(connectLook)
		return l.stream == nil && l.away.blind <= connectBlind
	}
	l.away.blind = 0
	w := now.Connected
	switch {
	case !now.Live() || w == nil || w.At.Before(l.away.since.Add(-connectLook)):
		return false // they were not put through, or have come back since
	case l.stream != nil && time.Since(w.At) > connectSettle:
		return false // Twilio has not left our stream
	case l.stream != nil:
		l.grace.Reset(connectLook)
		return true
	}
	l.away.gone, l.bye = true, nil
	l.parting.Stop()
	switch {
	case connected(w, time.Now()), time.Since(overAt(w)) < connectLook: // or on the way back
		l.grace.Reset(connectLook)
	case l.away.fetched < takeBacks:
		l.away.fetched++
		l.grace.Reset(c.cfg.ReconnectGrace)
		c.talks.Go(func() { c.fetch(now) })
	default:
		return false
	}
	return true
}

// fetch takes the call back, and posts the result to the loop if that fails.
func (c *liveCall) fetch(now calls.Call) {
	defer c.survive("take back", nil)
	ctx, cancel := context.WithTimeout(context.Background(), hangUpTimeout)
	defer cancel()
	err := c.do.takeBack(ctx, now)
	if err == nil {
		return
	}
	c.log.LogAttrs(ctx, slog.LevelWarn, "call is not taken back", slog.Any("err", err))
	c.later(func(context.Context) *verdict {
		l := &c.loop
		switch class := twilio.ClassOf(err); {
		case l.stream != nil:
		case errors.Is(err, errCarried):
			return &verdict{cause: causeAborted, final: true}
		case errors.Is(err, store.ErrNotFound), class == twilio.ClassNotInProgress, class == twilio.ClassNotFound:
			return &verdict{cause: causeHungUp, final: true}
		default:
			l.grace.Reset(connectLook)
		}
		return nil
	})
}

// back resumes the loop's part in a call that has come back from a conference.
func (c *liveCall) back() {
	l := &c.loop
	l.away, l.bye = away{}, nil
	l.parting.Stop()
	l.limit.Reset(c.timeLeft())
	l.quiet.Reset(c.cfg.SilenceHangUp)
}

// timeLeft returns for how long the call may still go on. A call that has come back from a
// conference gets at least connectAfter from then, or connectLook if that is over.
func (c *liveCall) timeLeft() time.Duration {
	left := max(c.timeLimit()-time.Since(c.answered), 0)
	if w := c.now().Call.Connected; w != nil {
		left = max(left, connectAfter-max(time.Since(overAt(w)), 0), connectLook)
	}
	return left
}
