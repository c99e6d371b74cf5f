package voice

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// maxBody bounds a request's body, in bytes.
const maxBody = 1 << 20

// A refusal is an answer that says what is wrong with the request.
type refusal struct {
	code   int
	detail any
}

// refuse returns an error in the service's usual form.
func refuse(code int, status, message string) *refusal {
	return &refusal{code, map[string]string{"status": status, "message": message}}
}

func (b *refusal) write(w http.ResponseWriter) {
	wire.JSON(w, b.code, map[string]any{"detail": b.detail})
}

// invalid says what is wrong with a part of a request.
type invalid struct {
	Loc  []string `json:"loc"`
	Msg  string   `json:"msg"`
	Type string   `json:"type"`
}

// field returns what is wrong with a field of a body, whose names path joins by dots.
func field(msg, kind, path string) invalid {
	return invalid{append([]string{"body"}, strings.FieldsFunc(path, func(r rune) bool { return r == '.' })...), msg, kind}
}

// unprocessable returns the service's list of invalid fields, with 422.
func unprocessable(bad ...invalid) *refusal { return &refusal{http.StatusUnprocessableEntity, bad} }

// missing returns the refusal of a body without a field.
func missing(path string) *refusal { return unprocessable(field("Field required", "missing", path)) }

// A request is a request to the REST API; body is nil except for POST and PATCH.
type request struct {
	*http.Request

	body map[string]any
}

// Handler returns the handler of the REST API and the conversation socket, under /v1.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(request) (any, *refusal){
		"/": func(request) (any, *refusal) { return nil, &refusal{http.StatusNotFound, "Not Found"} },
		"GET /v1/convai/conversation/get-signed-url": s.signedURL,
		"POST /v1/convai/agents/create":              s.createAgent,
		"GET /v1/convai/agents":                      s.listAgents,
		"GET /v1/convai/agents/{id}":                 s.getAgent,
		"PATCH /v1/convai/agents/{id}":               s.patchAgent,
		"POST /v1/convai/secrets":                    s.createSecret,
		"GET /v1/convai/secrets":                     s.listSecrets,
		"PATCH /v1/convai/secrets/{id}":              s.patchSecret,
		"POST /v1/workspace/webhooks":                s.createWebhook,
		"GET /v1/workspace/webhooks":                 s.listWebhooks,
		"PATCH /v1/workspace/webhooks/{id}":          s.patchWebhook,
		"GET /v1/user/subscription":                  s.subscription,
	} {
		mux.HandleFunc(pattern, s.answer(serve))
	}
	mux.HandleFunc("GET /v1/convai/conversation", s.socket)
	return mux
}

// answer returns a handler that calls serve for a request with the key, holding mu.
func (s *Server) answer(serve func(request) (any, *refusal)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, bad := s.admit(w, r)
		s.mu.Lock()
		w.Header().Set("Current-Concurrent-Requests", strconv.Itoa(s.live))
		w.Header().Set("Maximum-Concurrent-Requests", "300")
		var out any
		if bad == nil {
			out, bad = serve(request{r, body})
		}
		s.mu.Unlock()
		if bad != nil {
			bad.write(w)
			return
		}
		wire.JSON(w, http.StatusOK, out)
	}
}

// admit checks the key and, for POST and PATCH, reads a JSON object from the body.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (body map[string]any, bad *refusal) {
	switch key := r.Header.Get("Xi-Api-Key"); {
	case key == "":
		return nil, refuse(http.StatusUnauthorized, "needs_authorization", "Neither authorization header nor xi-api-key received, please provide one.")
	case !wire.Equal(key, s.cfg.APIKey):
		return nil, refuse(http.StatusUnauthorized, "invalid_api_key", "Invalid API key")
	case r.Method != http.MethodPost && r.Method != http.MethodPatch:
		return nil, nil
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&body)
	if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "Request body too large"}
	}
	if err != nil || body == nil {
		return nil, unprocessable(field("JSON decode error", "json_invalid", ""))
	}
	return body, nil
}

// ticketLife is how long a signed URL may be used to start a conversation.
const ticketLife = 15 * time.Minute

// A ticket is what a signed URL stands for: the right to start conversations with an agent until
// it expires.
type ticket struct {
	agent   string
	expires time.Time
}

// signedURL returns a signed URL and drops the expired tickets.
func (s *Server) signedURL(r request) (any, *refusal) {
	id := r.FormValue("agent_id")
	switch _, ok := s.agents[id]; {
	case id == "":
		return nil, unprocessable(invalid{[]string{"query", "agent_id"}, "Field required", "missing"})
	case s.cfg.Faults.On(faults.VoiceBusy):
		return nil, refuse(http.StatusTooManyRequests, "too_many_concurrent_requests", "Too many concurrent requests.")
	case !ok:
		return nil, errNoAgent
	}
	now, signature := time.Now(), wire.ID("cvtkn_")
	maps.DeleteFunc(s.tickets, func(_ string, t ticket) bool { return now.After(t.expires) })
	s.tickets[signature] = ticket{id, now.Add(ticketLife)}
	return map[string]string{"signed_url": "ws://" + r.Host + "/v1/convai/conversation?agent_id=" + id + "&conversation_signature=" + signature}, nil
}

