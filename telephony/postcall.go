package telephony

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
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
	// postCallReaders is how many bodies are read at a time. A header proves nothing until the body
	// has come, so anybody may be sending.
	postCallReaders = 4
	// postCallWithin bounds the wait for a free reader, and then the reading.
	postCallWithin = 5 * time.Second
)

var (
	errBusy     = errors.New("too many at a time")
	errTooLarge = errors.New("body is too large")
	errSlow     = errors.New("body did not come in time")
)

// onPostCall handles ElevenLabs' own record of a finished conversation. It is the fallback for our
// transcript: used if ours has no line of that conversation.
func (s *Service) onPostCall(w http.ResponseWriter, r *http.Request) {
	s.countHook(r.Context(), w, routePostCall, s.takePostCall(w, r))
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
	unlock, err := s.dialing.lock(r.Context(), string(event.ConversationID)) // the same delivery may come twice at once
	if err != nil {
		return err
	}
	defer unlock()
	return s.keepPostCall(r.Context(), c, event)
}

// readPostCall reads and verifies a delivery, at most postCallReaders of them at a time.
func (s *Service) readPostCall(w http.ResponseWriter, r *http.Request) (event elevenlabs.WebhookEvent, err error) {
	signed, err := elevenlabs.NewSignature(elevenlabs.Secret(s.cfg.WebhookSecret), r.Header.Get(elevenlabs.SignatureHeader), s.cfg.Now())
	if err != nil {
		return event, err
	}
	if r.ContentLength > postCallLimit {
		return event, errTooLarge
	}
	waiting, cancel := context.WithTimeout(r.Context(), postCallWithin)
	defer cancel()
	var buf []byte
	select {
	case buf = <-s.reading:
	case <-waiting.Done():
		return event, errBusy
	}
	defer func() { s.reading <- buf }()
	if buf == nil {
		buf = make([]byte, postCallLimit+1)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(postCallWithin)) // fails on a connection without deadlines, which then has none
	n, err := io.ReadFull(r.Body, buf)
	switch {
	case err == nil:
		return event, errTooLarge
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF): // a body that was cut off has no signature that fits
		return event, fmt.Errorf("%w: %w", errSlow, err)
	}
	body := buf[:n]
	if err := signed.Check(body); err != nil {
		return event, err
	}
	return elevenlabs.ParseWebhook(body)
}

// keepPostCall fills the transcript and then marks the delivery as processed: one that fails in
// between is processed again.
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

// fillTranscript adds ElevenLabs' lines if we have none of that conversation, and if the person
// allows words to be kept. It returns how many it added.
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
				return 0, nil // consent was withdrawn during the call, whatever is allowed now
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

// mayKeepWords reports whether the words of a call may be kept. There is no such consent for an
// unknown caller.
func (s *Service) mayKeepWords(ctx context.Context, c calls.Call) (bool, error) {
	if !c.PersonID.Known() {
		return false, nil
	}
	scopes, err := s.dep.Store.ConsentScopes(ctx, c.PersonID)
	return people.KeepsWords(scopes), err
}
