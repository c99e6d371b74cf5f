package telephony

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// Routes mounts the endpoints that Twilio and ElevenLabs call. Each route checks a signature before
// anything else; none may have a handler timeout shorter than a call.
func (s *Service) Routes(r chi.Router) {
	r.Post(routeVoice, s.twilioHook(routeVoice, s.answerInbound))
	r.Post(routeCheck, s.twilioHook(routeCheck, s.answerCheck))
	r.Post(routeReconnect, s.twilioHook(routeReconnect, s.answerReconnect))
	r.Post(routeStatus, s.twilioHook(routeStatus, s.onStatus))
	r.Post(routeAMD, s.twilioHook(routeAMD, s.onAnsweredBy))
	r.Post(routeStream, s.twilioHook(routeStream, s.onStreamStatus))
	r.Post(routeNotice, s.twilioHook(routeNotice, s.answerNotice))
	r.Post(routeNoticeStatus, s.twilioHook(routeNoticeStatus, s.onNoticeStatus))
	r.Post(routeNoticeAMD, s.twilioHook(routeNoticeAMD, s.onNoticeAnsweredBy))
	r.Post(routeText, s.formHook(routeText, s.onText))
	r.Post(routeTextStatus, s.formHook(routeTextStatus, s.onTextStatus))
	r.Post(routePostCall, s.onPostCall)
	r.Get(routeMedia, s.serveStream)
}

// hookCall is one verified webhook from Twilio.
type hookCall struct {
	twilio.CallEvent

	id    string // our own id of the call, if the address contains it
	query url.Values
	form  url.Values
}

// hookAnswer handles a webhook and returns the TwiML to answer with, or "" if Twilio only reports
// an event. An error makes Twilio deliver the webhook again.
type hookAnswer func(ctx context.Context, h hookCall) (twiml string, err error)

// twilioHook returns the handler of a webhook about a call.
func (s *Service) twilioHook(route string, answer hookAnswer) http.HandlerFunc {
	return s.formHook(route, func(ctx context.Context, query, form url.Values) (string, error) {
		event, err := twilio.ParseCallEvent(form)
		if err != nil {
			return "", err
		}
		return answer(ctx, hookCall{CallEvent: event, id: query.Get("call"), query: query, form: form})
	})
}

// formHook returns a handler that verifies a webhook from Twilio before it calls answer. A request
// that is not from Twilio learns nothing and changes nothing.
func (s *Service) formHook(route string, answer func(ctx context.Context, query, form url.Values) (twiml string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		form, err := s.dep.Verifier.Form(r)
		var twiml string
		if err == nil {
			twiml, err = answer(r.Context(), r.URL.Query(), form)
		}
		s.countHook(r.Context(), w, route, err)
		switch {
		case err != nil:
		case twiml == "":
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", twilio.TwiMLContentType)
			_, _ = io.WriteString(w, twiml) // Twilio repeats the webhook if this fails
		}
	}
}

// rejections holds the reasons for rejecting webhooks, and the status that each is answered with.
var rejections = []struct {
	err    error
	reason string
	status int
}{
	{twilio.ErrSignature, "signature", http.StatusForbidden},
	{elevenlabs.ErrSignature, "signature", http.StatusForbidden},
	{elevenlabs.ErrStale, "signature", http.StatusForbidden},
	{twilio.ErrTooLarge, "too_large", http.StatusRequestEntityTooLarge},
	{errTooLarge, "too_large", http.StatusRequestEntityTooLarge},
	{twilio.ErrMalformed, "malformed", http.StatusBadRequest},
	{twilio.ErrNoCall, "malformed", http.StatusBadRequest},
	{twilio.ErrNoText, "malformed", http.StatusBadRequest},
	{elevenlabs.ErrMalformed, "malformed", http.StatusBadRequest},
	{errSlow, "slow", http.StatusRequestTimeout},
	{errBusy, "busy", http.StatusServiceUnavailable},
}

// countHook counts a webhook, and answers one that is rejected.
func (s *Service) countHook(ctx context.Context, w http.ResponseWriter, route string, err error) {
	if err == nil {
		s.metrics.webhooks.WithLabelValues(route, "ok").Inc()
		return
	}
	level, reason, status := slog.LevelError, "error", http.StatusInternalServerError
	for _, r := range rejections {
		if errors.Is(err, r.err) {
			level, reason, status = slog.LevelWarn, r.reason, r.status
			break
		}
	}
	s.metrics.webhooks.WithLabelValues(route, reason).Inc()
	s.log.LogAttrs(ctx, level, "webhook rejected",
		slog.String("kind", route), slog.String("reason", reason), slog.Any("err", err))
	http.Error(w, http.StatusText(status), status)
}

// callOf returns the call that a webhook is about; found is false for one that we do not know, or
// that Twilio placed a second time by mistake.
func (s *Service) callOf(ctx context.Context, h hookCall) (c calls.Call, found bool, err error) {
	if h.id == "" {
		c, err = s.dep.Store.CallBySID(ctx, string(h.CallSID))
	} else {
		id, malformed := store.ParseCallID(h.id)
		if malformed != nil {
			return calls.Call{}, false, nil //nolint:nilerr // signed, so it is ours from another time
		}
		c, err = s.dep.Store.Call(ctx, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "webhook is about no call of ours")
		return calls.Call{}, false, nil
	}
	if err != nil {
		return calls.Call{}, false, err
	}
	if c.SID == "" {
		// Twilio reports on the call before it has answered our request for it.
		err = s.dep.Store.SetCallSID(ctx, c.ID, string(h.CallSID))
		c.SID = string(h.CallSID)
		if errors.Is(err, store.ErrConflict) {
			c, err = s.dep.Store.Call(ctx, c.ID)
		}
	}
	if err != nil || c.SID == string(h.CallSID) {
		return c, err == nil, err
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelError, "call was created twice, the second one is hung up")
	if calls.CallStatus(h.Status).Final() {
		return calls.Call{}, false, nil
	}
	return calls.Call{}, false, s.hangUp(ctx, string(h.CallSID))
}

