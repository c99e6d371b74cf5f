package telephony

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// InboundCheck is how a caller proves to be the person whose number they phone from. Until then
// they count as unknown.
type InboundCheck string

// The kinds of check.
const (
	// CheckCallback calls the number back after the call.
	CheckCallback InboundCheck = "callback"
	// CheckKeyed asks for the person's PIN if the carrier vouches for the number. It calls back if
	// the carrier does not, if there is no PIN, or if no PIN entered was right.
	CheckKeyed InboundCheck = "keyed"
)

const (
	// attested is Twilio's value for a number that the caller's own carrier vouches for: the
	// carrier knows the caller, and that the number is theirs. See Twilio, "Trusted Calling with
	// SHAKEN/STIR". Any other value, or none, vouches for nothing.
	attested = "TN-Validation-Passed-A"
	// pinAsks is how often a caller is asked for a PIN in one call.
	pinAsks = 3
	// verifyTimeout bounds recording who is on the line, which a reply waits for.
	verifyTimeout = 500 * time.Millisecond
	// lookTimeout bounds finding out whether to ask a caller for a PIN, during which they hear
	// ringing.
	lookTimeout = 2 * time.Second
	// ringBackRest is how long a person is not called back again.
	ringBackRest = time.Hour
)

// RingBackReason is the reason of a call back, as the model is told.
const RingBackReason = "Somebody rang you from their telephone a moment ago. You could not be sure who it was, and said that you would ring back."

// asksPIN reports whether to ask a caller for the PIN of p.
func (s *Service) asksPIN(ctx context.Context, p people.Person, h hookCall) bool {
	if s.cfg.InboundCheck != CheckKeyed || !p.ID.Known() || h.form.Get("StirVerstat") != attested {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	usable, err := s.dep.Store.PINUsable(ctx, p.ID, s.cfg.Now())
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "caller is not asked for a pin", slog.Any("err", err))
	}
	return usable
}

// askPIN returns TwiML that asks for a PIN for the n-th time in a call. It does not disclose whose.
func (s *Service) askPIN(p people.Person, n int) string {
	name := prompts.AskPIN
	if n > 1 {
		name = prompts.AskPINAgain
	}
	lang := s.language(p.Language)
	text, err := s.dep.Prompts.Text(name, prompts.Data{CallType: string(calls.CallGeneral), Language: lang})
	if err != nil {
		s.log.Error("caller is asked for a pin without words", slog.Any("err", err))
	}
	at := func(n int) string {
		return s.cfg.PublicURL + routeCheck + "?" + url.Values{"try": {strconv.Itoa(n)}}.Encode() + "#" + eventTuning
	}
	return twilio.AskKeys(text, prompts.Voice(lang), at(n), at(0))
}

// answerCheck handles the keys of a caller who was asked for a PIN; its address is not known
// otherwise. With a right PIN the call becomes the person's, in any other case an unknown caller's.
func (s *Service) answerCheck(ctx context.Context, h hookCall) (string, error) {
	if twiml, known, err := s.answerAgain(ctx, h); known || err != nil {
		return twiml, err
	}
	p, phone, err := s.caller(ctx, h.From)
	if err != nil {
		return "", err
	}
	n, _ := strconv.Atoi(h.query.Get("try")) // 0: no key was pressed
	if n < 1 || !p.ID.Known() || s.cfg.InboundCheck != CheckKeyed {
		return s.takeIn(ctx, h, p, phone, "")
	}
	right, err := s.dep.Store.TryPIN(ctx, p.ID, h.form.Get("Digits"), s.cfg.Now())
	switch {
	case err != nil:
		return "", err
	case right:
		return s.takeIn(ctx, h, p, phone, calls.Keyed)
	case n < pinAsks:
		return s.askPIN(p, n+1), nil
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "caller keyed no right pin", slog.String("person_id", p.ID.String()))
	return s.takeIn(ctx, h, p, phone, "")
}

// asksWho reports whether a call begins by asking whether the speaker is the person.
func (s *Service) asksWho(c calls.Call) bool {
	return c.Direction == calls.Outbound && c.Withheld() && !slices.Contains(s.cfg.Presumed, c.Type)
}

