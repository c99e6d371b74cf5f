package search

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/survive"
)

const (
	// leastAlike is the minimum cosine at which a window is about a topic, or a question
	// about an entity, even if the similarity setting is lower.
	leastAlike = 0.45
	// maxTopicVectors limits the cached vectors of topics.
	maxTopicVectors = 1000
)

// nearby holds what is close in meaning to a question, and to the topics that must not come
// up. It must be read only after wait has returned.
type nearby struct {
	done     sync.WaitGroup
	hits     []vectors.Hit
	entities []uuid.UUID
	// alike holds the windows and facts that are as close to a topic as a search for it by
	// meaning alone would require.
	alike  map[uuid.UUID]bool
	reason string // of err
	err    error
}

func (n *nearby) wait() { n.done.Wait() }

func (n *nearby) ids() []uuid.UUID {
	ids := make([]uuid.UUID, len(n.hits))
	for i, h := range n.hits {
		ids[i] = h.ID
	}
	return ids
}

func (n *nearby) score(id uuid.UUID) float64 {
	for _, h := range n.hits {
		if h.ID == id {
			return float64(h.Score)
		}
	}
	return -1
}

// nearbySoon starts the search by meaning, if meaning takes part.
func (r *recall) nearbySoon(ctx context.Context) *nearby {
	n := &nearby{}
	if r.byMeaning() {
		n.done.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, r.cfg.VectorWait)
			defer cancel()
			if err := survive.Try(r.cfg.Log, "nearby", func() error { r.nearby(ctx, n); return nil }); err != nil {
				n.reason, n.err = "vectors", err
			}
		})
	}
	return n
}

// nearby searches for the meaning of the question and of the topics at the same time. A
// topic that cannot be embedded is still barred by its words.
func (r *recall) nearby(ctx context.Context, n *nearby) {
	meaning := r.q.Vector
	if meaning == nil {
		var err error
		if meaning, err = r.cfg.Index.Means(ctx, nameless(r.q.Text, r.Frame.Name)); err != nil {
			n.reason, n.err = "embedder", err
		}
	}
	var asked []vectors.Query
	var take []func([]vectors.Hit)
	add := func(v []float32, limit int, kinds []string, keep func([]vectors.Hit)) {
		asked = append(asked, vectors.Query{Vector: v, Scope: index.Scope(r.q.Scope), Kinds: kinds, Model: r.cfg.Index.Model(), Limit: limit})
		take = append(take, keep)
	}
	if meaning != nil {
		add(meaning, r.set.Candidates, []string{memories.WindowKind}, func(hits []vectors.Hit) { n.hits = hits })
		if r.q.Entities > 0 {
			add(meaning, r.q.Entities, []string{memories.EntityKind}, func(hits []vectors.Hit) {
				n.entities = likerThan(hits, max(r.set.Similarity, leastAlike))
			})
		}
	}
	var failed error
	for _, topic := range r.Topics {
		v, err := r.topicVector(ctx, topic)
		if err != nil {
			failed = err
			continue // the others may be cached
		}
		add(v, min(2*r.set.Candidates, vectors.MaxLimit), []string{memories.WindowKind, memories.FactKind}, func(hits []vectors.Hit) {
			if n.alike == nil {
				n.alike = map[uuid.UUID]bool{}
			}
			for _, id := range likerThan(hits, max(r.set.Similarity, leastAlike)) {
				n.alike[id] = true
			}
		})
	}
	if failed != nil {
		r.cfg.Metrics.Degraded(ctx, "limits", failed)
	}
	if len(asked) == 0 {
		return
	}
	all, err := r.cfg.Index.Near(ctx, asked...)
	if err != nil {
		if len(r.Topics) > 0 {
			r.cfg.Metrics.Degraded(ctx, "limits", err)
		}
		if n.err == nil {
			n.reason, n.err = "vectors", err
		}
		return
	}
	for i, hits := range all {
		take[i](hits)
	}
}

// likerThan returns the ids of the hits with a cosine of at least least.
func likerThan(hits []vectors.Hit, least float64) []uuid.UUID {
	var ids []uuid.UUID
	for _, h := range hits {
		if float64(h.Score) >= least {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// topicVector returns the vector of a topic, embedded at most once while it is cached.
func (s *Searcher) topicVector(ctx context.Context, topic string) ([]float32, error) {
	s.topics.Lock()
	v, ok := s.topics.vectors[topic]
	s.topics.Unlock()
	if ok {
		return v, nil
	}
	v, err := s.cfg.Index.Means(ctx, topic)
	if err != nil {
		return nil, err
	}
	s.topics.Lock()
	defer s.topics.Unlock()
	if s.topics.vectors == nil || len(s.topics.vectors) >= maxTopicVectors {
		s.topics.vectors = map[string][]float32{}
	}
	s.topics.vectors[topic] = v
	return v, nil
}
