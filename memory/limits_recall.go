package memory

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

const (
	// leastAlike is the cosine from which on a window is about a topic, whatever
	// else a search finds good enough.
	leastAlike = 0.45
	// maxTopicVectors bounds the copies of what topics mean.
	maxTopicVectors = 1000
)

// unraisable are the topics that may not come up, and the names of whom they mean.
type unraisable struct{ topics, names []string }

func (u unraisable) all() []string { return slices.Concat(u.topics, u.names) }

// Unraisable returns the topics that may not come up when a text is answered, and
// the names of whom they mean: a limit on the brother is one on Karl. They are
// those that are never to be stored or raised, and those that cool down, unless
// the text itself speaks of them: then it was not nAIber who raised them.
func Unraisable(ctx context.Context, db *store.Store, people []store.PersonID, config, text string, now time.Time) ([]string, error) {
	u, err := unraisableFor(ctx, db, people, config, text, now)
	return u.all(), err
}

func unraisableFor(ctx context.Context, db *store.Store, people []store.PersonID, config, text string, now time.Time) (unraisable, error) {
	var u unraisable
	topics, cooling, err := db.BarredTopics(ctx, people, now)
	if err != nil {
		return u, err
	}
	u.topics = topics
	if text == "" { // it speaks of nothing
		u.topics, cooling = append(u.topics, cooling...), nil
	}
	for _, topic := range cooling {
		names, err := db.MemoryTopicNames(ctx, nil, people, config, []string{topic})
		if err != nil {
			return u, err
		}
		met, err := db.MatchTopics(ctx, nil, config, []string{text}, append(names, topic))
		if err != nil {
			return u, err
		}
		if !met[0] {
			u.topics = append(u.topics, topic)
		}
	}
	u.names, err = db.MemoryTopicNames(ctx, nil, people, config, u.topics)
	return u, err
}

// alike returns which windows and facts are as like to one of the topics as what a
// search for it would find by meaning alone. Where that cannot be told, words must do.
func (s *Service) alike(ctx context.Context, in Scope, set Settings, topics []string) map[uuid.UUID]bool {
	if s.cfg.Vectors == nil || set.VectorWeight == 0 || len(topics) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.VectorWait)
	defer cancel()
	alike := map[uuid.UUID]bool{}
	for _, topic := range topics {
		v, err := s.topicVector(ctx, topic)
		var hits []vectors.Hit
		if err == nil {
			hits, err = s.near(ctx, vectors.Query{
				Vector: v, Scope: vectorScope(in), Kinds: []string{store.MemoryWindowKind, store.MemoryFactKind}, Model: s.cfg.Model,
				Limit: min(2*set.Candidates, vectors.MaxLimit),
			})
		}
		if err != nil {
			s.degraded(ctx, "limits", err)
			return alike
		}
		for _, h := range hits {
			if float64(h.Score) >= max(set.Similarity, leastAlike) {
				alike[h.ID] = true
			}
		}
	}
	return alike
}

// topicVector is what a topic means. It is embedded once.
func (s *Service) topicVector(ctx context.Context, topic string) ([]float32, error) {
	s.topics.Lock()
	v, ok := s.topics.vectors[topic]
	s.topics.Unlock()
	if ok {
		return v, nil
	}
	v, err := s.means(ctx, topic)
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

// onlyAlike returns the turns all of whose windows are alike to a topic: what
// also stands in another one is only near to what is.
func onlyAlike(windows []store.WindowTurns, alike map[uuid.UUID]bool) []uuid.UUID {
	other := map[uuid.UUID]bool{}
	var out []uuid.UUID
	for _, w := range windows {
		for _, t := range w.Turns {
			if !alike[w.ID] {
				other[t.ID] = true
			} else {
				out = append(out, t.ID)
			}
		}
	}
	return slices.DeleteFunc(out, func(id uuid.UUID) bool { return other[id] })
}
