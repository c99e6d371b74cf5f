// Package index makes the vectors of what is remembered, keeps them in line with
// it, and searches them for those who wait.
package index

import (
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

// Config is what an [Index] works with. Vectors and Embedder come together;
// without them there is nothing to index.
type Config struct {
	Store    *store.Store
	Vectors  vectors.Store
	Embedder memory.Embedder
	Model    string        // the embedding model and its version
	Wait     time.Duration // how long [Index.Soon] may take
	Metrics  *memory.Metrics
}

// Index keeps vectors in line with what they stand for. It may be used concurrently.
type Index struct {
	cfg Config
	// embedding and seeking are what searches wait for.
	embedding *gobreaker.CircuitBreaker[[][]float32]
	seeking   *gobreaker.CircuitBreaker[[][]vectors.Hit]
	// batch is how many texts go to the embedder together, as far as it manages
	// them in its time.
	batch atomic.Int64
	// dims is the size that the vectors were made ready for; zero: not yet.
	dims atomic.Int64
}

// New makes an Index. It connects to nothing yet.
func New(cfg Config) *Index {
	x := &Index{
		cfg: cfg, embedding: breaker[[][]float32]("embedder", nothingToEmbed), seeking: breaker[[][]vectors.Hit]("vectors", vectorsAnswered),
	}
	x.batch.Store(indexBatch)
	return x
}

// Enabled reports whether there are vectors at all.
func (x *Index) Enabled() bool { return x.cfg.Vectors != nil }

// Model returns the name of the embedding model.
func (x *Index) Model() string { return x.cfg.Model }
