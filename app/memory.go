package app

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// embeddingVersion must change when texts are prepared for the embedding model
// in another way: then all vectors are made again, as after a change of model.
const embeddingVersion = 1

// embeddingModel returns the name under which vectors are stored: the model,
// the size if one is requested, and our own version.
func (c Config) embeddingModel() string {
	name := c.OpenAI.EmbeddingModel
	if c.OpenAI.EmbeddingDims > 0 {
		name += "@" + strconv.Itoa(c.OpenAI.EmbeddingDims)
	}
	return name + "/" + strconv.Itoa(embeddingVersion)
}

// openVectors returns the store of vectors: Qdrant if it is configured, else
// PostgreSQL. It does not connect yet, so that an unreachable Qdrant keeps
// nobody from being called.
func (c Config) openVectors(st *store.Store, log *slog.Logger) (vectors.Store, error) {
	if c.Qdrant.URL == "" {
		return vectors.NewPostgres(st, vectors.PostgresConfig{CacheBytes: int64(c.Memory.CacheMB) << 20, Log: log}), nil
	}
	return vectors.NewQdrant(c.qdrantConfig(log))
}

func (c Config) qdrantConfig(log *slog.Logger) vectors.QdrantConfig {
	return vectors.QdrantConfig{URL: c.Qdrant.URL, APIKey: c.Qdrant.APIKey.Reveal(), Collection: c.Qdrant.Collection, Log: log}
}

// makeMemory makes the memory service, the learner that learns from calls, and
// what offers both to the personas.
func (a *App) makeMemory(context.Context) (err error) {
	if a.vectors, err = a.cfg.openVectors(a.store, a.log); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	a.onStop(func(ctx context.Context) error {
		a.warn(ctx, "vectors are not closed", a.vectors.Close())
		return nil
	})
	a.memory, err = a.cfg.memoryService(a.store, a.vectors, a.model, service.Config{Forgot: a.forgot, Log: a.log, Metrics: a.metrics})
	if err != nil {
		return err
	}
	a.store.OnDelete(a.memory.ForgetPerson)
	recallDegraded := promauto.With(a.metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "naiber_recall_degraded_total", Help: "Openings and turns of calls that went without a part of memory, by which.",
	}, []string{"reason"})
	a.profile = profile.New(profile.Config{Source: a.store, Consents: a.store, Log: a.log})
	a.onStopDo(a.profile.Close)
	a.recall = &recaller{Recaller: service.NewRecaller(a.profile, a.memory), store: a.store, log: a.log, degraded: recallDegraded}
	a.learner, err = learn.New(learn.Config{
		Store: a.store, Memory: a.memory, Model: learnModel{a.model}, Forgetter: forgetter{a.memory},
		Vectors: a.vectors, Embedder: a.model, EmbeddingModel: a.cfg.embeddingModel(),
		Summaries: learn.SummarySettings{
			ThresholdTokens: a.cfg.Memory.SummaryTokens, MinTurnsSince: a.cfg.Memory.SummaryTurns, MaxSummaryTokens: a.cfg.Memory.SummaryMax,
		},
		Learnt: a.forgot, Log: a.log, Metrics: a.metrics,
	})
	if err != nil {
		return err
	}
	a.openings = &openings{
		recall: a.recall, learner: a.learner, store: a.store, facts: a.cfg.Memory.OpeningFacts, warm: a.warm,
	}
	a.onStopDo(a.openings.Close)
	a.indexLost = promauto.With(a.metrics).NewCounter(prometheus.CounterOpts{
		Name: "naiber_memory_index_degraded_total", Help: "Times that vectors could not be brought in line with memory; they wait.",
	})
	return nil
}

// warm reads ahead the vectors that a call's searches will need, if they are
// stored in PostgreSQL.
func (a *App) warm(ctx context.Context, id store.PersonID) {
	p, ok := a.vectors.(*vectors.Postgres)
	if !ok {
		return
	}
	if err := p.Warm(ctx, vectors.Scope{Person: id.UUID}, a.cfg.embeddingModel()); err != nil {
		a.log.WarnContext(ctx, "vectors are not warm", "person_id", id, "err", err)
	}
}

// indexPause is the least pause before vectors are made again after a failure.
const indexPause = 15 * time.Second

// index makes the missing vectors every Memory.IndexEvery until ctx is done.
// Several processes may do so at once.
func (a *App) index(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := a.cfg.Memory.IndexEvery
		err := survive.Try(a.log, "index", func() error {
			_, err := a.memory.IndexPending(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			a.indexLost.Inc()
			a.log.WarnContext(ctx, "vectors are still to be made", "err", err)
			next = max(next, indexPause)
		}
		timer.Reset(next)
	}
}

// askMemory returns how many texts in memory have no vector yet, or the empty
// string if none.
func (a *App) askMemory(ctx context.Context) (string, error) {
	n, err := a.memory.Pending(ctx)
	if err != nil || n == 0 {
		return "", err
	}
	return strconv.Itoa(n) + " vectors are still to be made", nil
}
