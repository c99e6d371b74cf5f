package memory

import (
	"context"
	"errors"

	"github.com/naiber/naiber/store/memories"
)

// Errors that callers may branch on.
var (
	// ErrNoConsent says that a person does not allow being remembered.
	ErrNoConsent = errors.New("no consent to being remembered")
	// ErrEmptyScope says that a scope names nobody. It never means everybody.
	ErrEmptyScope = errors.New("memory scope is empty")
	// ErrInvalid says what is wrong with a turn or a setting.
	ErrInvalid = errors.New("not valid")
	// ErrOtherOwner says that an id is taken by what somebody else said.
	ErrOtherOwner = errors.New("turn belongs to somebody else")
)

// Scope says whose memory is meant: see [memories.Scope].
type Scope = memories.Scope

// Turn is one thing that was said, word for word: see [memories.Turn].
type Turn = memories.Turn

// Embedder turns texts into vectors, one for each, in order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
