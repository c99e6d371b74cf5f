package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/embed"
)

const (
	// failuresInARow is after how many a part that searches wait for is left alone,
	// restAfter for how long. One search then tries whether it is back.
	failuresInARow = 3
	restAfter      = 10 * time.Second
)

// breaker keeps searches from waiting, each for itself, for a part that is away.
// good says which errors are not the part's; that of a caller who left never is.
func breaker[T any](name string, good func(error) bool) *gobreaker.CircuitBreaker[T] {
	return gobreaker.NewCircuitBreaker[T](gobreaker.Settings{
		Name: name, Timeout: restAfter,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		IsExcluded:  func(err error) bool { return errors.Is(err, context.Canceled) || err != nil && good(err) },
	})
}

// means returns what a text means that somebody waits for.
func (s *Service) means(ctx context.Context, text string) ([]float32, error) {
	made, err := s.embedding.Execute(func() ([][]float32, error) { return s.vectorsOf(ctx, []string{text}) })
	if err != nil {
		return nil, fmt.Errorf("embed a question: %w", err)
	}
	return made[0], nil
}

// near searches vectors for somebody who waits.
func (s *Service) near(ctx context.Context, qs ...vectors.Query) ([][]vectors.Hit, error) {
	return s.seeking.Execute(func() ([][]vectors.Hit, error) {
		if err := s.ready(ctx, len(qs[0].Vector)); err != nil {
			return nil, err
		}
		return vectors.SearchAll(ctx, s.cfg.Vectors, qs...)
	})
}

// nothingToEmbed reports whether it is the text that cannot be embedded.
func nothingToEmbed(err error) bool { return errors.Is(err, embed.ErrEmptyText) }

// vectorsAnswered reports whether the store of vectors did answer, if only to refuse.
func vectorsAnswered(err error) bool {
	return !errors.Is(err, vectors.ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded)
}
