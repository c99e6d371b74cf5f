package health

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

// The defaults of [Config].
const (
	DefaultMaxRetry     = 3
	DefaultResumeWindow = 12 * time.Hour
	DefaultLoadDeadline = 2500 * time.Millisecond
)

// turnDeadline limits a turn. It applies even after the caller has left, since what was heard is
// still saved. It allows for two model requests and a slow store.
const turnDeadline = 8 * time.Second

// Model words questions and reads answers. [llm.Client] implements it.
type Model interface {
	words.Model
	extract.Model
}

// Checkpoints stores threads. The stores of package checkpoint implement it.
type Checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
}

// Store reads and writes the data of checks. [store.Store] implements it.
type Store interface {
	SaveHealthCheck(ctx context.Context, hc checks.Check) error
	AddEvent(ctx context.Context, id store.CallID, kind string, data []byte, key string) (bool, error)
	Past
}

// Past reads earlier checks. [store.Store] implements it.
type Past interface {
	HealthPast(ctx context.Context, id store.PersonID, call store.CallID, since, broken time.Time) checks.Past
	UnfinishedHealthCheck(ctx context.Context, id store.PersonID, since time.Time) (checks.Check, bool, error)
}

// Limits selects the texts that may be brought up with a person.
type Limits interface {
	Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error)
}

// Config configures a [Persona]. Packs, Checkpoints, Store and Log are required.
type Config struct {
	Model Model // if nil, only rules and the packs' own words are used
	// Recall, if set, provides memories of what the person talks about, for a model to refer to. If
	// no model is asked, nobody waits for them.
	Recall *recall.Recall
	// Limits, if set, filters the questions that carers want to be asked.
	Limits      Limits
	Packs       *packs.Library
	Checkpoints Checkpoints
	Store       Store

	// MaxRetry is how many attempts a question gets before keys are offered, if it has any, or it
	// is given up. Default [DefaultMaxRetry].
	MaxRetry int
	// ResumeWindow is how long after a check was broken off a later call continues it. Default
	// [DefaultResumeWindow]; negative means never.
	ResumeWindow time.Duration
	// WordsDeadline and ReadDeadline limit a model's wording and a model's reading. Defaults:
	// [words.DefaultDeadline], [extract.DefaultDeadline].
	WordsDeadline, ReadDeadline time.Duration
	// LoadDeadline limits how long the first turn waits for data of earlier checks. If it passes,
	// the check begins without them. Default [DefaultLoadDeadline].
	LoadDeadline time.Duration

	Log     *slog.Logger
	Metrics prometheus.Registerer // if nil, metrics are not exported
}

// Persona is the health check. It is safe for concurrent use.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[State, input]
	words   *words.Words
	extract *extract.Extractor
	metrics *metrics
}

var _ orchestration.Persona = (*Persona)(nil)

// New returns the health check, or an error that lists everything wrong with cfg. It starts no
// goroutines.
func New(cfg Config) (*Persona, error) {
	var errs []error
	require := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("health persona has no "+what))
		}
	}
	require(cfg.Packs != nil, "packs")
	require(cfg.Checkpoints != nil, "checkpoints")
	require(cfg.Store != nil, "store")
	require(cfg.Log != nil, "log")
	if cfg.MaxRetry < 0 {
		errs = append(errs, errors.New("health persona's retries are negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	cfg.MaxRetry = cmp.Or(cfg.MaxRetry, DefaultMaxRetry)
	cfg.ResumeWindow = cmp.Or(cfg.ResumeWindow, DefaultResumeWindow)
	cfg.LoadDeadline = cmp.Or(cfg.LoadDeadline, DefaultLoadDeadline)
	p := &Persona{cfg: cfg, log: cfg.Log, metrics: newMetrics(cfg.Metrics)}
	wc, ec := words.Config{Deadline: cfg.WordsDeadline, Log: cfg.Log}, extract.Config{Deadline: cfg.ReadDeadline, Log: cfg.Log}
	if cfg.Model != nil {
		wc.Model, ec.Model = cfg.Model, cfg.Model
	}
	p.words, p.extract = words.New(wc), extract.New(ec)
	var err error
	p.machine, err = p.compile()
	return p, err
}
