package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// Model answers requests. [llm.Client] implements it.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
}

// The defaults of zero [Config] fields.
const (
	DefaultSystemPrompt   = "You are nAIber, a warm and patient companion for elderly people. Answer in the language you are written to, in plain and friendly words, and briefly. What you remember is given to you below; do not invent memories. You are no doctor: in an emergency, say to call for help at once."
	DefaultRecallDeadline = 2 * time.Second
	DefaultRecallBudget   = 4000
	DefaultThreshold      = 2000
	DefaultMinEpisodes    = 5
	DefaultMaxSummary     = 600
)

// The reasons why a message is not answered, or an operation is not carried out.
var (
	ErrOtherPerson  = errors.New("session belongs to another person")
	ErrOtherProject = errors.New("session is in another project")
	ErrEmpty        = errors.New("model answered without text")
	ErrMemory       = errors.New("memory failed")
	ErrNothingSaid  = errors.New("nothing was said in the project")
)

// Config holds the dependencies and limits of a [Channel]. Store and Model are required.
type Config struct {
	Store *store.Store
	Model Model
	// Memory may be nil: then a prompt holds the session's recent episodes only.
	Memory Memory
	// SystemPrompt applies if neither project nor settings have one. Default [DefaultSystemPrompt].
	SystemPrompt string
	// RecallDeadline is how long memory may take before the reply begins without
	// it. Default [DefaultRecallDeadline].
	RecallDeadline time.Duration
	// RecallBudget is how many tokens recalled episodes may fill. Default
	// [DefaultRecallBudget].
	RecallBudget int
	Summaries    Summaries
	Log          *slog.Logger
	// Metrics may be nil: metrics are then not exported.
	Metrics prometheus.Registerer
}

// Summaries configures when a session is summarised. Zero fields mean the defaults.
type Summaries struct {
	// ThresholdTokens is the estimated length that a session must exceed to be summarised at all.
	// Default [DefaultThreshold].
	ThresholdTokens int
	// MinEpisodes is how many new episodes there must be since the last summary. Default
	// [DefaultMinEpisodes].
	MinEpisodes int
	// MaxTokens is the length beyond which a summary is not continued but written from the
	// beginning. Default [DefaultMaxSummary].
	MaxTokens int
}

func (c Config) withDefaults() Config {
	c.SystemPrompt = cmp.Or(c.SystemPrompt, DefaultSystemPrompt)
	c.RecallDeadline = cmp.Or(c.RecallDeadline, DefaultRecallDeadline)
	c.RecallBudget = cmp.Or(c.RecallBudget, DefaultRecallBudget)
	c.Summaries.ThresholdTokens = cmp.Or(c.Summaries.ThresholdTokens, DefaultThreshold)
	c.Summaries.MinEpisodes = cmp.Or(c.Summaries.MinEpisodes, DefaultMinEpisodes)
	c.Summaries.MaxTokens = cmp.Or(c.Summaries.MaxTokens, DefaultMaxSummary)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Channel is the text channel. It may be used concurrently.
type Channel struct {
	cfg     Config
	store   *store.Store
	log     *slog.Logger
	metrics metrics
	tasks   *tasks
	// summing holds the sessions that are being summarised.
	summing sync.Map
}

// New returns a channel, or an error that names everything wrong with cfg.
func New(cfg Config) (*Channel, error) {
	cfg = cfg.withDefaults()
	var errs []error
	if cfg.Store == nil {
		errs = append(errs, errors.New("there is no store"))
	}
	if cfg.Model == nil {
		errs = append(errs, errors.New("there is no model"))
	}
	if min(cfg.RecallBudget, cfg.Summaries.ThresholdTokens, cfg.Summaries.MinEpisodes, cfg.Summaries.MaxTokens) < 0 || cfg.RecallDeadline < 0 {
		errs = append(errs, errors.New("a limit is negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("configure text channel: %w", err)
	}
	return &Channel{cfg: cfg, store: cfg.Store, log: cfg.Log, metrics: newMetrics(cfg.Metrics), tasks: newTasks(cfg.Log)}, nil
}

// Wait waits until no background work is left.
func (s *Channel) Wait() { s.tasks.wg.Wait() }

// Stop waits for background work until ctx ends, then cuts off what is left; memory gets that at
// the next start. No message may come after Stop.
func (s *Channel) Stop(ctx context.Context) error { return s.tasks.close(ctx) }