// listed returns the results of resource for all entries of a map, ordered by id.
func listed[T any](all map[string]T, resource func(id string, v T) map[string]any) []map[string]any {
	list := []map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list = append(list, resource(id, all[id]))
	}
	return list
}

// A secret is a value that is never shown again.
type secret struct {
	name, value string
}

func (s *Server) createSecret(r request) (any, *refusal) {
	return s.putSecret(r, wire.ID("sec_"), "new")
}

func (s *Server) patchSecret(r request) (any, *refusal) {
	id := r.PathValue("id")
	if _, ok := s.secrets[id]; !ok {
		return nil, refuse(http.StatusNotFound, "secret_not_found", "Secret not found.")
	}
	return s.putSecret(r, id, "update")
}

func (s *Server) putSecret(r request, id, kind string) (any, *refusal) {
	name, _ := r.body["name"].(string)
	value, _ := r.body["value"].(string)
	switch {
	case r.body["type"] != kind:
		return nil, unprocessable(field("Input should be '"+kind+"'", "literal_error", "type"))
	case name == "":
		return nil, missing("name")
	case value == "":
		return nil, missing("value")
	}
	s.secrets[id] = secret{name, value}
	return map[string]string{"type": "stored", "secret_id": id, "name": name}, nil
}

func (s *Server) listSecrets(request) (any, *refusal) {
	return map[string]any{"secrets": listed(s.secrets, func(id string, v secret) map[string]any {
		return map[string]any{
			"type": "stored", "secret_id": id, "name": v.name,
			"used_by": map[string]any{"tools": []any{}, "agents": []any{}, "others": []any{}},
		}
	})}, nil
}

// autoDisableAfter is how many consecutive failures disable a webhook.
const autoDisableAfter = 10

// A webhook is an address that receives finished conversations.
type webhook struct {
	name, url, secret      string
	created                time.Time
	retry                  bool
	disabled, autoDisabled bool
	failures               int // consecutive
	lastCode               int // of the last failure
}

func (s *Server) createWebhook(r request) (any, *refusal) {
	set, ok := r.body["settings"].(map[string]any)
	name, _ := set["name"].(string)
	url, _ := set["webhook_url"].(string)
	switch {
	case !ok:
		return nil, missing("settings")
	case set["auth_type"] != "hmac":
		return nil, unprocessable(field("Input should be 'hmac'", "literal_error", "settings.auth_type"))
	case name == "":
		return nil, missing("settings.name")
	case !wire.IsURL(url):
		return nil, unprocessable(field("Input should be a valid URL", "url_parsing", "settings.webhook_url"))
	}
	id, h := wire.ID("wh_"), &webhook{name: name, url: url, secret: wire.ID("wsec_"), created: time.Now()}
	s.webhooks[id] = h
	return map[string]string{"webhook_id": id, "webhook_secret": h.secret}, nil
}

func (s *Server) listWebhooks(request) (any, *refusal) {
	return map[string]any{"webhooks": listed(s.webhooks, func(id string, h *webhook) map[string]any {
		out := map[string]any{
			"webhook_id": id, "name": h.name, "webhook_url": h.url, "auth_type": "hmac",
			"is_disabled": h.disabled, "is_auto_disabled": h.autoDisabled, "retry_enabled": h.retry,
			"created_at_unix": h.created.Unix(), "usage": []any{}, "most_recent_failure_error_code": nil,
		}
		if h.failures > 0 {
			out["most_recent_failure_error_code"] = h.lastCode
		}
		return out
	})}, nil
}

func (s *Server) patchWebhook(r request) (any, *refusal) {
	h, ok := s.webhooks[r.PathValue("id")]
	if !ok {
		return nil, refuse(http.StatusNotFound, "webhook_not_found", "Webhook not found.")
	}
	if v, ok := r.body["name"].(string); ok && v != "" {
		h.name = v
	}
	if v, ok := r.body["retry_enabled"].(bool); ok {
		h.retry = v
	}
	if v, ok := r.body["is_disabled"].(bool); ok {
		h.disabled = v
		if !v {
			h.autoDisabled, h.failures = false, 0
		}
	}
	return map[string]string{"status": "ok"}, nil
}

func (s *Server) subscription(request) (any, *refusal) {
	return map[string]any{
		"tier": "sandbox", "status": "active", "character_count": 0, "character_limit": 1_000_000,
		"can_extend_character_limit": true, "currency": "usd",
	}, nil
}
