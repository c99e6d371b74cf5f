// Package embed stands between those who have texts and a server that makes
// vectors of them. What comes out is fit to be kept: in order, of one size, of
// length one, and never made of nothing.
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

// Errors that callers may branch on.
var (
	// ErrEmptyText says that a text holds no letter and no digit: there is nothing to embed.
	ErrEmptyText = errors.New("text is empty")
	// ErrBadAnswer says that the model did not give one usable vector for each text.
	ErrBadAnswer = errors.New("embeddings do not match the texts")
)

// Model makes vectors of texts, one for each, in order.
type Model interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Config is what an [Embedder] needs to know. Only Model is required.
type Config struct {
	Model Model
	// Dims is the size that vectors must have. Zero takes the first answer's.
	Dims int
}

// Embedder is a [Model] that keeps this package's promises. It may be used
// concurrently.
type Embedder struct {
	cfg  Config
	dims atomic.Int64
}

// New returns an embedder over cfg.Model. It sends nothing.
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

// Embed returns one vector of length one for each text, in order, all of one
// size. It fails as a whole. No texts give no vectors and no request.
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
