// Package index makes the vectors of what is remembered, keeps them up to date, and
// searches them for callers that are waiting.
package index

import (
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

// Config holds the dependencies of an [Index]. Vectors and Embedder must be set together;
// without them nothing is indexed.
type Config struct {
	Store    *store.Store
	Vectors  vectors.Store
	Embedder memory.Embedder
	Model    string        // the embedding model and its version
	Wait     time.Duration // how long [Index.Soon] may take
	Metrics  *memory.Metrics
}

// Index keeps vectors up to date. It may be used concurrently.
type Index struct {
	cfg Config
	// embedding and seeking are the circuit breakers for what searches wait for.
	embedding *gobreaker.CircuitBreaker[[][]float32]
	seeking   *gobreaker.CircuitBreaker[[][]vectors.Hit]
	// batch is the current number of texts per embedder request, adapted to what the
	// embedder manages in its time.
	batch atomic.Int64
	// dims is the size for which the vectors were set up; zero if they were not yet.
	dims atomic.Int64
}

// New returns an Index. It connects to nothing.
func New(cfg Config) *Index {
	x := &Index{
		cfg: cfg, embedding: breaker[[][]float32]("embedder", nothingToEmbed), seeking: breaker[[][]vectors.Hit]("vectors", vectorsAnswered),
	}
	x.batch.Store(indexBatch)
	return x
}

// Enabled reports whether there is a vector store.
func (x *Index) Enabled() bool { return x.cfg.Vectors != nil }

// Model returns the name of the embedding model.
func (x *Index) Model() string { return x.cfg.Model }
