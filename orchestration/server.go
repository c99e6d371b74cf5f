package orchestration

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store"
)

// Server is the model endpoint. It may be used concurrently.
type Server struct {
	cfg        Config
	log        *slog.Logger
	secret     [sha256.Size]byte
	supervisor *supervisor
	metrics    *metrics
	routes     chi.Router
	flights    flights
	created    int64 // unix seconds, for the list of models

	closing chan struct{}
	work    sync.WaitGroup
	mu      sync.Mutex // guards closed, and work.Add against work.Wait
	closed  bool
}

// New returns a Server, or an error that names everything wrong with cfg. It starts nothing.
func New(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure the model endpoint: %w", err)
	}
	s := &Server{
		cfg: cfg, log: cfg.Log, metrics: newMetrics(cfg.Metrics), secret: sha256.Sum256([]byte(cfg.Secret)),
		supervisor: newSupervisor(cfg.Personas, cfg.Middleware, cfg.Silence, cfg.Patient, calm(calmSentence)),
		flights:    flights{all: make(map[flightKey]*flight)},
		created:    time.Now().Unix(), closing: make(chan struct{}),
	}
	s.routes = s.router()
	return s, nil
}

func (s *Server) router() chi.Router {
	r := chi.NewRouter()
	r.NotFound(func(w http.ResponseWriter, _ *http.Request) { writeError(w, errUnknownPath) })
	r.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) { writeError(w, errMethod) })
	r.Post("/v1/chat/completions", s.guard(s.completions))
	// The voice service appends the path to the configured address, which may already contain it.
	r.Post("/v1/chat/completions/chat/completions", s.guard(s.completions))
	r.Get("/v1/models", s.guard(s.models))
	r.Get("/v1/models/{id}", s.guard(s.model))
	return r
}

// ServeHTTP serves everything below /v1.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// CallEnded stops a call's turns and forgets them.
func (s *Server) CallEnded(id store.CallID) { s.flights.halt(&id) }

// Close refuses new turns and waits until the running ones have ended and are recorded. If ctx ends
// first, it stops them, tries once more to record them, and returns ctx's error. It may be called
// twice.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	s.mu.Unlock()
	s.flights.halt(nil)
	select {
	case <-done:
	case <-time.After(recordDeadline):
	}
	return fmt.Errorf("close the model endpoint: %w", ctx.Err())
}

// enlist registers n goroutines, and reports whether it did: a closed server accepts none.
func (s *Server) enlist(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Add(n)
	}
	return !s.closed
}

// guard requires the bearer token. It compares hashes: the time taken reveals neither the secret's
// length nor its beginning.
func (s *Server) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(strings.TrimSpace(key)))
		if subtle.ConstantTimeCompare(sum[:], s.secret[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
			writeError(w, errInvalidKey)
			return
		}
		next(w, r)
	}
}

func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	buf, _ := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(buf)
	if err := readBody(w, r, buf); err != nil {
		writeError(w, err)
		return
	}
	req, err := parseRequest(buf.Bytes())
	if err != nil {
		writeError(w, err)
		return
	}
	line, reason, err := s.resolve(r.Context(), req)
	switch {
	case err != nil:
		s.refuse(w, r, err)
		return
	case reason != "":
		s.passOn(w, r, req, reason)
		return
	}
	s.answer(w, r, req, line, began) //nolint:contextcheck // the reply outlives the request on purpose
}

// refuse answers a request whose call token is wrong, and counts it: either a client with the
// bearer token tries call tokens, or the keys of two installations differ.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := publicError(err).code
	s.metrics.refused.WithLabelValues(code).Inc()
	s.log.LogAttrs(r.Context(), slog.LevelWarn, "turn refused", slog.String("reason", code))
	writeError(w, err)
}

// replyID returns a turn's id on the wire.
func replyID(id store.TurnID) string { return "chatcmpl-" + hex.EncodeToString(id.UUID[:]) }

// modelEntry is our entry in lists of models.
type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (s *Server) entry() modelEntry { return modelEntry{modelName, "model", s.created, "naiber"} }

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []modelEntry{s.entry()}})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	if id := chi.URLParam(r, "id"); id != modelName {
		writeError(w, modelNotFound(id))
		return
	}
	writeJSON(w, http.StatusOK, s.entry())
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The error is ignored: the client is gone.
	_ = json.NewEncoder(w).Encode(v)
}
