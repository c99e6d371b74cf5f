// Package app is the composition root: it makes every module from the configuration, hands each
// its dependencies, starts the modules bottom up and stops them in the order of their
// dependencies. No other package depends on it.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"riverqueue.com/riverui"

	"github.com/naiber/naiber/app/telemetry"
	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/personas/general"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/personas/who"
	"github.com/naiber/naiber/personas/wishes"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/telephony"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// Options are the choices of a process, as opposed to an operator's.
type Options struct {
	// Listener accepts the requests. If it is nil, New listens on the configured address.
	Listener net.Listener
	// Sandbox serves /sandbox: the elders' telephones and the faults. It is nil outside the
	// sandbox, and then the console requires a password.
	Sandbox http.Handler
	// DatabaseURL overrides the configured one: it is the private cluster's.
	DatabaseURL string
	// Adopt lets a sandbox take over a database that has data but no deployment mark.
	Adopt bool
	// Pace is how many times faster than real time the people of a sandbox speak and think. Zero
	// means 1.
	Pace float64
}

// deployment returns which deployment's database the process may use.
func (o Options) deployment() store.Deployment {
	if o.Sandbox != nil {
		return store.Sandbox
	}
	return store.Production
}

// App is a running nAIber. [New] makes one and [App.Run] serves until its context is done.
type App struct {
	cfg      Config
	opts     Options
	log      *slog.Logger
	instance string // distinguishes this run of the process from others
	metrics  *prometheus.Registry
	lately   *lately

	store       *store.Store
	follower    *calls.Follower
	touched     chan struct{} // signalled when what is known of a person changes
	checkpoints *checkpoint.Store
	model       *llm.Client
	twilio      *twilio.Client
	eleven      *elevenlabs.Client
	vectors     vectors.Store
	memory      *service.Service
	profile     *profile.Profile
	recall      *recaller
	learner     *learn.Learner
	openings    *openings
	indexLost   prometheus.Counter
	withdrawn   *withdrawn
	general     *general.Persona
	recalls     *recall.Recall // nil if replies use no memories
	health      *health.Persona
	safety      *safety.Rules
	who         *who.Who
	wishes      *wishes.Wishes
	packs       *packs.Library // the questions of health checks
	tasks       *tasks.Library // the tasks of cognitive checks
	replies     map[calls.CallType]orchestration.Persona
	finishers   map[calls.CallType]jobs.Finisher
	jobs        *jobs.Jobs
	schedules   *schedule.Scheduler
	queuePage   *riverui.Handler
	calls       *telephony.Service
	turns       *orchestration.Server
	chat        *chat.Channel
	chatModel   *llm.Client // has longer deadlines than a call allows
	council     *council.Council
	appliance   *appliance.Persona
	escalation  *escalation.Escalation
	webhooks    *webhook.Sender
	dispatched  atomic.Int64 // time of the last dispatch of scheduled calls without a failure, in Unix nanoseconds
	mails       *mail.Sender // nil if no mail server is configured
	tracing     *telemetry.Tracing
	http        *http.Server
	listener    net.Listener
	metricsPage http.Handler
	inner       *http.Server // serves /metrics without a bearer; nil if not configured

	parts    []*part
	making   int           // index of the part that New is making
	served   chan error    // receives the result of http.Serve
	stopping chan struct{} // closed when the process stops
	stopOnce sync.Once
}

// New makes every module and migrates the database. It listens, but serves nothing until Run. If
// it fails, it releases everything that it made.
func New(ctx context.Context, cfg Config, opts Options, log *slog.Logger) (*App, error) {
	a := &App{
		cfg: cfg, opts: opts, log: log, instance: rand.Text()[:8], stopping: make(chan struct{}),
		replies: make(map[calls.CallType]orchestration.Persona), finishers: make(map[calls.CallType]jobs.Finisher),
		metrics: telemetry.NewRegistry(telemetry.Version()),
	}
	a.lately = &lately{counters: a.metrics}
	a.parts = a.list()
	if err := a.make(ctx); err != nil {
		a.release(ctx)
		return nil, err
	}
	return a, nil
}

// Addr returns the address on which the process listens.
func (a *App) Addr() net.Addr { return a.listener.Addr() }

