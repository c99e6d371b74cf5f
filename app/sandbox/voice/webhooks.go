package voice

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// autoDisableAfter is how many failures in a row switch a webhook off.
const autoDisableAfter = 10

// webhook is an address for finished conversations. The server's mutex guards
// it.
type webhook struct {
	id, name, url, secret  string
	created                time.Time
	retry                  bool
	disabled, autoDisabled bool
	failures               int // in a row
	lastCode               int // of the last failure
}

func (h *webhook) resource() map[string]any {
	out := map[string]any{
		"webhook_id": h.id, "name": h.name, "webhook_url": h.url, "auth_type": "hmac",
		"is_disabled": h.disabled, "is_auto_disabled": h.autoDisabled, "retry_enabled": h.retry,
		"created_at_unix": h.created.Unix(), "usage": []any{}, "most_recent_failure_error_code": nil,
	}
	if h.failures > 0 {
		out["most_recent_failure_error_code"] = h.lastCode
	}
	return out
}

func (s *Server) createWebhook(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	set, _ := body["settings"].(map[string]any)
	name, _ := set["name"].(string)
	url, _ := set["webhook_url"].(string)
	switch {
	case set == nil:
		unprocessable(w, field("Field required", "missing", "settings"))
		return
	case set["auth_type"] != "hmac":
		unprocessable(w, field("Input should be 'hmac'", "literal_error", "settings", "auth_type"))
		return
	case name == "":
		unprocessable(w, field("Field required", "missing", "settings", "name"))
		return
	case !webURL(url):
		unprocessable(w, field("Input should be a valid URL", "url_parsing", "settings", "webhook_url"))
		return
	}
	h := &webhook{id: newID("wh_"), name: name, url: url, secret: newID("wsec_"), created: time.Now()}
	s.mu.Lock()
	s.webhooks[h.id] = h
	s.mu.Unlock()
	answer(w, http.StatusOK, map[string]string{"webhook_id": h.id, "webhook_secret": h.secret})
}

func (s *Server) listWebhooks(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.webhooks)) {
		list = append(list, s.webhooks[id].resource())
	}
	answer(w, http.StatusOK, map[string]any{"webhooks": list})
}

func (s *Server) patchWebhook(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.webhooks[r.PathValue("id")]
	if !ok {
		refuse(w, http.StatusNotFound, "webhook_not_found", "Webhook not found.")
		return
	}
	if v, ok := body["name"].(string); ok && v != "" {
		h.name = v
	}
	if v, ok := body["retry_enabled"].(bool); ok {
		h.retry = v
	}
	if v, ok := body["is_disabled"].(bool); ok {
		h.disabled = v
		if !v {
			h.autoDisabled, h.failures = false, 0
		}
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}
