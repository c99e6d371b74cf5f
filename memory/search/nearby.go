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
	// leastAlike is the cosine from which on a window is about a topic, or a question
	// about an entity, whatever else a search finds good enough.
	leastAlike = 0.45
	// maxTopicVectors bounds the copies of what topics mean.
	maxTopicVectors = 1000
)

// nearby is what lies close to a question in meaning, and to the topics that may
// not come up. It is read once wait has returned; a nil one is empty.
type nearby struct {
	done     sync.WaitGroup
	hits     []vectors.Hit
	entities []uuid.UUID
	// alike are the windows and facts that are as like to a topic as what a search
	// for it would find by meaning alone.
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

// nearbySoon begins to look for what lies close, where meaning takes part.
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

// nearby searches for what the question means, and for what the topics do, at once.
// Where it cannot be told what a topic means, its words must do.
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
	for _, topic := range r.Topics {
		v, err := r.topicVector(ctx, topic)
		if err != nil {
			r.cfg.Metrics.Degraded(ctx, "limits", err)
			break
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

// likerThan are the ids of hits of at least a cosine.
func likerThan(hits []vectors.Hit, least float64) []uuid.UUID {
	var ids []uuid.UUID
	for _, h := range hits {
		if float64(h.Score) >= least {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// topicVector is what a topic means. It is embedded once.
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