func (a *App) listen(ctx context.Context) error {
	a.listener = a.opts.Listener
	if a.listener == nil {
		var err error
		if a.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", a.cfg.addr()); err != nil {
			return err
		}
	}
	a.onStopDo(func() { _ = a.listener.Close() }) // already closed if it was served
	return nil
}

func (a *App) makeTracing(ctx context.Context) (err error) {
	if a.tracing, err = telemetry.StartTracing(ctx, a.cfg.Tracing.OTLPEndpoint, telemetry.Version(), a.log); err != nil {
		return err
	}
	a.onStop(func(ctx context.Context) error {
		a.warn(ctx, "traces were lost", a.tracing.Shutdown(ctx))
		return nil
	})
	return nil
}

func (a *App) makeStore(ctx context.Context) error {
	url := a.opts.DatabaseURL
	if url == "" {
		url = a.cfg.Database.URL.Reveal()
	}
	var err error
	if a.store, err = store.Open(ctx, url, a.log, store.MaxConns(a.cfg.Database.MaxConns)); err != nil {
		return err
	}
	a.onStopDo(a.store.Close)
	if err := a.store.CheckDeployment(ctx, a.opts.deployment(), a.opts.Adopt); err != nil {
		return err
	}
	if _, err := a.store.Migrate(ctx); err != nil {
		return err
	}
	if err := a.store.MarkDeployment(ctx, a.opts.deployment()); err != nil {
		return err
	}
	if err := jobs.Migrate(ctx, a.store, a.log); err != nil {
		return err
	}
	a.follower = a.store.Follow(ctx)
	a.onStopDo(a.follower.Stop)
	a.touched = make(chan struct{}, 1)
	a.follower.OnTouch(func(store.PersonID) {
		select {
		case a.touched <- struct{}{}:
		default: // a signal is pending already
		}
	})
	return nil
}

func (a *App) makeClients(context.Context) (err error) {
	if a.model, err = llm.New(a.cfg.modelConfig(a.log)); err != nil {
		return err
	}
	if a.twilio, err = twilio.New(a.cfg.twilioConfig()); err != nil {
		return err
	}
	a.eleven, err = elevenlabs.New(a.cfg.elevenLabsConfig())
	return err
}

func (a *App) makeJobs(context.Context) (err error) {
	a.jobs, err = jobs.New(jobs.Config{
		Delay: a.cfg.Jobs.PostCallDelay, PerMinute: a.cfg.Jobs.PostCallPerMinute, MaxAttempts: a.cfg.Jobs.MaxAttempts,
		Timeout:       a.cfg.Jobs.Timeout,
		Chores:        append(a.memoryChores(), a.councilChore(), a.archiveChore(), a.scheduleChore(), a.webhookChore(), a.textChore(), jobs.Chore{Name: "sweep_checkpoints", Every: sweepEvery, Do: a.sweepCheckpoints}),
		Writing:       a.finishWriting,
		Council:       func(ctx context.Context, id uuid.UUID) error { return a.council.Run(ctx, id) }, // no job runs until every part is made
		Mail:          a.sendMail,
		Escalation:    a.escalation,
		Webhook:       a.webhooks.Deliver,
		Discussions:   a.cfg.Council.AtOnce,
		Dial:          func(ctx context.Context, id uuid.UUID, try int) error { return a.schedules.Place(ctx, id, try) },
		Dials:         min(a.cfg.Schedules.AtOnce, dialsAtOnce),
		CallBackDelay: a.cfg.Jobs.CallBackDelay, CallBack: a.callBack,
	}, a.store, a.finishers, a.log, a.metrics)
	if err != nil {
		return err
	}
	a.queuePage, err = a.jobs.Page("/admin/queues")
	return err
}

