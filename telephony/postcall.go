package telephony

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// postCallLimit bounds a post-call webhook. The transcript of an hour with all
	// its metrics is about 1 MB.
	postCallLimit = 4 << 20
	// postCallReaders is how many bodies are read at a time. A header proves
	// nothing before the body has come, so whoever sends may be anybody.
	postCallReaders = 4
	// postCallWithin bounds the waiting for one's turn, and then the reading.
	postCallWithin = 5 * time.Second
)

var (
	errBusy     = errors.New("too many at a time")
	errTooLarge = errors.New("body is too large")
)

// onPostCall takes ElevenLabs' own record of a finished conversation. It is the
// net below our transcript: used where ours has nothing.
func (s *Service) onPostCall(w http.ResponseWriter, r *http.Request) {
	result, status := "ok", http.StatusOK
	if err := s.takePostCall(w, r); err != nil {
		switch {
		case errors.Is(err, elevenlabs.ErrSignature), errors.Is(err, elevenlabs.ErrStale):
			result, status = "signature", http.StatusForbidden
		case errors.Is(err, errTooLarge):
			result, status = "too_large", http.StatusRequestEntityTooLarge
		case errors.Is(err, elevenlabs.ErrMalformed):
			result, status = "malformed", http.StatusBadRequest
		case errors.Is(err, os.ErrDeadlineExceeded):
			result, status = "slow", http.StatusRequestTimeout
		case errors.Is(err, errBusy):
			result, status = "busy", http.StatusServiceUnavailable
		default:
			result, status = "error", http.StatusInternalServerError
		}
		s.log.LogAttrs(r.Context(), slog.LevelWarn, "webhook rejected",
			slog.String("kind", routePostCall), slog.String("reason", result), slog.Any("err", err))
	}
	s.metrics.webhooks.WithLabelValues(routePostCall, result).Inc()
	if status != http.StatusOK {
		http.Error(w, http.StatusText(status), status)
		return
	}
	w.WriteHeader(status)
}

func (s *Service) takePostCall(w http.ResponseWriter, r *http.Request) error {
	event, err := s.readPostCall(w, r)
	if err != nil {
		return err
	}
	if event.ConversationID == "" {
		return nil
	}
	c, err := s.dep.Store.CallByConversation(r.Context(), string(event.ConversationID))
	if errors.Is(err, store.ErrNotFound) {
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "webhook is about no call of ours", slog.String("conversation_id", string(event.ConversationID)))
		return nil
	}
	if err != nil {
		return err
	}
	unlock, err := s.dialing.lock(r.Context(), string(event.ConversationID)) // two deliveries at once
	if err != nil {
		return err
	}
	defer unlock()
	return s.keepPostCall(r.Context(), c, event)
}

// readPostCall reads a delivery into one of the few places that there are for
// them, and verifies it as it comes.
func (s *Service) readPostCall(w http.ResponseWriter, r *http.Request) (event elevenlabs.WebhookEvent, err error) {
	signed, err := elevenlabs.NewSignature(elevenlabs.Secret(s.cfg.WebhookSecret), r.Header.Get(elevenlabs.SignatureHeader), s.cfg.Now())
	if err != nil {
		return event, err
	}
	if r.ContentLength > postCallLimit {
		return event, errTooLarge
	}
	wait := time.NewTimer(postCallWithin)
	defer wait.Stop()
	var place []byte
	select {
	case place = <-s.bodies:
	case <-wait.C:
		return event, errBusy
	case <-r.Context().Done():
		return event, r.Context().Err()
	}
	defer func() { s.bodies <- place }()
	if place == nil {
		place = make([]byte, postCallLimit+1)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(postCallWithin)) // a connection without deadlines has none
	n, err := io.ReadFull(io.TeeReader(r.Body, signed), place)
	switch {
	case err == nil:
		return event, errTooLarge
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return event, err
	}
	if err := signed.Check(); err != nil {
		return event, err
	}
	return elevenlabs.ParseWebhook(place[:n])
}

// keepPostCall fills the transcript and then marks the delivery as worked off,
// so that one which fails between is worked off again.
func (s *Service) keepPostCall(ctx context.Context, c calls.Call, event elevenlabs.WebhookEvent) error {
	filled := 0
	if event.Conversation != nil {
		var err error
		if filled, err = s.fillTranscript(ctx, c, event); err != nil {
			return err
		}
	}
	s.note(ctx, c.ID, "voice_service_report", "elevenlabs:"+event.Type+":"+string(event.ConversationID),
		map[string]any{"type": event.Type, "conversationId": event.ConversationID, "filled": filled})
	return nil
}

// fillTranscript adds ElevenLabs' lines where we kept none of that conversation,
// and where the person allows that words are kept. It returns how many.
func (s *Service) fillTranscript(ctx context.Context, c calls.Call, event elevenlabs.WebhookEvent) (int, error) {
	if allowed, err := s.mayKeepWords(ctx, c); err != nil || !allowed {
		return 0, err
	}
	ours, err := s.dep.Store.Transcript(ctx, c.ID)
	if err != nil {
		return 0, err
	}
	id := string(event.ConversationID)
	for _, u := range ours {
		if u.ConversationID == id {
			return 0, nil
		}
	}
	start := event.Conversation.Metadata.Started()
	if start.IsZero() {
		start = c.CreatedAt
	}
	n := 0
	for i, turn := range event.Conversation.Transcript {
		if !spoken(turn.Message) {
			continue
		}
		role := calls.RoleAssistant
		if turn.Role == string(calls.RoleUser) {
			role = calls.RoleUser
		}
		for _, text := range parts(turn.Message) {
			_, err := s.dep.Store.AddUtterance(ctx, calls.Utterance{
				CallID: c.ID, Role: role, Text: text, ConversationID: id, EventID: int64(i), At: start.Add(turn.At()).Round(time.Millisecond),
			})
			switch {
			case errors.Is(err, calls.ErrUnrecorded):
				return 0, nil // it was taken back in mid-call, whatever is allowed now
			case err != nil:
				return n, err
			}
			n++
		}
	}
	if n > 0 {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "transcript was filled from the voice service", slog.String("conversation_id", id))
	}
	return n, nil
}

// mayKeepWords reports whether what is said in a call may be kept word for word.
// Nobody has agreed to it for a caller who is not known.
func (s *Service) mayKeepWords(ctx context.Context, c calls.Call) (bool, error) {
	if !c.PersonID.Known() {
		return false, nil
	}
	scopes, err := s.dep.Store.ConsentScopes(ctx, c.PersonID)
	return scopes[people.ScopeRecording], err
}
