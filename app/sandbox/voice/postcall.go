package voice

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	// analysisTime is how long a conversation is being processed, in seconds.
	analysisTime = 0.5
	// webhookTime is how long a webhook may take.
	webhookTime = 10 * time.Second
	// webhookRetries is how often a webhook with retries is tried again.
	webhookRetries = 3
)

// sign is the header ElevenLabs-Signature for body at a time.
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v0=" + hex.EncodeToString(mac.Sum(nil))
}

// afterwards settles a conversation that has ended and posts it.
func (s *Server) afterwards(ctx context.Context, a *agent, r *record) {
	wait := time.NewTimer(s.seconds(analysisTime))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	r.settle()
	h := a.set.Platform.Workspace.Webhooks
	to, ok := s.recipient(h.ID)
	if !ok || ctx.Err() != nil || h.ID != "" && !slices.Contains(h.Events, "transcript") {
		return
	}
	body, err := json.Marshal(map[string]any{
		"type": "post_call_transcription", "event_timestamp": time.Now().Unix(), "data": r.resource(),
	})
	if err != nil {
		return // our own maps always marshal
	}
	for try := 0; ; try++ {
		code := s.post(ctx, to, body)
		again := code >= 500 || code == http.StatusTooManyRequests || code == 0
		s.noteDelivery(to.id, code)
		if code >= 200 && code < 300 || !to.retry || !again || try >= webhookRetries || ctx.Err() != nil {
			return
		}
	}
}

// recipient finds where to post to.
func (s *Server) recipient(id string) (webhook, bool) {
	if id == "" {
		return webhook{url: s.cfg.WebhookURL, secret: s.cfg.WebhookSecret, retry: true}, s.cfg.WebhookURL != ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.webhooks[id]
	if !ok || h.disabled || h.autoDisabled {
		return webhook{}, false
	}
	return *h, true
}

// post delivers body once and returns the status, or 0.
func (s *Server) post(ctx context.Context, to webhook, body []byte) int {
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("ElevenLabs-Signature", sign(to.secret, time.Now(), body))
	resp, err := s.client.Do(req)
	if err != nil {
		s.log.WarnContext(ctx, "post-call webhook failed", slog.Any("err", err))
		return 0
	}
	_ = resp.Body.Close() // its body says nothing
	if resp.StatusCode >= 300 {
		s.log.WarnContext(ctx, "post-call webhook failed", slog.Int("status", resp.StatusCode))
	}
	return resp.StatusCode
}

// noteDelivery counts failures in a row; too many switch the webhook off.
func (s *Server) noteDelivery(id string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.webhooks[id]
	if !ok {
		return
	}
	if code >= 200 && code < 300 {
		h.failures = 0
		return
	}
	h.failures++
	h.lastCode = code
	h.autoDisabled = h.autoDisabled || h.failures >= autoDisableAfter
}