func (a *App) makeCalls(context.Context) error {
	tokens, err := newTokens(a.cfg.Auth.LLMSecret.Reveal())
	if err != nil {
		return err
	}
	verifier, err := twilio.NewVerifier(twilio.VerifierConfig{
		PublicURL: a.cfg.Server.PublicURL, Tokens: []twilio.Secret{twilio.Secret(a.cfg.Twilio.AuthToken.Reveal())},
		Fragments: telephony.WebhookFragments(),
	})
	if err != nil {
		return err
	}
	texts, err := prompts.Load(a.cfg.Prompts.Dir, a.log)
	if err != nil {
		return err
	}
	cfg := a.cfg.callsConfig()
	cfg.Types = slices.Sorted(maps.Keys(a.replies))
	a.calls, err = telephony.New(cfg, telephony.Deps{
		Store: a.store, Twilio: a.twilio, Verifier: verifier, ElevenLabs: a.eleven, Prompts: texts,
		PostCall: a.jobs, Recollection: a.openings, CallToken: tokens.mint, InboundType: a.inboundType,
		Finished: func(ctx context.Context, tx store.Tx, c calls.Call) error { return a.schedules.Ended(ctx, tx, c) },
		Ended: func(id store.CallID) { //nolint:contextcheck // the call is over, and with it all that would bound this
			a.turns.CallEnded(id)
			a.withdrawn.ended(id)
			a.who.Ended(id)
			a.safety.Ended(id)
		}, // no call ends until every part is made
		AlertHead: alertHead, NoticeFailed: a.escalation.Failed, MayBeTold: a.escalation.MayBeTold, PutThrough: a.putsThrough,
		HTTP: &http.Client{CheckRedirect: stay}, Log: a.log, Metrics: a.metrics,
	})
	return err
}

func (a *App) makeTurns(context.Context) error {
	tokens, err := newTokens(a.cfg.Auth.LLMSecret.Reveal())
	if err != nil {
		return err
	}
	a.who, err = who.New(who.Config{
		Calls: a.calls, Store: a.store, Raise: a.safety.Raise, Presumed: a.cfg.presumed(), Ladder: a.cfg.ladder(), Log: a.log,
	})
	if err != nil {
		return err
	}
	a.turns, err = orchestration.New(orchestration.Config{
		Secret:   a.cfg.Auth.LLMSecret.Reveal(),
		Personas: a.replies, Middleware: []orchestration.Middleware{safety.Guard, a.who.Hear, a.safety.Middleware, a.who.Answer, a.wishes.Middleware, a.withdrawn.heed, a.heed},
		Directory: a.calls, Ender: a.calls, Recorder: a.store, Verify: tokens.verify, ResolveByName: a.cfg.Turn.ResolveByName, Passthrough: a.model,
		FillerAfter: a.cfg.Turn.FillerAfter, Fillers: a.cfg.Turn.Fillers, Deadline: a.cfg.Turn.Deadline,
		Silence: a.cfg.ladder(), Patient: []calls.CallType{calls.CallCognitive},
		Log: a.log, Metrics: a.metrics, Tracer: a.tracer(),
	})
	return err
}

func (a *App) tracer() trace.Tracer { return a.tracing.Tracer("naiber") }

func (a *App) makeHTTP(context.Context) error {
	a.metricsPage = telemetry.MetricsHandler(a.metrics)
	handler, err := a.routes()
	if err != nil {
		return err
	}
	a.http = newServer(handler, a.log)
	if a.cfg.Server.MetricsAddr != "" {
		inner := http.NewServeMux()
		inner.Handle("GET /metrics", a.metricsPage)
		if a.cfg.Server.Profiling {
			inner.HandleFunc("GET /debug/pprof/", pprof.Index)
			inner.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
			inner.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		}
		a.inner = newServer(inner, a.log)
		a.inner.WriteTimeout = 0 // a profile takes as long as its request says
	}
	return nil
}

// Run serves until ctx is done, then drains live calls and stops. It returns nil after an orderly
// stop.
func (a *App) Run(ctx context.Context) error {
	easeGC()
	limitMemory(ctx, a.log)
	cause := a.start(ctx)
	if cause == nil {
		a.log.InfoContext(ctx, "ready", "addr", a.Addr().String(), "version", telemetry.Version())
		select {
		case <-ctx.Done():
		case cause = <-a.served:
		}
	}
	return errors.Join(cause, a.stop(ctx))
}

// Abort drops everything at once, as a crash would: it says no goodbye and records no ending. The
// sandbox uses it to simulate a restart.
func (a *App) Abort() {
	a.stopOnce.Do(func() { close(a.stopping) })
	// Close the server first: a dead process answers nothing about the calls that it drops.
	_ = a.http.Close() // requests under way are lost on purpose
	a.calls.Abort()
}
