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

// maxBody bounds a request body, in bytes. A long call's history is a few
// hundred kilobytes; what is larger is a mistake.
const maxBody = 8 << 20

// Config says how the server behaves. The zero value answers at once, accepts
// any bearer and has no faults.
type Config struct {
	// APIKey is the bearer that requests must present. Empty: any, or none.
	APIKey string
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
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /v1/chat/completions": s.chat, "POST /v1/embeddings": s.embeddings, "GET /v1/models": listModels, "/": unknown,
	} {
		mux.HandleFunc(pattern, s.answer(serve))
	}
	return mux
}

// answer checks the bearer, bounds the body and writes what the handler returns
// as an error body. A handler that has begun to answer returns nil.
func (s *server) answer(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var err error
		key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch {
		case s.cfg.APIKey == "" || ok && wire.Equal(key, s.cfg.APIKey):
			err = serve(w, r)
		case !ok || key == "":
			err = errNoKey
		default:
			err = errWrongKey
		}
		if err == nil {
			return
		}
		api, ok := errors.AsType[*apiError](err)
		if !ok {
			api = errInternal
		}
		s.cfg.Log.DebugContext(r.Context(), "model request refused",
			slog.Int("status", api.status), slog.Any("reason", api.Code), slog.Any("err", err))
		api.write(w)
	}
}

func unknown(_ http.ResponseWriter, r *http.Request) error {
	return invalid(http.StatusNotFound, "unknown_url", "", "Unknown request URL: "+r.Method+" "+r.URL.Path+".")
}

// listModels answers GET /v1/models, though requests may name any model.
func listModels(w http.ResponseWriter, _ *http.Request) error {
	var data []any
	for _, id := range []string{"gpt-4o", "gpt-4o-mini", "text-embedding-3-small"} {
		data = append(data, map[string]any{"id": id, "object": "model", "created": 1715367049, "owned_by": "sandbox"})
	}
	wire.JSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
	return nil
}

// An apiError is an error in the wire's own form.
type apiError struct {
	status  int
	Message string `json:"message"`
	Kind    string `json:"type"`
	Param   any    `json:"param"` // a string, or null
	Code    any    `json:"code"`  // likewise
}

var (
	errNoKey = invalid(http.StatusUnauthorized, "", "", "You didn't provide an API key. You need to provide your API key in an Authorization header "+
		"using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")
	// The real service repeats the key with its middle struck out; a secret is
	// better not repeated at all.
	errWrongKey = invalid(http.StatusUnauthorized, "invalid_api_key", "", "Incorrect API key provided. You can find your API key at "+
		"https://platform.openai.com/account/api-keys.")
	errBadJSON = invalid(http.StatusBadRequest, "", "", "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "+
		"library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)")
	errTooLarge = invalid(http.StatusRequestEntityTooLarge, "request_too_large", "", "The request body is too large.")
	errInternal = &apiError{
		status: http.StatusInternalServerError, Kind: "server_error",
		Message: "The server had an error while processing your request. Sorry about that!",
	}
)

// invalid is a refusal, about one parameter if it is named.
func invalid(status int, code, param, message string) *apiError {
	e := &apiError{status: status, Kind: "invalid_request_error", Message: message}
	if param != "" {
		e.Param = param
	}
	if code != "" {
		e.Code = code
	}
	return e
}

// A check is something that a request must be.
type check struct {
	ok                   bool
	code, param, message string
}

// first returns the error of the first check that fails.
func first(checks ...check) error {
	for _, c := range checks {
		if !c.ok {
			return invalid(http.StatusBadRequest, c.code, c.param, c.message)
		}
	}
	return nil
}

// Error is the message that a client sees.
func (e *apiError) Error() string { return e.Message }

func (e *apiError) write(w http.ResponseWriter) {
	if e.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	wire.JSON(w, e.status, map[string]any{"error": e})
}

// readJSON decodes the body of a request and checks it. All of it is read before
// the first byte of the answer leaves: an HTTP/1 server may stop reading once it
// writes.
func readJSON(r *http.Request, v interface{ check() error }) error {
	body, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	err = json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid(http.StatusBadRequest, "invalid_type", wrong.Field, fmt.Sprintf("Invalid type for '%s': got %s.", wrong.Field, wrong.Value))
	}
	if err != nil {
		return errBadJSON
	}
	return v.check()
}
