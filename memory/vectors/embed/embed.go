// Package embed checks the requests to and answers of a server that embeds texts. Its
// vectors are fit to be stored: in order, of one size, of length one, and never of an empty
// text.
package embed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/naiber/naiber/memory/vectors"
)

// Errors that callers may test for.
var (
	// ErrEmptyText says that a text holds no letter and no digit, and so has no meaning to
	// embed.
	ErrEmptyText = errors.New("text is empty")
	// ErrBadAnswer says that the model did not return one usable vector for each text.
	ErrBadAnswer = errors.New("embeddings do not match the texts")
)

// Model embeds texts. It returns one vector for each, in order.
type Model interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Config configures an [Embedder]. Only Model is required.
type Config struct {
	Model Model
	// Dims is the required size of vectors. Zero means the size of the first answer.
	Dims int
}

// Embedder is a [Model] with the guarantees of this package. It may be used concurrently.
type Embedder struct {
	cfg  Config
	dims atomic.Int64
}

// New returns an Embedder over cfg.Model. It sends no request.
func New(cfg Config) (*Embedder, error) {
	if cfg.Model == nil {
		return nil, errors.New("embed: no model")
	}
	if cfg.Dims < 0 || cfg.Dims > vectors.MaxDims {
		return nil, fmt.Errorf("embed: %d dimensions: %w", cfg.Dims, vectors.ErrDimension)
	}
	e := &Embedder{cfg: cfg}
	e.dims.Store(int64(cfg.Dims))
	return e, nil
}

// Embed returns one vector of length one for each text, in order, all of one size. If one
// text fails, all do. Without texts it returns nil and sends no request.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ready := make([]string, len(texts))
	for i, t := range texts {
		if !strings.ContainsFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			return nil, fmt.Errorf("embed text %d of %d: %w", i+1, len(texts), ErrEmptyText)
		}
		ready[i] = strings.ToValidUTF8(t, "\uFFFD")
	}
	if len(texts) == 0 {
		return nil, nil
	}
	made, err := e.cfg.Model.Embed(ctx, ready)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	if len(made) != len(texts) {
		return nil, fmt.Errorf("embed: %d vectors for %d texts: %w", len(made), len(texts), ErrBadAnswer)
	}
	for i, v := range made {
		if made[i], err = e.check(v); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (e *Embedder) check(v []float32) ([]float32, error) {
	unit, _, err := vectors.Unit(v)
	if err != nil {
		return nil, fmt.Errorf("embed: %w: %w", ErrBadAnswer, err)
	}
	e.dims.CompareAndSwap(0, int64(len(v)))
	if n := int(e.dims.Load()); len(v) != n {
		return nil, fmt.Errorf("embed: a vector of %d instead of %d dimensions: %w: %w", len(v), n, ErrBadAnswer, vectors.ErrDimension)
	}
	return unit, nil
}
