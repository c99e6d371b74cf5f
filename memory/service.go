package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sony/gobreaker/v2"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// Errors that callers may branch on.
var (
	// ErrNoConsent says that a person does not allow being remembered.
	ErrNoConsent = errors.New("no consent to being remembered")
	// ErrEmptyScope says that a scope names nobody. It never means everybody.
	ErrEmptyScope = errors.New("memory scope is empty")
	// ErrInvalid says what is wrong with a turn or a setting.
	ErrInvalid = errors.New("not valid")
	// ErrOtherOwner says that an id is taken by what somebody else said.
	ErrOtherOwner = errors.New("turn belongs to somebody else")
)

// Scope says whose memory is meant: see [memories.Scope].
type Scope = memories.Scope

// Turn is one thing that was said, word for word: see [memories.Turn].
type Turn = memories.Turn

// Embedder turns texts into vectors, one for each, in order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// What a zero [ServiceConfig] field means.
const (
	DefaultVectorWait = time.Second
	DefaultIndexWait  = 300 * time.Millisecond
)

// ServiceConfig is what a [Service] works with. Store and Log are required.
type ServiceConfig struct {
	Store *store.Store
	// Vectors and Embedder come together; without them words alone are searched.
	Vectors  vectors.Store
	Embedder Embedder
	// Model names the embedding model and its version. Vectors made by another
	// are made anew.
	Model    string
	Settings *Settings // nil: [DefaultSettings]
	// VectorWait is how long a search waits for vectors before it does without
	// them. Default [DefaultVectorWait].
	VectorWait time.Duration
	// IndexWait is how long Keep may take to make vectors at once; what is not
	// done by then waits for [Service.IndexPending]. Default [DefaultIndexWait].
	IndexWait time.Duration
	// Forgot, if set, is called when something about a person was forgotten:
	// copies in this process are to be dropped.
	Forgot  func(store.PersonID)
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: counted, but not shown
}

// Service keeps what was said and finds it again. It may be used concurrently.
type Service struct {
	cfg      ServiceConfig
	settings Settings
	metrics  *metrics
	// embedding and seeking are what searches wait for.
	embedding *gobreaker.CircuitBreaker[[][]float32]
	seeking   *gobreaker.CircuitBreaker[[][]vectors.Hit]
	// batch is how many texts go to the embedder together, as far as it manages
	// them in its time.
	batch atomic.Int64
	// dims is the size that the vectors were made ready for; zero: not yet.
	dims atomic.Int64

	remembered struct {
		sync.Mutex // guards people

		people map[store.PersonID]bool // of whom there was something to recall
	}
	topics struct {
		sync.Mutex // guards vectors

		vectors map[string][]float32 // what the topics of limits mean
	}
}

// New makes a Service. It connects to nothing yet.
func New(cfg ServiceConfig) (*Service, error) {
	if (cfg.Vectors == nil) != (cfg.Embedder == nil) {
		return nil, fmt.Errorf("memory with vectors or an embedder, but not both: %w", ErrInvalid)
	}
	if cfg.Embedder != nil && cfg.Model == "" {
		return nil, fmt.Errorf("memory with an embedding model without a name: %w", ErrInvalid)
	}
	if cfg.VectorWait == 0 {
		cfg.VectorWait = DefaultVectorWait
	}
	if cfg.IndexWait == 0 {
		cfg.IndexWait = DefaultIndexWait
	}
	settings := DefaultSettings()
	if cfg.Settings != nil {
		settings = *cfg.Settings
	}
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("memory settings: %w", err)
	}
	m, err := newMetrics(cfg.Metrics)
	if err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, settings: settings, metrics: m,
		embedding: breaker[[][]float32]("embedder", nothingToEmbed), seeking: breaker[[][]vectors.Hit]("vectors", vectorsAnswered),
	}
	s.batch.Store(indexBatch)
	return s, nil
}

// degraded counts and logs what an answer goes without.
func (s *Service) degraded(ctx context.Context, reason string, err error) {
	s.metrics.degraded.WithLabelValues(reason).Inc()
	s.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "memory degraded", slog.String("reason", reason), slog.Any("err", err))
}
