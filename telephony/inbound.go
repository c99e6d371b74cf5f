package telephony

import (
	"context"
	"errors"
	"log/slog"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// withheld stands for the number of a caller who does not show one.
const withheld = "anonymous"

// answerInbound answers somebody who phones us. A number that one person answers
// is taken for that person; of any other caller nothing is assumed, and nothing
// personal is used. No gate stands here: who does not want to be phoned may
// still phone.
func (s *Service) answerInbound(ctx context.Context, h hookCall) (string, error) {
	switch c, err := s.dep.Store.CallBySID(ctx, string(h.CallSID)); {
	case err == nil:
		return s.answerAgain(ctx, c)
	case !errors.Is(err, store.ErrNotFound):
		return "", err
	}
	p, phone, err := s.caller(ctx, h.From)
	if err != nil {
		return "", err
	}
	token := newToken()
	c, err := s.dep.Store.CreateCall(ctx, store.NewCall{
		PersonID: p.ID, Type: store.CallGeneral, Direction: store.Inbound, Phone: phone,
		SID: string(h.CallSID), StreamToken: token,
	})
	if errors.Is(err, store.ErrConflict) {
		return s.busy(ctx, h, p)
	}
	if err != nil {
		return "", err
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "call came in")
	s.note(ctx, c.ID, "queued", "queued", map[string]any{"by": "caller", "reason": ""})
	// The TwiML below answers the call.
	if err := s.fold(ctx, c, store.StatusInProgress, h); err != nil {
		return "", err
	}
	return s.connectTwiML(c.ID, token)
}

// answerAgain is for a webhook that Twilio delivers a second time, because it
// did not get our first answer.
func (s *Service) answerAgain(ctx context.Context, c store.Call) (string, error) {
	if !c.Live() {
		return twilio.Document(twilio.Hangup{}), nil
	}
	token := newToken()
	if _, err := s.dep.Store.Reconnect(ctx, c.ID, token); err != nil {
		return "", err
	}
	return s.connectTwiML(c.ID, token)
}

// busy answers a person who is on a call with us already, or, where the same
// webhook was delivered twice at once, lets the other delivery be the answer.
func (s *Service) busy(ctx context.Context, h hookCall, p store.Person) (string, error) {
	switch c, err := s.dep.Store.CallBySID(ctx, string(h.CallSID)); {
	case err == nil:
		return s.answerAgain(ctx, c)
	case !errors.Is(err, store.ErrNotFound):
		return "", err
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "caller is on another call", slog.String("person_id", p.ID.String()))
	return s.sayTwiML(prompts.Busy, p.Language), nil
}

// caller finds who phones, by their number: the person, where it is exactly one,
// and the number as it is kept.
func (s *Service) caller(ctx context.Context, from string) (store.Person, string, error) {
	phone, err := e164(from)
	if err != nil {
		return store.Person{}, withheld, nil //nolint:nilerr // many a caller shows no number
	}
	people, err := s.dep.Store.PeopleByPhone(ctx, phone)
	if err != nil {
		return store.Person{}, "", err
	}
	if len(people) != 1 {
		return store.Person{}, phone, nil
	}
	return people[0], phone, nil
}
