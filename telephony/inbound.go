package telephony

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// withheld is stored in place of a caller's number that is not shown.
const withheld = "anonymous"

const (
	// strangers is the lock under which unknown callers are counted.
	strangers = "strangers"
	// inboundTypeTimeout bounds [Deps.InboundType], during which the caller hears ringing.
	inboundTypeTimeout = 2 * time.Second
)

// answerInbound answers an incoming call. It assumes nothing about the caller, and uses no personal
// data, even if their number matches: see [InboundCheck]. There is no gate: a person who does not
// want to be phoned may still phone.
func (s *Service) answerInbound(ctx context.Context, h hookCall) (string, error) {
	if twiml, known, err := s.answerAgain(ctx, h); known || err != nil {
		return twiml, err
	}
	p, phone, err := s.caller(ctx, h.From)
	if err != nil {
		return "", err
	}
	if s.asksPIN(ctx, p, h) {
		return s.askPIN(p, 1), nil
	}
	return s.takeIn(ctx, h, p, phone, "")
}

// takeIn begins a call from the number phone, which belongs to p if it is one person's; how is how
// the caller was found to be p, or empty.
func (s *Service) takeIn(ctx context.Context, h hookCall, p people.Person, phone string, how calls.Verified) (string, error) {
	if !p.ID.Known() {
		unlock, err := s.dialing.lock(ctx, strangers)
		if err != nil {
			return "", err
		}
		defer unlock()
		switch full, err := s.full(ctx); {
		case err != nil:
			return "", err
		case full:
			return s.turnAway(ctx, h, "unknown_live_cap", prompts.Full, "")
		}
	}
	token := rand.Text()
	n := calls.NewCall{
		BelievedID: p.ID, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: phone,
		SID: string(h.CallSID), StreamToken: token,
	}
	if how != "" {
		n.PersonID, n.BelievedID, n.Verified, n.Type = p.ID, store.PersonID{}, how, s.InboundType(ctx, p)
	}
	c, err := s.dep.Store.CreateCall(ctx, n)
	if errors.Is(err, store.ErrConflict) {
		return s.turnAway(ctx, h, "on_another_call", prompts.Busy, p.Language)
	}
	if err != nil {
		return "", err
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "call came in")
	s.note(ctx, c.ID, "queued", "queued", map[string]any{"by": "caller", "reason": ""})
	// The TwiML below answers the call.
	if err := s.fold(ctx, c, calls.StatusInProgress, h); err != nil {
		return "", err
	}
	return s.connectTwiML(c.ID, token), nil
}

// InboundType returns the type of a call in which p phones us. It returns [calls.CallGeneral] in
// case of doubt.
func (s *Service) InboundType(ctx context.Context, p people.Person) calls.CallType {
	if s.dep.InboundType == nil || !p.ID.Known() {
		return calls.CallGeneral
	}
	ctx, cancel := context.WithTimeout(ctx, inboundTypeTimeout)
	defer cancel()
	t := s.dep.InboundType(ctx, p)
	if !s.knownType(t) {
		return calls.CallGeneral
	}
	return t
}

// full reports whether the number of unknown callers on the line has reached its cap. Anybody can
// phone, and each caller costs a conversation; the cap never keeps out known callers.
func (s *Service) full(ctx context.Context) (bool, error) {
	callList, err := s.dep.Store.LiveCalls(ctx)
	n := 0
	for _, c := range callList {
		if c.Direction == calls.Inbound && !c.Whose().Known() {
			n++
		}
	}
	return n >= s.cfg.UnknownLiveCap, err
}

// turnAway answers with the reason why the call is not taken, and hangs up. The call is not
// recorded. If the same webhook was delivered twice at once, it returns the other delivery's
// answer.
func (s *Service) turnAway(ctx context.Context, h hookCall, reason string, text prompts.Name, language string) (string, error) {
	if twiml, known, err := s.answerAgain(ctx, h); known || err != nil {
		return twiml, err
	}
	s.metrics.turned.WithLabelValues(reason).Inc()
	s.log.LogAttrs(ctx, slog.LevelWarn, "caller is turned away", slog.String("reason", reason))
	return s.sayTwiML(text, language), nil
}

// answerAgain answers a webhook that Twilio delivers a second time, because it did not get our
// first answer. known reports whether it is such a one.
func (s *Service) answerAgain(ctx context.Context, h hookCall) (twiml string, known bool, err error) {
	c, err := s.dep.Store.CallBySID(ctx, string(h.CallSID))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", false, nil
	case err != nil:
		return "", false, err
	case !c.Live():
		return twilio.Hangup(), true, nil
	}
	token := rand.Text()
	if _, err := s.dep.Store.Reconnect(ctx, c.ID, token); err != nil {
		return "", true, err
	}
	return s.connectTwiML(c.ID, token), true, nil
}

// caller looks up a caller by number. It returns the person, if it is exactly one, and the number
// as it is stored.
func (s *Service) caller(ctx context.Context, from string) (p people.Person, phone string, err error) {
	if phone, err = e164(from); err != nil {
		return p, withheld, nil //nolint:nilerr // many a caller shows no number
	}
	persons, err := s.dep.Store.PeopleByPhone(ctx, phone)
	if len(persons) == 1 {
		p = persons[0]
	}
	return p, phone, err
}
