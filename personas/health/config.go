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

// What a zero [Config] field means.
const (
	DefaultMaxRetry     = 3
	DefaultResumeWindow = 12 * time.Hour
	DefaultLoadDeadline = 2500 * time.Millisecond
)

// turnDeadline bounds a turn whose caller has left: what was heard is saved even
// then. Two models and a slow store fit.
const turnDeadline = 8 * time.Second

// Model words questions and reads answers; [llm.Client] is one.
type Model interface {
	words.Model
	extract.Model
}

// Checkpoints keeps threads; each store of package checkpoint does.
type Checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
}

// Store is what a check needs to know and leaves behind; [store.Store] is one.
type Store interface {
	SaveHealthCheck(ctx context.Context, hc checks.Check) error
	AddEvent(ctx context.Context, id store.CallID, kind string, data []byte, key string) (bool, error)
	Past
}

// Past is what earlier checks left behind; [store.Store] knows it.
type Past interface {
	HealthPast(ctx context.Context, id store.PersonID, call store.CallID, since, broken time.Time) checks.Past
	UnfinishedHealthCheck(ctx context.Context, id store.PersonID, since time.Time) (checks.Check, bool, error)
}

// Limits leaves out of texts what is not to be brought up with a person.
type Limits interface {
	Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error)
}

// Config is what a [Persona] works with. Packs, Checkpoints, Store and Log are
// required.
type Config struct {
	Model Model // nil: rules and the packs' own words do it all
	// Recall, if set, is what the companion knows of what the person talks of. A model
	// takes it up; nothing waits for it where none is asked.
	Recall *recall.Recall
	// Limits, if set, are heeded by what carers want to be asked.
	Limits      Limits
	Packs       *packs.Library
	Checkpoints Checkpoints
	Store       Store

	// MaxRetry is how many wordings of a question are tried before keys are
	// offered, where it has any, or the question is given up. Default [DefaultMaxRetry].
	MaxRetry int
	// ResumeWindow is how long after a check was broken off a later call goes on
	// with it. Default [DefaultResumeWindow]; negative means never.
	ResumeWindow time.Duration
	// WordsDeadline and ReadDeadline bound a model's wording and a model's
	// reading. Defaults: [words.DefaultDeadline], [extract.DefaultDeadline].
	WordsDeadline, ReadDeadline time.Duration
	// LoadDeadline is how long the first turn waits for what is known of earlier
	// checks. Without it the check goes on. Default [DefaultLoadDeadline].
	LoadDeadline time.Duration

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: counted, but not shown
}

// Persona is the health check. It may be used concurrently.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[State, input]
	words   *words.Words
	extract *extract.Extractor
	metrics *metrics
}

var _ orchestration.Persona = (*Persona)(nil)

// New makes the health check, or says all that is wrong with cfg. It starts nothing.
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
