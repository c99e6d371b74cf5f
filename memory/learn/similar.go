package learn

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
)

// How facts that are alike in meaning are found.
const (
	meaningWait  = 10 * time.Second
	leastMeaning = 0.6 // cosine
	factVectors  = "fact"
)

// alikeInMeaning returns for each draft the facts whose vectors lie close. What
// fails is counted: the words alone will do.
func (s *lesson) alikeInMeaning(ctx context.Context, drafts []draft) [][]uuid.UUID {
	out := make([][]uuid.UUID, len(drafts))
	if s.cfg.Vectors == nil {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, meaningWait)
	defer cancel()
	texts := make([]string, len(drafts))
	for i, d := range drafts {
		texts[i] = d.Text
	}
	made, err := s.cfg.Embedder.Embed(ctx, texts)
	if err == nil && len(made) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(made), len(texts))
	}
	if err != nil {
		s.degraded(ctx, "embedder", err)
		return out
	}
	for i, v := range made {
		hits, err := s.cfg.Vectors.Search(ctx, vectors.Query{
			Vector: v, Scope: vectors.Scope{Person: s.of.person.UUID}, Kinds: []string{factVectors}, Model: s.cfg.EmbeddingModel, Limit: nearFacts,
		})
		if err != nil {
			s.degraded(ctx, "vectors", err)
			return out
		}
		for _, h := range hits {
			if h.Score >= leastMeaning {
				out[i] = append(out[i], h.ID)
			}
		}
	}
	return out
}

// degraded counts what had to do without something.
func (s *lesson) degraded(ctx context.Context, reason string, err error) {
	s.metrics.degraded.WithLabelValues(reason).Inc()
	s.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "learning degraded",
		slog.String("from", s.of.name), slog.String("reason", reason), slog.Any("err", err))
}
