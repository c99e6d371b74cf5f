package telephony

import (
	"net/url"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// The routes that Twilio and ElevenLabs call.
const (
	routeVoice     = "/twilio/voice"
	routeCheck     = "/twilio/check"
	routeStatus    = "/twilio/status"
	routeAMD       = "/twilio/amd"
	routeReconnect = "/twilio/reconnect"
	routeStream    = "/twilio/stream"
	// The routes for alerts.
	routeNotice       = "/twilio/notice"
	routeNoticeStatus = "/twilio/notice/status"
	routeNoticeAMD    = "/twilio/notice/amd"
	routeText         = "/twilio/sms"
	routeTextStatus   = "/twilio/sms/status"

	routeMedia    = "/outbound-media-stream"
	routePostCall = "/elevenlabs/webhook"
)

// twilioLimitSlack is how much later than ours Twilio's own time limit falls: it is the fallback
// for ours, which lets nAIber say goodbye.
const twilioLimitSlack = 30 * time.Second

// Tunings are fragments of a webhook's address that set how Twilio delivers it: how often it
// retries and after which failures, and the milliseconds to connect, to answer, and in all.
const (
	// eventTuning is for webhooks that report events: they are repeated after any failure.
	eventTuning = "rc=3&rp=all&rt=5000&ct=3000"
	// reconnectTuning is for the webhook that decides whether a call goes on. It asks for the most
	// retries possible, to outlast a restart of this process. How long Twilio pauses between
	// retries is not documented; the proxy therefore holds requests meanwhile
	// (deploy/compose.yaml).
	reconnectTuning = "rc=5&rp=all&rt=10000&ct=10000&tt=15000"
)

// WebhookFragments returns the fragments of the webhook addresses that this package passes to
// Twilio. A [twilio.Verifier] must know them.
func WebhookFragments() []string { return []string{eventTuning, reconnectTuning} }

// hook returns the address of a webhook about one call.
func (s *Service) hook(route string, id store.CallID, tuning string) string {
	return s.cfg.PublicURL + route + "?" + url.Values{"call": {id.String()}}.Encode() + "#" + tuning
}

// connectTwiML returns TwiML that opens a media stream for a call. Twilio reports on the stream at
// /twilio/stream, and asks for TwiML at /twilio/reconnect if it ends while the call goes on.
func (s *Service) connectTwiML(id store.CallID, token string) string {
	return twilio.ConnectStream(s.streamURL, map[string]string{"call": id.String(), paramToken: token},
		s.hook(routeStream, id, eventTuning), s.hook(routeReconnect, id, reconnectTuning))
}

// sayTwiML returns TwiML that speaks one of the fixed texts and hangs up. It cannot fail: if the
// text is missing, it only hangs up.
func (s *Service) sayTwiML(name prompts.Name, tag string) string {
	lang := s.language(tag)
	text, err := s.dep.Prompts.Text(name, prompts.Data{CallType: string(calls.CallGeneral), Language: lang})
	if err != nil || text == "" {
		return twilio.Hangup()
	}
	return twilio.SayHangup(text, prompts.Voice(lang))
}
