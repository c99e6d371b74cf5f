package voice

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// maxBody bounds a request's body.
const maxBody = 1 << 20

// Handler is the REST API and the conversation socket, under /v1.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, map[string]string{"detail": "Not Found"})
	})
	mux.HandleFunc("GET /v1/convai/conversation/get-signed-url", s.signedURL)
	mux.HandleFunc("POST /v1/convai/agents/create", s.createAgent)
	mux.HandleFunc("GET /v1/convai/agents", s.listAgents)
	mux.HandleFunc("GET /v1/convai/agents/{id}", s.getAgent)
	mux.HandleFunc("PATCH /v1/convai/agents/{id}", s.patchAgent)
	mux.HandleFunc("POST /v1/convai/secrets", s.createSecret)
	mux.HandleFunc("GET /v1/convai/secrets", s.listSecrets)
	mux.HandleFunc("PATCH /v1/convai/secrets/{id}", s.patchSecret)
	mux.HandleFunc("POST /v1/workspace/webhooks", s.createWebhook)
	mux.HandleFunc("GET /v1/workspace/webhooks", s.listWebhooks)
	mux.HandleFunc("PATCH /v1/workspace/webhooks/{id}", s.patchWebhook)
	mux.HandleFunc("GET /v1/convai/conversations/{id}", s.getConversation)
	mux.HandleFunc("GET /v1/user/subscription", s.subscription)
	mux.HandleFunc("GET /v1/user", s.user)
	outer := http.NewServeMux()
	outer.HandleFunc("GET /v1/convai/conversation", s.socket)
	outer.Handle("/", s.guard(mux))
	return outer
}

// guard lets requests through that have the key.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("current-concurrent-requests", strconv.Itoa(s.Live()))
		w.Header().Set("maximum-concurrent-requests", "300")
		key := r.Header.Get("Xi-Api-Key")
		switch {
		case key == "":
			refuse(w, http.StatusUnauthorized, "needs_authorization", "Neither authorization header nor xi-api-key received, please provide one.")
		case subtle.ConstantTimeCompare([]byte(key), []byte(s.cfg.APIKey)) != 1:
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "Invalid API key")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// refuse answers with the service's usual error.
func refuse(w http.ResponseWriter, code int, status, message string) {
	answer(w, code, map[string]any{"detail": map[string]string{"status": status, "message": message}})
}

// invalid is what is wrong with a field of a body.
type invalid struct {
	Loc  []any  `json:"loc"`
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// unprocessable answers with the service's list of wrong fields.
func unprocessable(w http.ResponseWriter, bad ...invalid) {
	answer(w, http.StatusUnprocessableEntity, map[string]any{"detail": bad})
}

func field(msg, kind string, path ...string) invalid {
	loc := []any{"body"}
	for _, p := range path {
		loc = append(loc, p)
	}
	return invalid{loc, msg, kind}
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// readBody reads a JSON object. It has answered when it returns false.
func readBody(w http.ResponseWriter, r *http.Request) (map[string]any, bool) {
	var body map[string]any
	err := json.NewDecoder(r.Body).Decode(&body)
	if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
		answer(w, http.StatusRequestEntityTooLarge, map[string]string{"detail": "Request body too large"})
		return nil, false
	}
	if err != nil || body == nil {
		unprocessable(w, field("JSON decode error", "json_invalid"))
		return nil, false
	}
	return body, true
}

// signedURL hands out the right to hold one conversation, or several within a
// quarter of an hour.
func (s *Server) signedURL(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("agent_id")
	if id == "" {
		unprocessable(w, invalid{[]any{"query", "agent_id"}, "Field required", "missing"})
		return
	}
	if s.cfg.Faults.On(faults.VoiceBusy) {
		refuse(w, http.StatusTooManyRequests, "too_many_concurrent_requests", "Too many concurrent requests.")
		return
	}
	if _, ok := s.agent(id); !ok {
		refuse(w, http.StatusNotFound, "agent_not_found", "Agent not found.")
		return
	}
	signature, conversation := s.issue(id, r.FormValue("include_conversation_id") == "true")
	url := "ws://" + r.Host + "/v1/convai/conversation?agent_id=" + id + "&conversation_signature=" + signature
	if conversation != "" {
		url += "&conversation_id=" + conversation
	}
	answer(w, http.StatusOK, map[string]string{"signed_url": url})
}

func (s *Server) subscription(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, subscription())
}

func (s *Server) user(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"user_id": "sandbox", "is_new_user": false, "subscription": subscription()})
}

func subscription() map[string]any {
	return map[string]any{
		"tier": "sandbox", "status": "active", "character_count": 0, "character_limit": 1_000_000,
		"can_extend_character_limit": true, "currency": "usd",
	}
}
