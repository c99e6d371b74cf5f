package telephony

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// deps is all that a live call does outside of its two sockets.
type deps struct {
	verify    func(r *http.Request) error
	take      func(ctx context.Context, token string) (calls.Call, error)
	line      func(ctx context.Context, c calls.Call) (line calls.Line, keepWords bool, err error)
	spoken    func(ctx context.Context, id store.CallID) (int, error)
	signedURL func(ctx context.Context) (string, error)
	opening   func(ctx context.Context, line calls.Line, reconnect bool) (elevenlabs.Init, error)
	dial      func(ctx context.Context, url string) (conn *websocket.Conn, room func() bool, err error)
	hangUp    func(ctx context.Context, sid string) error
	say       func(ctx context.Context, line calls.Line, text prompts.Name) error // then hangs up
	finish    func(ctx context.Context, id store.CallID, end calls.Ending) error
	book      callBook
}

// deps returns the real ones.
func (s *Service) deps() deps {
	return deps{
		verify: s.dep.Verifier.Upgrade,
		take:   s.dep.Store.TakeStreamToken,
		line:   s.lineOf,
		spoken: s.timesSpoken,
		signedURL: func(ctx context.Context) (string, error) {
			url, err := s.dep.ElevenLabs.SignedURL(ctx, elevenlabs.AgentID(s.cfg.AgentID))
			return string(url), err
		},
		opening: s.opening,
		dial: func(ctx context.Context, url string) (*websocket.Conn, func() bool, error) {
			return dialVoice(ctx, s.dep.HTTP, url)
		},
		hangUp: s.hangUp,
		say: func(ctx context.Context, line calls.Line, name prompts.Name) error {
			return s.dep.Twilio.Redirect(ctx, twilio.CallSID(line.Call.SID), s.sayTwiML(name, line.Person.Language))
		},
		finish: s.finish,
		book:   s.dep.Store,
	}
}
