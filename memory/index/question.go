package index

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
	// failuresInARow is how many consecutive failures open a breaker, restAfter how long it
	// stays open. A single search then tests whether the service is back.
	failuresInARow = 3
	restAfter      = 10 * time.Second
)

// breaker returns a circuit breaker, which keeps each search from waiting for a service
// that is down. good reports which errors are not the service's fault; a canceled call
// never is.
func breaker[T any](name string, good func(error) bool) *gobreaker.CircuitBreaker[T] {
	return gobreaker.NewCircuitBreaker[T](gobreaker.Settings{
		Name: name, Timeout: restAfter,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		IsExcluded:  func(err error) bool { return errors.Is(err, context.Canceled) || err != nil && good(err) },
	})
}

// Means returns the embedding of a text, for a caller that is waiting.
func (x *Index) Means(ctx context.Context, text string) ([]float32, error) {
	made, err := x.embedding.Execute(func() ([][]float32, error) { return x.vectorsOf(ctx, []string{text}) })
	if err != nil {
		return nil, fmt.Errorf("embed a question: %w", err)
	}
	return made[0], nil
}

// Near searches vectors, for a caller that is waiting.
func (x *Index) Near(ctx context.Context, qs ...vectors.Query) ([][]vectors.Hit, error) {
	hits, err := x.seeking.Execute(func() ([][]vectors.Hit, error) {
		if err := x.ready(ctx, len(qs[0].Vector)); err != nil {
			return nil, err
		}
		return vectors.SearchAll(ctx, x.cfg.Vectors, qs...)
	})
	if err != nil {
		x.dims.Store(0) // the collection may be gone: set it up again at the next search
	}
	return hits, err
}

// nothingToEmbed reports whether the text is the cause of the error.
func nothingToEmbed(err error) bool { return errors.Is(err, embed.ErrEmptyText) }

// vectorsAnswered reports whether the vector store answered, even if with an error.
func vectorsAnswered(err error) bool {
	return !errors.Is(err, vectors.ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded)
}
