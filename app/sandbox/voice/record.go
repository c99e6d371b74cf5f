package voice

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// keepRecords is how many conversations REST still knows.
const keepRecords = 1000

// record is what is kept of a conversation.
type record struct {
	id, agentID string

	mu         sync.Mutex // guards what follows
	status     string
	userID     string
	initiation json.RawMessage
	started    time.Time
	ended      time.Time
	over       *ending
	history    []message
	second     time.Duration
}

// open begins a record, and forgets the oldest when there are many.
func (s *Server) open(id, agentID string) *record {
	r := &record{id: id, agentID: agentID, status: "initiated", started: time.Now(), second: s.cfg.Second}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[id] = r
	s.order = append(s.order, id)
	if len(s.order) > keepRecords {
		delete(s.records, s.order[0])
		s.order = s.order[1:]
	}
	return r
}

func (r *record) begin(set *setup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.userID, r.initiation, r.started = "in-progress", set.userID, set.raw, time.Now()
}

// publish copies the history into the record.
func (c *conversation) publish() {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	c.rec.history = slices.Clone(c.history)
}

func (r *record) finish(over *ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.over, r.ended = "processing", over, time.Now()
}

// settle says that the analysis is there.
func (r *record) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = "done"
	if r.over != nil && r.over.kind != "" {
		r.status = "failed"
	}
}

// resource is the conversation as REST and the webhook show it.
func (r *record) resource() map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.ended
	if end.IsZero() {
		end = time.Now()
	}
	meta := map[string]any{
		"start_time_unix_secs": r.started.Unix(), "accepted_time_unix_secs": r.started.Unix(),
		"call_duration_secs": int(end.Sub(r.started) / r.second), "cost": 0, "termination_reason": "",
		"error": nil, "warnings": []any{}, "authorization_method": "signed_url", "main_language": "en",
		"feedback": map[string]any{}, "charging": map[string]any{}, "phone_call": nil,
	}
	if r.over != nil {
		meta["termination_reason"] = r.over.reason
		if r.over.kind != "" {
			meta["error"] = map[string]any{"code": r.over.code, "reason": r.over.reason}
		}
	}
	out := map[string]any{
		"agent_id": r.agentID, "conversation_id": r.id, "status": r.status, "user_id": nil,
		"has_audio": false, "has_user_audio": false, "has_response_audio": false, "environment": "production",
		"transcript": r.transcript(), "metadata": meta, "analysis": nil, "conversation_initiation_client_data": r.initiation,
	}
	if r.userID != "" {
		out["user_id"] = r.userID
	}
	if r.status == "done" || r.status == "failed" {
		out["analysis"] = r.analysis()
	}
	return out
}

// transcript lists who said what. The mutex is held.
func (r *record) transcript() []any {
	list := []any{}
	for _, m := range r.history {
		e := map[string]any{
			"role": "agent", "message": m.Content, "time_in_call_secs": int(m.note.at / r.second),
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

// analysis is a modest judgement. The mutex is held.
func (r *record) analysis() map[string]any {
	said := 0
	for _, m := range r.history {
		if m.Role == "user" && m.note.platform == "" {
			said++
		}
	}
	verdict := "unknown"
	if said > 0 {
		verdict = "success"
	}
	if r.over != nil && r.over.kind != "" {
		verdict = "failure"
	}
	return map[string]any{
		"call_successful": verdict, "transcript_summary": "The user spoke " + strconv.Itoa(said) + " times.",
		"call_summary_title": "Conversation", "evaluation_criteria_results": map[string]any{}, "data_collection_results": map[string]any{},
	}
}

func (s *Server) record(id string) (*record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[id]
	return r, ok
}

func (s *Server) getConversation(w http.ResponseWriter, r *http.Request) {
	rec, ok := s.record(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "conversation_not_found", "Conversation not found.")
		return
	}
	answer(w, http.StatusOK, rec.resource())
}
