package model

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxBody bounds a request body, in bytes. A long call's history is a few
// hundred kilobytes; what is larger is a mistake.
const maxBody = 8 << 20

// Config says how the server behaves. The zero value answers at once, accepts
// any bearer and has no faults.
type Config struct {
	// APIKey is the bearer that requests must present. Empty: any, or none.
	APIKey string
	// Models are the ids that GET /v1/models lists. Empty: a few well-known
	// ones. Requests may name any model.
	Models []string
	// Log receives one line for each request, at debug level, without its
	// words. Nil: nothing is logged.
	Log *slog.Logger
	// FirstTokenDelay passes before the first token of a completion, and
	// before an embedding. Zero: none.
	FirstTokenDelay time.Duration
	// TokenDelay passes between two tokens of a stream. Zero: none.
	TokenDelay time.Duration
	// Faults tells whether the fault of a name of [faults.All] is on, and with
	// what value. It is asked once for each name and request, from many
	// goroutines at once. Nil: no faults.
	Faults func(name string) (value string, on bool)
}

// New returns the handler of the server's routes:
//
//	POST /v1/chat/completions
//	POST /v1/embeddings
//	GET  /v1/models, /v1/models/{id}
//
// It starts no goroutines and may be used from many at once. A request that a
// fault keeps waiting ends with its context.
func New(cfg Config) http.Handler {
	s := &server{cfg: cfg, log: cfg.Log, now: time.Now}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if len(s.cfg.Models) == 0 {
		s.cfg.Models = []string{"gpt-4o", "gpt-4o-mini", "text-embedding-3-small"}
	}
	if s.cfg.Faults == nil {
		s.cfg.Faults = func(string) (string, bool) { return "", false }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.guarded(s.chat))
	mux.HandleFunc("POST /v1/embeddings", s.guarded(s.embeddings))
	mux.HandleFunc("GET /v1/models", s.guarded(s.models))
	mux.HandleFunc("GET /v1/models/{id}", s.guarded(s.oneModel))
	mux.HandleFunc("/", s.unknown)
	return mux
}

type server struct {
	cfg Config
	log *slog.Logger
	now func() time.Time
}

// guarded checks the bearer, bounds the body and writes what the handler
// returns as an error body. A handler that has begun to answer returns nil.
func (s *server) guarded(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.authenticate(r); err != nil {
			s.fail(w, r, err)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

func (s *server) authenticate(r *http.Request) error {
	if s.cfg.APIKey == "" {
		return nil
	}
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok || key == "":
		return errNoKey
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.cfg.APIKey)) != 1:
		return errWrongKey
	}
	return nil
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	api, ok := errors.AsType[*apiError](err)
	if !ok {
		api = errInternal
	}
	s.log.DebugContext(r.Context(), "model request refused",
		slog.Int("status", api.status), slog.String("reason", api.code), slog.Any("err", err))
	api.write(w)
}

func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, invalid("unknown_url", "", "Unknown request URL: "+r.Method+" "+r.URL.Path+".").as(http.StatusNotFound))
}

// listed is one entry of the model list. Its moment is arbitrary, but always the same.
func listed(id string) map[string]any {
	return map[string]any{"id": id, "object": "model", "created": 1715367049, "owned_by": "sandbox"}
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) error {
	data := make([]map[string]any, len(s.cfg.Models))
	for i, id := range s.cfg.Models {
		data[i] = listed(id)
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
	return nil
}

func (s *server) oneModel(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if !slices.Contains(s.cfg.Models, id) {
		return invalid("model_not_found", "model", "The model '"+id+"' does not exist or you do not have access to it.").as(http.StatusNotFound)
	}
	writeJSON(w, http.StatusOK, listed(id))
	return nil
}

// An apiError is an error in the wire's own form.
type apiError struct {
	status  int
	message string
	kind    string // "type" on the wire
	param   string // empty: null
	code    string // empty: null
}

var (
	errNoKey = invalid("", "", "You didn't provide an API key. You need to provide your API key in an Authorization header "+
		"using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).").as(http.StatusUnauthorized)
	// The real service repeats the key with its middle struck out; a secret is
	// better not repeated at all.
	errWrongKey = invalid("invalid_api_key", "", "Incorrect API key provided. You can find your API key at "+
		"https://platform.openai.com/account/api-keys.").as(http.StatusUnauthorized)
	errBadJSON = invalid("", "", "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "+
		"library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)")
	errTooLarge = invalid("request_too_large", "", "The request body is too large.").as(http.StatusRequestEntityTooLarge)
	errNoModel  = invalid("", "", "you must provide a model parameter")
	errInternal = &apiError{
		status: http.StatusInternalServerError, kind: "server_error",
		message: "The server had an error while processing your request. Sorry about that!",
	}
)

// invalid is a 400 about one parameter.
func invalid(code, param, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", code: code, param: param, message: message}
}

// as returns the same error under another status.
func (e *apiError) as(status int) *apiError {
	other := *e
	other.status = status
	return &other
}

// Error is the message that a client sees.
func (e *apiError) Error() string { return e.message }

func (e *apiError) write(w http.ResponseWriter) {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	if e.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, e.status, map[string]any{"error": map[string]any{
		"message": e.message, "type": e.kind, "param": orNull(e.param), "code": orNull(e.code),
	}})
}

// readJSON decodes the body of a request. All of it is read before the first byte
// of the answer leaves: an HTTP/1 server may stop reading once it writes.
func readJSON(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	err = json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid("invalid_type", wrong.Field, fmt.Sprintf("Invalid type for '%s': got %s.", wrong.Field, wrong.Value))
	}
	if err != nil {
		return errBadJSON
	}
	return nil
}

// writeJSON answers with v. The client may be gone; there is nobody to tell.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
