package telephony

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// answerReconnect returns TwiML for a call whose media stream has ended while the telephone line is
// still open: a new stream, up to ReconnectLimit times. It hangs up a call that has ended.
func (s *Service) answerReconnect(ctx context.Context, h hookCall) (string, error) {
	hangup := twilio.Hangup()
	c, found, err := s.callOf(ctx, h)
	if err != nil {
		return "", err
	}
	if !found || !c.Live() || c.Status.Final() {
		return hangup, nil
	}
	lc, here := s.live.get(c.ID)
	if here && lc.ending() {
		return hangup, nil // its ending is not recorded yet
	}
	token := rand.Text()
	switch {
	case h.query.Has(paramAfter):
		c, err = s.dep.Store.ComeBack(ctx, c.ID, token, s.cfg.Now())
	case c.Reconnects >= s.cfg.ReconnectLimit:
		return s.giveUp(ctx, c)
	default:
		c, err = s.dep.Store.Reconnect(ctx, c.ID, token)
	}
	if errors.Is(err, store.ErrNotFound) {
		return hangup, nil // it ended a moment ago
	}
	if err != nil {
		return "", err
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "line is picked up again", slog.Int("attempt", c.Reconnects))
	if !here { // else the process that carries the call has noted it
		s.note(ctx, c.ID, "reconnecting", "", map[string]any{"cause": causeStreamLost, "n": c.Reconnects})
	}
	return s.connectTwiML(c.ID, token), nil
}

// giveUp ends a call whose line broke too often, with an apology to the person.
func (s *Service) giveUp(ctx context.Context, c calls.Call) (string, error) {
	sorry := s.sayTwiML(prompts.Sorry, s.languageOf(ctx, c))
	if lc, here := s.live.get(c.ID); here {
		// Twilio plays the apology and hangs up by itself.
		lc.end(verdict{cause: causeStreamLost, phone: phoneGone, final: true})
		return sorry, nil
	}
	return sorry, s.settle(ctx, c.ID, causeStreamLost)
}

// ending reports whether the loop has its verdict.
func (c *liveCall) ending() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}
