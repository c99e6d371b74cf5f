package memory

import (
	"context"
	"errors"

	"github.com/naiber/naiber/store/memories"
)

// Errors that callers may test for.
var (
	// ErrNoConsent says that a person does not allow being remembered.
	ErrNoConsent = errors.New("no consent to being remembered")
	// ErrEmptyScope says that a scope has no owner. An empty scope never means all.
	ErrEmptyScope = errors.New("memory scope is empty")
	// ErrInvalid says that a turn, a setting or another argument is invalid.
	ErrInvalid = errors.New("not valid")
	// ErrOtherOwner says that an id belongs to a turn of another owner.
	ErrOtherOwner = errors.New("turn belongs to somebody else")
)

// Scope names the owners of a memory; see [memories.Scope].
type Scope = memories.Scope

// Turn is one thing that was said, word for word; see [memories.Turn].
type Turn = memories.Turn

// Embedder embeds texts. It returns one vector for each, in order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
