package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// Model answers. [llm.Client] is one.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Models(ctx context.Context) ([]string, error)
	Props(ctx context.Context) (llm.Props, error)
}

// Service is something that the channel depends on.
type Service struct {
	Name string
	// Check asks after it and may add a detail. It must end when ctx does.
	Check func(ctx context.Context) (detail string, err error)
}

// What a zero [Config] field means.
const (
	DefaultSystemPrompt   = "You are nAIber, a warm and patient companion for elderly people. Answer in the language you are written to, in plain and friendly words, and briefly. What you remember is given to you below; do not invent memories. You are no doctor: in an emergency, say to call for help at once."
	DefaultPerMinute      = 120
	DefaultBurst          = 30
	DefaultRecallDeadline = 2 * time.Second
	DefaultRecallBudget   = 4000
	DefaultThreshold      = 2000
	DefaultMinEpisodes    = 5
	DefaultMaxSummary     = 600
)

// Config is what a [Server] works with. Store and Model are required.
type Config struct {
	Store *store.Store
	Model Model
	// Memory may be nil: then a prompt holds the session's recent episodes only.
	Memory Memory
	// SystemPrompt holds where neither project nor settings have one. Default
	// [DefaultSystemPrompt].
	SystemPrompt string
	// PerMinute and Burst limit the requests of one bearer from one address.
	// Defaults [DefaultPerMinute] and [DefaultBurst].
	PerMinute, Burst int
	// RecallDeadline is how long memory may take before the reply begins without
	// it. Default [DefaultRecallDeadline].
	RecallDeadline time.Duration
	// RecallBudget is how many tokens recalled episodes may fill. Default
	// [DefaultRecallBudget].
	RecallBudget int
	Summaries    Summaries
	// Services are what GET /health/services asks after.
	Services []Service
	Log      *slog.Logger
	// Metrics may be nil.
	Metrics prometheus.Registerer
}

// Summaries says when a session is summed up. Zero fields mean the defaults.
type Summaries struct {
	// ThresholdTokens is how long a session must be, by estimate, to be summed up
	// at all. Default [DefaultThreshold].
	ThresholdTokens int
	// MinEpisodes is how many new episodes there must be since the last summary.
	// Default [DefaultMinEpisodes].
	MinEpisodes int
	// MaxTokens is the length beyond which a summary is not continued but written
	// afresh. Default [DefaultMaxSummary].
	MaxTokens int
}

func (c Config) withDefaults() Config {
	if c.SystemPrompt == "" {
		c.SystemPrompt = DefaultSystemPrompt
	}
	if c.RecallDeadline == 0 {
		c.RecallDeadline = DefaultRecallDeadline
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		field    *int
		fallback int
	}{
		{&c.PerMinute, DefaultPerMinute},
		{&c.Burst, DefaultBurst},
		{&c.RecallBudget, DefaultRecallBudget},
		{&c.Summaries.ThresholdTokens, DefaultThreshold},
		{&c.Summaries.MinEpisodes, DefaultMinEpisodes},
		{&c.Summaries.MaxTokens, DefaultMaxSummary},
	} {
		if *d.field == 0 {
			*d.field = d.fallback
		}
	}
	return c
}

// Server is the text channel. [Server.Mount] gives it its addresses.
type Server struct {
	cfg     Config
	store   *store.Store
	log     *slog.Logger
	metrics *metrics
	limits  *limiter
	tasks   *tasks
	// summing holds the sessions that are being summed up.
	summing busy
}

// New returns a server, or an error that says what is wrong with cfg.
func New(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	var errs []error
	if cfg.Store == nil {
		errs = append(errs, errors.New("there is no store"))
	}
	if cfg.Model == nil {
		errs = append(errs, errors.New("there is no model"))
	}
	if cfg.PerMinute < 0 || cfg.Burst < 0 || cfg.RecallDeadline < 0 || cfg.RecallBudget < 0 ||
		cfg.Summaries.ThresholdTokens < 0 || cfg.Summaries.MinEpisodes < 0 || cfg.Summaries.MaxTokens < 0 {
		errs = append(errs, errors.New("a limit is negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("configure text channel: %w", err)
	}
	m, err := newMetrics(cfg.Metrics)
	if err != nil {
		return nil, err
	}
	return &Server{
		cfg: cfg, store: cfg.Store, log: cfg.Log, metrics: m, limits: newLimiter(cfg.PerMinute, cfg.Burst), tasks: newTasks(cfg.Log),
	}, nil
}

// catchUpEvery is how often what memory missed is given to it again.
const catchUpEvery = time.Minute

// Run gives memory what it has missed, now and then until ctx ends: after a
// crash, after a failure, and when a session has changed its project.
func (s *Server) Run(ctx context.Context) {
	tick := time.NewTicker(catchUpEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		err := survive.Try(s.log, "catch_up", func() error { return s.CatchUp(ctx, time.Now().Add(-catchUpEvery)) })
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "some episodes are not remembered yet", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Close waits for what goes on in the background; what is left when ctx ends is
// cut off, and memory gets it at the next start. No request may come after it.
func (s *Server) Close(ctx context.Context) error { return s.tasks.close(ctx) }
