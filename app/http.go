package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/app/console"
	"github.com/naiber/naiber/app/telemetry"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/survive"
)

const (
	// headerTimeout bounds how long a client may take to send the headers of a
	// request, and maxHeader how many bytes they may have.
	headerTimeout = 10 * time.Second
	maxHeader     = 64 << 10
	// requestTimeout bounds the reading of a whole request with its body.
	// net/http lifts it once the body is read, so it does not end a stream.
	requestTimeout = 30 * time.Second
	// answerTimeout bounds a whole response. It is longer than the slowest
	// takes, that of a call which waits for another to be placed. Streams of
	// events bound each write instead, and WebSockets are watched by the code
	// that writes to them.
	answerTimeout = 2 * time.Minute
	// maxQueueForm bounds the requests to the page of the queues, in bytes.
	maxQueueForm = 1 << 20
	// readyTimeout bounds the readiness check: its clients soon give up, so a
	// late answer is of no use.
	readyTimeout = 2 * time.Second
	// idleTimeout is longer than the pause between two turns, so the voice
	// service keeps its connection.
	idleTimeout = 2 * time.Minute
)

// routes returns the handler of all requests. All guards of the process are set
// up here.
func (a *App) routes() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(recovered(a.log))
	guard := console.NewGuard(a.cfg.Auth.AdminPassword.Reveal(), a.opts.Sandbox != nil, a.store, a.log, a.metrics)
	locked := apiGuard(a.cfg.Auth.APIToken.Reveal(), guard)

	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok " + a.instance + "\n")) })
	r.Get("/readyz", a.ready)
	r.With(locked).Handle("/metrics", a.metricsPage)

	r.Handle("/v1/*", watched(a.cfg.Auth.LLMSecret.Reveal(), guard, a.turns))
	a.calls.Routes(r)
	api.Mount(r, api.Deps{
		Store: a.store, Dialer: a.calls, Follower: a.follower, Statuses: a, Version: telemetry.Version(), Log: a.log, Done: a.stopping,
		Chat: a.chat, Models: a.chatModel, ChatPerMinute: a.cfg.Chat.PerMinute, ChatBurst: a.cfg.Chat.Burst,
		Packs: a.packs, CognitiveTasks: a.tasks.Tasks, PublicURL: a.cfg.Server.PublicURL, RunningCheck: a.runningCheck, Memory: a.memory, Council: a.council,
		Appliance: a.appliance, Repairs: a.cfg.repairLimits(), Scheduler: a.schedules, MayBeTold: a.escalation.MayBeTold, Following: a.escalation.Following, Webhooks: a.webhooks,
		Known: func(r *http.Request) bool {
			return knows(r, a.cfg.Auth.APIToken.Reveal(), guard, "api") || guard.HasSession(r)
		},
	}, locked)
	page := console.Config{
		Sandbox: a.opts.Sandbox != nil, Version: telemetry.Version(), CallTypes: slices.Sorted(maps.Keys(a.replies)),
		CatalogueHost: a.store.CatalogueHost,
		MailHTML: func(ctx context.Context, id string) (string, error) {
			m, err := a.store.Mail(ctx, mails.ID(id))
			return m.HTML, err
		},
	}
	page.CognitiveReport = a.writeCognitiveReport
	if err := console.Mount(r, page, guard); err != nil {
		return nil, err
	}
	r.Group(func(r chi.Router) {
		r.Use(guard.Admin)
		queues := http.MaxBytesHandler(a.queuePage, maxQueueForm)
		r.Handle("/admin/queues", queues)
		r.Handle("/admin/queues/*", queues)
		if a.opts.Sandbox != nil {
			r.Handle("/sandbox/*", a.opts.Sandbox)
		}
	})
	return r, nil
}

// newServer returns a server that bounds the time and memory that a client can
// cost.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: requestTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// stay refuses every redirect: following one would send a person's voice to
// another host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ready answers 200 if calls can be carried, which means that the database
// answers and the process is not stopping, and 503 otherwise.
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

// apiGuard returns middleware that requires the API's bearer token or a session
// of the console.
func apiGuard(token string, guard *console.Guard) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !guard.HasSession(r) && !knows(r, token, guard, "api") {
				w.Header().Set("WWW-Authenticate", `Bearer realm="nAIber"`)
				api.Problem(w, http.StatusUnauthorized, "Send Authorization: Bearer with NAIBER_API_TOKEN.")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// watched returns a handler that reports wrong bearer tokens to guard before
// next refuses them.
func watched(token string, guard *console.Guard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		knows(r, token, guard, "model")
		next.ServeHTTP(w, r)
	})
}

// knows reports whether a request presents the bearer token. It counts a wrong
// one with guard.
func knows(r *http.Request, token string, guard *console.Guard, which string) bool {
	sent := r.Header.Get("Authorization")
	scheme, bearer, _ := strings.Cut(sent, " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(bearer))), sha256.Sum256([]byte(token))
	if token != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
		return true
	}
	if sent != "" {
		guard.Wrong(r, which)
	}
	return false
}

// recovered returns middleware that, if a request panics, ends only that
// request and logs the stack.
func recovered(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer answerPanic(log, w, r)
			next.ServeHTTP(w, r)
		})
	}
}

// answerPanic must be deferred around a request. It logs a panic and answers
// 500, but panics again with [http.ErrAbortHandler].
func answerPanic(log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		panic(p)
	}
	_ = survive.Report(log.With("path", r.URL.Path), "request", p)
	http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
}
