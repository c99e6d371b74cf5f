// Package service combines the parts of the memory.
package service

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/memory/limits"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/schedules"
)

// Defaults for zero fields of a [Config].
const (
	DefaultVectorWait = time.Second
	DefaultIndexWait  = 300 * time.Millisecond
)

// Config configures a [Service]. Store and Log are required.
type Config struct {
	Store *store.Store
	// Vectors and Embedder must be set together; without them only words are searched.
	Vectors  vectors.Store
	Embedder memory.Embedder
	// Model names the embedding model and its version. Vectors made by another model are
	// rebuilt.
	Model    string
	Settings *search.Settings // if nil, [search.DefaultSettings]
	// VectorWait is how long a search waits for vectors before it continues without them.
	// Default [DefaultVectorWait].
	VectorWait time.Duration
	// IndexWait is how long Keep may take to make vectors immediately; the rest waits for
	// [index.Index.IndexPending]. Default [DefaultIndexWait].
	IndexWait time.Duration
	// Forgot, if set, is called after something about a person was forgotten: copies in
	// this process must be dropped.
	Forgot func(store.PersonID)
	// CheckSchedule, if set, returns an error for a schedule in a file that cannot be kept.
	CheckSchedule func(schedules.Schedule) error
	Log           *slog.Logger
	Metrics       prometheus.Registerer // if nil, metrics are not exported
}

// Service stores what was said, finds it, forgets it, and exports and imports it. It may be
// used concurrently.
type Service struct {
	*index.Index
	*keep.Keeper
	*search.Searcher
	*limits.Limits
	*forget.Forgetter
	*transfer.Transfer

	store   *store.Store
	metrics *memory.Metrics
}

// New returns a Service. It connects to nothing.
func New(cfg Config) (*Service, error) {
	if (cfg.Vectors == nil) != (cfg.Embedder == nil) {
		return nil, fmt.Errorf("memory with vectors or an embedder, but not both: %w", memory.ErrInvalid)
	}
	if cfg.Embedder != nil && cfg.Model == "" {
		return nil, fmt.Errorf("memory with an embedding model without a name: %w", memory.ErrInvalid)
	}
	if cfg.VectorWait == 0 {
		cfg.VectorWait = DefaultVectorWait
	}
	if cfg.IndexWait == 0 {
		cfg.IndexWait = DefaultIndexWait
	}
	if cfg.Forgot == nil {
		cfg.Forgot = func(store.PersonID) {}
	}
	if cfg.CheckSchedule == nil {
		cfg.CheckSchedule = func(schedules.Schedule) error { return nil }
	}
	settings := search.DefaultSettings()
	if cfg.Settings != nil {
		settings = *cfg.Settings
	}
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("memory settings: %w", err)
	}
	m, err := memory.NewMetrics(cfg.Metrics, cfg.Log)
	if err != nil {
		return nil, err
	}
	s := &Service{store: cfg.Store, metrics: m}
	s.Index = index.New(index.Config{
		Store: cfg.Store, Vectors: cfg.Vectors, Embedder: cfg.Embedder, Model: cfg.Model, Wait: cfg.IndexWait, Metrics: m,
	})
	s.Keeper = keep.New(keep.Config{Store: cfg.Store, Index: s.Index, Metrics: m})
	s.Searcher = search.New(search.Config{
		Store: cfg.Store, Index: s.Index, Settings: settings, VectorWait: cfg.VectorWait, Log: cfg.Log, Metrics: m,
	})
	s.Limits = limits.New(cfg.Store, cfg.Forgot)
	s.Transfer = transfer.New(transfer.Config{Store: cfg.Store, Keeper: s.Keeper, Forgot: cfg.Forgot, CheckSchedule: cfg.CheckSchedule, Metrics: m})
	s.Forgetter = forget.New(forget.Config{
		Store: cfg.Store, Index: s.Index, Keeper: s.Keeper, Searcher: s.Searcher, Transfer: s.Transfer,
		Forgot: cfg.Forgot, Log: cfg.Log, Metrics: m,
	})
	return s, nil
}