// onStatus applies a status. Statuses come in any order and more than once.
func (s *Service) onStatus(ctx context.Context, h hookCall) (string, error) {
	c, found, err := s.callOf(ctx, h)
	if err != nil || !found {
		return "", err
	}
	status := calls.CallStatus(h.Status)
	if status.Rank() < 0 {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "status is unknown", slog.String("status", string(status)))
		return "", nil
	}
	return "", s.fold(ctx, c, status, h)
}

func (s *Service) fold(ctx context.Context, c calls.Call, status calls.CallStatus, h hookCall) error {
	at := h.At
	if at.IsZero() {
		at = s.cfg.Now()
	}
	now, news, err := s.foldStatus(ctx, c.ID, status, at)
	if err != nil {
		return err
	}
	if news {
		c = now
	}
	// A final status that is not new may be the second delivery of one that could not be processed.
	if status.Final() && c.Live() {
		return s.over(ctx, c)
	}
	return s.withdraw(ctx, c)
}

// foldStatus advances a call's status and notes it in the timeline; news is false if the status was
// known.
func (s *Service) foldStatus(ctx context.Context, id store.CallID, status calls.CallStatus, at time.Time) (c calls.Call, news bool, err error) {
	c, news, err = s.dep.Store.FoldStatus(ctx, id, status, at)
	if err != nil || !news {
		return c, news, err
	}
	kinds := map[calls.CallStatus]string{
		calls.StatusInitiated: "initiated", calls.StatusRinging: "ringing", calls.StatusInProgress: "answered",
	}
	if kind := kinds[status]; kind != "" {
		s.note(ctx, id, kind, kind, nil)
	}
	return c, true, nil
}

// over ends a call whose final status is known: through its loop if it is carried here, else
// directly.
func (s *Service) over(ctx context.Context, c calls.Call) error {
	status := c.Status
	if !status.Final() { // c was read before the status was applied
		now, err := s.dep.Store.Call(ctx, c.ID)
		if err != nil {
			return err
		}
		c, status = now, now.Status
	}
	if lc, here := s.live.get(c.ID); here {
		lc.carrierEnded(status)
		return nil
	}
	return s.settleStatus(ctx, c, status, causeHungUp)
}

// onAnsweredBy handles the result of answering-machine detection. It leaves a machine a message,
// unless the conversation shows that a person is speaking.
func (s *Service) onAnsweredBy(ctx context.Context, h hookCall) (string, error) {
	c, found, err := s.callOf(ctx, h)
	if err != nil || !found || h.AnsweredBy == "" {
		return "", err
	}
	answeredBy := string(h.AnsweredBy)
	if err := s.dep.Store.SetAnsweredBy(ctx, c.ID, answeredBy); err != nil {
		return "", err
	}
	s.note(ctx, c.ID, "amd", "amd", map[string]any{"answeredBy": answeredBy})
	if !isMachine(answeredBy) || !c.Live() {
		return "", nil
	}
	if lc, here := s.live.get(c.ID); here {
		if !lc.machineAnswered() {
			return "", nil
		}
	} else if n, err := s.timesSpoken(ctx, c.ID); err != nil || n >= humanTurns {
		return "", err
	}
	if !s.note(ctx, c.ID, "voicemail", "voicemail", map[string]any{"answeredBy": answeredBy}) {
		return "", nil
	}
	return "", s.leaveMessage(ctx, c, h.AnsweredBy)
}

// leaveMessage replaces the conversation by a short message that says nothing private, and then
// hangs up. The call ends when Twilio reports that.
func (s *Service) leaveMessage(ctx context.Context, c calls.Call, by twilio.AnsweredBy) error {
	if by == twilio.AnsweredByFax {
		return s.hangUp(ctx, c.SID)
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpTimeout)
	defer cancel()
	err := s.dep.Twilio.Redirect(bounded, twilio.CallSID(c.SID), s.sayTwiML(prompts.Voicemail, s.languageOf(ctx, c)))
	if err == nil || twilio.ClassOf(err) == twilio.ClassNotInProgress {
		return nil
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "message was not left", slog.Any("err", err))
	return s.hangUp(ctx, c.SID)
}

// languageOf returns the language tag of the person on a call, or "" if it is not known.
func (s *Service) languageOf(ctx context.Context, c calls.Call) string {
	if !c.Whose().Known() {
		return ""
	}
	p, err := s.dep.Store.Person(ctx, c.Whose())
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "language is not known", slog.Any("err", err))
	}
	return p.Language
}

// onStreamStatus records what Twilio reports on a call's media stream. Only here does it report why
// a stream could not be opened.
func (s *Service) onStreamStatus(ctx context.Context, h hookCall) (string, error) {
	c, found, err := s.callOf(ctx, h)
	if err != nil || !found {
		return "", err
	}
	event, sid, fault := h.form.Get("StreamEvent"), h.form.Get("StreamSid"), h.form.Get("StreamError")
	data := map[string]any{"event": event, "streamSid": sid}
	if fault != "" {
		data["error"] = fault
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "media stream failed", slog.String("err", fault))
	}
	s.note(ctx, c.ID, "stream_status", "stream:"+sid+":"+event, data)
	return "", nil
}
