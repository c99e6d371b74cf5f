package voice

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// analysisTime is how long a conversation is processed, in seconds.
	analysisTime = 0.5
	// webhookTime bounds one request to a webhook.
	webhookTime = 10 * time.Second
	// webhookRetries is how often a request is retried, if the webhook has retries.
	webhookRetries = 3
)

// post sends the record of an ended conversation to the agent's webhook.
func (s *Server) post(ctx context.Context, c *conversation) {
	if !wire.Wait(ctx, s.seconds(analysisTime)) {
		return
	}
	h := c.agent.Platform.Workspace.Webhooks
	s.mu.Lock()
	var to webhook
	if found := s.webhooks[h.ID]; found != nil {
		to = *found
	}
	s.mu.Unlock()
	if to.url == "" || to.disabled || to.autoDisabled || !slices.Contains(h.Events, "transcript") {
		return
	}
	body, _ := json.Marshal(map[string]any{ // our own maps always marshal
		"type": elevenlabs.PostCallTranscription, "event_timestamp": time.Now().Unix(), "data": c.resource(),
	})
	for try := 0; ; try++ {
		code, err := s.deliver(ctx, to, body)
		good := code >= 200 && code < 300
		if !good {
			c.log.WarnContext(ctx, "post-call webhook failed", slog.Int("status", code), slog.Any("err", err))
		}
		s.noteDelivery(h.ID, code)
		again := code >= 500 || code == http.StatusTooManyRequests || code == 0
		if good || !to.retry || !again || try >= webhookRetries || ctx.Err() != nil {
			return
		}
	}
}

// deliver posts body once and returns the status, or 0 if there was no answer.
func (s *Server) deliver(ctx context.Context, to webhook, body []byte) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("make webhook: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(elevenlabs.SignatureHeader, elevenlabs.SignWebhook(elevenlabs.Secret(to.secret), body, time.Now()))
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("post webhook: %w", err)
	}
	_ = resp.Body.Close() // its body is of no use
	return resp.StatusCode, nil
}

// noteDelivery counts consecutive failures; too many disable the webhook.
func (s *Server) noteDelivery(id string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.webhooks[id]
	if code >= 200 && code < 300 {
		h.failures = 0
		return
	}
	h.failures++
	h.lastCode = code
	h.autoDisabled = h.autoDisabled || h.failures >= autoDisableAfter
}

// resource returns the conversation as the webhook shows it.
func (c *conversation) resource() map[string]any {
	said := 0
	for _, m := range c.history {
		if m.Role == "user" && m.note.platform == "" {
			said++
		}
	}
	status, verdict, failure, userID := "done", "unknown", any(nil), any(nil)
	switch {
	case c.over.kind != "":
		status, verdict, failure = "failed", "failure", map[string]any{"code": c.over.code, "reason": c.over.reason}
	case said > 0:
		verdict = "success"
	}
	var initiation json.RawMessage
	if c.set != nil {
		initiation = c.set.raw
		if c.set.userID != "" {
			userID = c.set.userID
		}
	}
	return map[string]any{
		"agent_id": c.agentID, "conversation_id": c.id, "status": status, "user_id": userID,
		"has_audio": false, "has_user_audio": false, "has_response_audio": false, "environment": "production",
		"transcript": c.transcript(), "conversation_initiation_client_data": initiation,
		"metadata": map[string]any{
			"start_time_unix_secs": c.started.Unix(), "accepted_time_unix_secs": c.started.Unix(),
			"call_duration_secs": int(c.ended.Sub(c.started) / c.s.cfg.Second), "cost": 0, "termination_reason": c.over.reason,
			"error": failure, "warnings": []any{}, "authorization_method": "signed_url", "main_language": "en",
			"feedback": map[string]any{}, "charging": map[string]any{}, "phone_call": nil,
		},
		"analysis": map[string]any{
			"call_successful": verdict, "transcript_summary": fmt.Sprintf("The user spoke %d times.", said),
			"call_summary_title": "Conversation", "evaluation_criteria_results": map[string]any{}, "data_collection_results": map[string]any{},
		},
	}
}

// transcript returns the messages of the conversation in the form of the record.
func (c *conversation) transcript() []any {
	list := []any{}
	for _, m := range c.history {
		e := map[string]any{
			"role": "agent", "message": m.Content, "time_in_call_secs": int(m.note.at / c.s.cfg.Second),
			"tool_calls": []any{}, "tool_results": []any{}, "interrupted": m.note.interrupted, "original_message": nil,
			"conversation_turn_metrics": nil, "source_medium": nil,
		}
		switch {
		case m.Role == "user":
			e["role"], e["source_medium"] = "user", "audio"
			if m.note.platform != "" {
				e["message"], e["platform_event"] = nil, map[string]string{"type": m.note.platform}
			}
		case m.Role == "tool":
			e["message"] = nil
			e["tool_results"] = []any{map[string]any{
				"request_id": m.ToolCallID, "tool_name": m.note.tool, "result_value": *m.Content, "is_error": m.note.isError,
			}}
		case len(m.ToolCalls) > 0:
			f := m.ToolCalls[0]
			e["tool_calls"] = []any{map[string]any{
				"request_id": f.ID, "tool_name": f.Function.Name, "params_as_json": f.Function.Arguments, "tool_has_been_called": true,
			}}
		}
		if m.note.interrupted {
			e["original_message"] = m.note.original
		}
		if m.note.ttfb > 0 {
			e["conversation_turn_metrics"] = map[string]any{"metrics": map[string]any{
				"convai_llm_service_ttfb": map[string]any{"elapsed_time": m.note.ttfb.Seconds()},
			}}
		}
		list = append(list, e)
	}
	return list
}