// Verify records how the speaker on an outbound call was found to be its person, and returns the
// line as it may be told from then on. An empty how revokes that: they were not the person after
// all. If it cannot be stored, it applies while the call is carried here, and is stored with its
// ending.
func (s *Service) Verify(ctx context.Context, id store.CallID, how calls.Verified) (calls.Line, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	failed := s.dep.Store.SetVerified(ctx, id, how)
	if c, ok := s.live.get(id); ok {
		if failed != nil {
			c.log.LogAttrs(ctx, slog.LevelWarn, "who is on the line is kept with the ending", slog.Any("err", failed))
		}
		c.facts.set(func(f *facts) { f.line.Call.Verified, f.denied = how, how == "" && failed != nil })
		return c.now().Told(), nil
	}
	if failed != nil {
		return calls.Line{}, failed
	}
	line, found, err := s.LineByCall(ctx, id)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return line, err
}

// Expected returns the person to whom an outbound call was made. That does not permit telling
// anybody of it.
func (s *Service) Expected(ctx context.Context, id store.CallID) (people.Person, error) {
	if c, ok := s.live.get(id); ok {
		return c.now().Person, nil
	}
	c, err := s.dep.Store.Call(ctx, id)
	if err != nil {
		return people.Person{}, err
	}
	return s.dep.Store.Person(ctx, c.PersonID)
}

// lookWho checks whether another process has found the speaker on an outbound call to be its
// person, and updates c if so.
func (s *Service) lookWho(ctx context.Context, c *liveCall) {
	line := c.now()
	if line.Call.Direction != calls.Outbound || !line.Call.Withheld() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	now, err := s.dep.Store.Call(ctx, line.Call.ID)
	if err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "who is on the line is as it was known", slog.Any("err", err))
		return
	}
	c.facts.set(func(f *facts) {
		if now.Verified != "" && !f.denied {
			f.line.Call.Verified = now.Verified
		}
	})
}

// Meant returns the purpose of a call, for the person who has confirmed who they are.
func (s *Service) Meant(ctx context.Context, line calls.Line) (string, error) {
	return s.dep.Prompts.Text(prompts.Meant, s.openingData(ctx, line))
}

// ringsBack reports whether to promise a caller a call back: the gate would allow the call now, the
// person was not called back within ringBackRest, and one more call is left that day for planned
// ones.
func (s *Service) ringsBack(ctx context.Context, c calls.Call) bool {
	now := s.cfg.Now()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.OpeningDeadline)
	defer cancel()
	facts, err := s.dep.Store.DialFacts(ctx, now, c.BelievedID, s.cfg.mostMinutes())
	lately := 0
	if err == nil {
		lately, err = s.dep.Store.RungBack(ctx, c.BelievedID, RingBackReason, now.Add(-ringBackRest))
	}
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "caller is not promised a call back", slog.Any("err", err))
		return false
	}
	facts.Live, facts.Type, facts.Wanted = nil, calls.CallGeneral, true
	facts.DialsToday++
	return lately == 0 && Gate(s.cfg, facts, now) == nil
}

// Another returns the gate's answer to another call like c, at a later time on the same day, or nil
// if it would be placed.
func (s *Service) Another(ctx context.Context, c calls.Call, at time.Time) (*Refusal, error) {
	facts, err := s.dep.Store.DialFacts(ctx, s.cfg.Now(), c.PersonID, s.cfg.mostMinutes())
	if err != nil {
		return nil, err
	}
	facts.Live, facts.Type = nil, c.Type
	return Gate(s.cfg, facts, at), nil
}

// RingBack calls the person from whose number the caller in c phoned without proving who they were,
// unless that was done within ringBackRest. It passes the gate like any other call.
func (s *Service) RingBack(ctx context.Context, c calls.Call) (rung bool, err error) {
	p, err := s.dep.Store.Person(ctx, c.BelievedID)
	if err != nil {
		return false, err
	}
	lately, err := s.dep.Store.RungBack(ctx, p.ID, RingBackReason, s.cfg.Now().Add(-ringBackRest))
	if err != nil || lately > 0 {
		return false, err
	}
	_, err = s.Place(ctx, PlaceRequest{
		PersonID: p.ID, Type: s.InboundType(ctx, p), Reason: RingBackReason, Wanted: true, By: "ring_back", IdempotencyKey: "ring_back:" + c.ID.String(),
	})
	return err == nil, err
}
