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

// Means returns what a text means that somebody waits for.
func (x *Index) Means(ctx context.Context, text string) ([]float32, error) {
	made, err := x.embedding.Execute(func() ([][]float32, error) { return x.vectorsOf(ctx, []string{text}) })
	if err != nil {
		return nil, fmt.Errorf("embed a question: %w", err)
	}
	return made[0], nil
}

// Near searches vectors for somebody who waits.
func (x *Index) Near(ctx context.Context, qs ...vectors.Query) ([][]vectors.Hit, error) {
	hits, err := x.seeking.Execute(func() ([][]vectors.Hit, error) {
		if err := x.ready(ctx, len(qs[0].Vector)); err != nil {
			return nil, err
		}
		return vectors.SearchAll(ctx, x.cfg.Vectors, qs...)
	})
	if err != nil {
		x.dims.Store(0) // what was set up may be gone: see to it at the next search
	}
	return hits, err
}

// nothingToEmbed reports whether it is the text that cannot be embedded.
func nothingToEmbed(err error) bool { return errors.Is(err, embed.ErrEmptyText) }

// vectorsAnswered reports whether the store of vectors did answer, if only to refuse.
func vectorsAnswered(err error) bool {
	return !errors.Is(err, vectors.ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded)
}
