package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/app/console"
	"github.com/naiber/naiber/app/telemetry"
)

const (
	// headerTimeout bounds how long a client may take to say what it wants, and
	// maxHeader how many bytes it may use for that.
	headerTimeout = 10 * time.Second
	maxHeader     = 64 << 10
	// requestTimeout bounds a whole request with its body. net/http lifts it once
	// the body is there, so that it ends no stream.
	requestTimeout = 30 * time.Second
	// answerTimeout bounds a whole answer: more than the slowest, a call that
	// waits for another to be placed. Streams of events bound each write instead,
	// and WebSockets are watched by those who write to them.
	answerTimeout = 2 * time.Minute
	// maxQueueForm bounds what the page of the queues is sent.
	maxQueueForm = 1 << 20
	// readyTimeout bounds the question whether calls can be carried: whoever asks
	// gives up soon, and a late answer is none.
	readyTimeout = 2 * time.Second
	// idleTimeout is longer than the pause between two turns, so that the voice
	// service keeps its connection.
	idleTimeout = 2 * time.Minute
)

// routes is every door of the process, in one place.
func (a *App) routes() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(recovered(a.log))
	door := console.NewDoor(a.cfg.Auth.AdminPassword.Reveal(), a.opts.Sandbox != nil)

	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok " + a.instance + "\n")) })
	r.Get("/readyz", a.ready)
	r.Handle("/metrics", telemetry.MetricsHandler(a.metrics))

	r.Handle("/v1/*", a.turns)
	a.calls.Routes(r)
	doc := api.Mount(r, api.Deps{
		Store: a.store, Dialer: a.calls, Follower: a.follower, Statuses: a, Version: telemetry.Version(), Log: a.log, Done: a.stopping,
		Packs: a.packs, PublicURL: a.cfg.Server.PublicURL, RunningCheck: a.runningCheck, Memory: a.memory,
	}, apiDoor(a.cfg.Auth.APIToken.Reveal(), door))
	a.chat.Mount(r, doc, apiDoor(a.cfg.Auth.APIToken.Reveal(), door))
	api.Explain(doc)
	page := console.Config{Sandbox: a.opts.Sandbox != nil, Version: telemetry.Version(), CallTypes: slices.Sorted(maps.Keys(a.replies))}
	if err := console.Mount(r, page, door); err != nil {
		return nil, err
	}
	r.Group(func(r chi.Router) {
		r.Use(door.Admin)
		queues := http.MaxBytesHandler(a.queuePage, maxQueueForm)
		r.Handle("/admin/queues", queues)
		r.Handle("/admin/queues/*", queues)
		if a.opts.Sandbox != nil {
			r.Handle("/sandbox/*", a.opts.Sandbox)
		}
	})
	return r, nil
}

// newServer bounds what a stranger can make a process wait for or keep.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: requestTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// stay follows no redirect: it would carry a person's voice to another host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ready says whether calls can be carried: the database answers and nobody has
// asked the process to stop.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	select {
	case <-a.stopping:
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	default:
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := a.store.Ping(ctx); err != nil {
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}

// apiDoor lets in who presents the API's bearer, or a session of the console.
func apiDoor(token string, door *console.Door) func(http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(bearer)))
			known := token != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
			if !known && !door.HasSession(r) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="nAIber"`)
				api.Problem(w, http.StatusUnauthorized, "Send Authorization: Bearer with NAIBER_API_TOKEN.")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// recovered ends a request that panics, and only that, with its stack in the log.
func recovered(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer survive(log, w, r)
			next.ServeHTTP(w, r)
		})
	}
}

// survive is deferred around a request.
func survive(log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		panic(p)
	}
	log.ErrorContext(r.Context(), "request panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
	http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
}
