package model

import (
	"crypto/subtle"
	"errors"
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
	// Faults tells whether the fault of a name (see [Faults]) is on, and with
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
	var api *apiError
	if !errors.As(err, &api) {
		api = errInternal
	}
	s.log.DebugContext(r.Context(), "model request refused",
		slog.Int("status", api.status), slog.String("reason", api.code), slog.Any("err", err))
	api.write(w)
}

func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, invalid("unknown_url", "", "Unknown request URL: "+r.Method+" "+r.URL.Path+
		". Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/.").as(http.StatusNotFound))
}

// A listedModel is one entry of the model list.
type listedModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func listed(id string) listedModel {
	// The moment is arbitrary, but the same in every list.
	return listedModel{ID: id, Object: "model", Created: 1715367049, OwnedBy: "sandbox"}
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) error {
	list := struct {
		Object string        `json:"object"`
		Data   []listedModel `json:"data"`
	}{Object: "list", Data: []listedModel{}}
	for _, id := range s.cfg.Models {
		list.Data = append(list.Data, listed(id))
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

func (s *server) oneModel(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if slices.Contains(s.cfg.Models, id) {
		writeJSON(w, http.StatusOK, listed(id))
		return nil
	}
	return invalid("model_not_found", "model", "The model '"+id+"' does not exist or you do not have access to it.").as(http.StatusNotFound)
}
