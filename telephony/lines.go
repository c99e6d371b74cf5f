package telephony

import (
	"net/url"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// The routes that Twilio and ElevenLabs know.
const (
	routeVoice     = "/twilio/voice"
	routeCheck     = "/twilio/check"
	routeStatus    = "/twilio/status"
	routeAMD       = "/twilio/amd"
	routeReconnect = "/twilio/reconnect"
	routeStream    = "/twilio/stream"
	// About alerts.
	routeNotice       = "/twilio/notice"
	routeNoticeStatus = "/twilio/notice/status"
	routeNoticeAMD    = "/twilio/notice/amd"
	routeText         = "/twilio/sms"
	routeTextStatus   = "/twilio/sms/status"

	routeMedia    = "/outbound-media-stream"
	routePostCall = "/elevenlabs/webhook"
)

// twilioLimitSlack is how much later than ours Twilio's own time limit falls: it
// is the net below ours, which lets nAIber say goodbye.
const twilioLimitSlack = 30 * time.Second

// Tunings say, as the fragment of a webhook's address, how Twilio delivers it: how
// often it tries again and after what, and milliseconds to connect, to answer, in all.
const (
	// eventTuning is for webhooks that report: worth repeating after any failure.
	eventTuning = "rc=3&rp=all&rt=5000&ct=3000"
	// reconnectTuning is for the webhook that decides whether a call goes on. It
	// asks for every try that there is, to outlast a restart of this process; how
	// long Twilio pauses between tries is not documented, so a proxy that holds
	// requests meanwhile (deploy/compose.yaml) makes sure.
	reconnectTuning = "rc=5&rp=all&rt=10000&ct=10000&tt=15000"
)

// WebhookFragments are the fragments of the webhook addresses that this package
// hands to Twilio. A [twilio.Verifier] wants to know them.
func WebhookFragments() []string { return []string{eventTuning, reconnectTuning} }

// hook is the address of a webhook about one call.
func (s *Service) hook(route string, id store.CallID, tuning string) string {
	return s.cfg.PublicURL + route + "?" + url.Values{"call": {id.String()}}.Encode() + "#" + tuning
}

// connectTwiML opens a media stream for a call. Twilio reports on it at
// /twilio/stream; one that ends while the call goes on is asked for again at
// /twilio/reconnect.
func (s *Service) connectTwiML(id store.CallID, token string) string {
	return twilio.ConnectStream(s.streamURL, map[string]string{"call": id.String(), paramToken: token},
		s.hook(routeStream, id, eventTuning), s.hook(routeReconnect, id, reconnectTuning))
}

// sayTwiML speaks one of the fixed texts and hangs up. It depends on nothing
// that may fail: at worst it only hangs up.
func (s *Service) sayTwiML(name prompts.Name, tag string) string {
	lang := s.language(tag)
	text, err := s.dep.Prompts.Text(name, prompts.Data{CallType: string(calls.CallGeneral), Language: lang})
	if err != nil || text == "" {
		return twilio.Hangup()
	}
	return twilio.SayHangup(text, prompts.Voice(lang))
}
