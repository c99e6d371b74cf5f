package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// maxBody bounds a request body, in bytes. The history of a long call has a tenth of that.
const maxBody = 8 << 20

// Config says how the server behaves. The zero value answers at once, accepts
// any bearer and has no faults.
type Config struct {
	APIKey          string        // the bearer that requests must present; "" for any or none
	Log             *slog.Logger  // gets a line for each request, at debug level and without its words; may be nil
	FirstTokenDelay time.Duration // passes before the first token of a completion, a quarter of it before an embedding
	TokenDelay      time.Duration // passes between two tokens
	// Faults tells whether the fault of a name of [faults.All] is on, and with
	// what value. It is asked once for each name and request, from many
	// goroutines at once. Nil: no faults.
	Faults func(name string) (value string, on bool)
}

type server struct{ cfg Config }

// New returns the handler of the server's routes:
//
//	POST /v1/chat/completions
//	POST /v1/embeddings
//	GET  /v1/models
//
// It starts no goroutines and may be used from many at once. A request that a
// fault keeps waiting ends with its context.
func New(cfg Config) http.Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Faults == nil {
		cfg.Faults = func(string) (string, bool) { return "", false }
	}
	s := &server{cfg: cfg}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.answer(s.chat))
	mux.HandleFunc("POST /v1/embeddings", s.answer(s.embeddings))
	mux.HandleFunc("GET /v1/models", s.answer(listModels))
	mux.HandleFunc("/", s.answer(func(_ http.ResponseWriter, r *http.Request) *apiError {
		return invalid(http.StatusNotFound, "unknown_url", nil, "Unknown request URL: "+r.Method+" "+r.URL.Path+".")
	}))
	return mux
}

// answer checks the bearer, bounds the body and writes the error that serve returns
// instead of answering.
func (s *server) answer(serve func(http.ResponseWriter, *http.Request) *apiError) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := invalid(http.StatusUnauthorized, "invalid_api_key", nil, "No API key, or an incorrect one, was provided as a bearer.")
		key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if s.cfg.APIKey == "" || ok && wire.Equal(key, s.cfg.APIKey) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			err = serve(w, r)
		}
		if err != nil {
			s.cfg.Log.DebugContext(r.Context(), "model request refused", slog.Int("status", err.status), slog.Any("reason", err.Code))
			err.write(w)
		}
	}
}

// listModels answers GET /v1/models, though requests may name any model.
func listModels(w http.ResponseWriter, _ *http.Request) *apiError {
	var data []any
	for _, id := range []string{"gpt-4o", "gpt-4o-mini", "text-embedding-3-small"} {
		data = append(data, map[string]any{"id": id, "object": "model", "created": 1715367049, "owned_by": "sandbox"})
	}
	wire.JSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
	return nil
}

// An apiError is an error in the wire's own form. Its parameter and its code are
// strings, or null.
type apiError struct {
	status  int
	Message string `json:"message"`
	Kind    string `json:"type"`
	Param   any    `json:"param"`
	Code    any    `json:"code"`
}

func invalid(status int, code, param any, message string) *apiError {
	return &apiError{status, message, "invalid_request_error", param, code}
}

func (e *apiError) write(w http.ResponseWriter) { wire.JSON(w, e.status, map[string]any{"error": e}) }

// unless returns the refusal of a request, or nil if it is as it must be.
func unless(ok bool, code, param any, message string) *apiError {
	if ok {
		return nil
	}
	return invalid(http.StatusBadRequest, code, param, message)
}

// readJSON decodes the body of a request and checks it. It reads all of it, since an
// HTTP/1 server may stop reading once it writes.
func readJSON(r *http.Request, v interface{ check() *apiError }) *apiError {
	body, err := io.ReadAll(r.Body)
	if err != nil { // or else the client has gone, and reads no answer
		return invalid(http.StatusRequestEntityTooLarge, "request_too_large", nil, "The request body is too large.")
	}
	err = json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid(http.StatusBadRequest, "invalid_type", wrong.Field, fmt.Sprintf("Invalid type for '%s': got %s.", wrong.Field, wrong.Value))
	}
	if err != nil {
		return invalid(http.StatusBadRequest, nil, nil, "We could not parse the JSON body of your request.")
	}
	return v.check()
}
