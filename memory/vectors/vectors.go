package vectors

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Errors that callers may test for.
var (
	// ErrEmptyScope says that a scope has no owner. An empty scope never means all.
	ErrEmptyScope = errors.New("scope is empty")
	// ErrDimension says that a vector, or the storage, has another number of dimensions
	// than [Store.Ensure] was given.
	ErrDimension = errors.New("wrong number of dimensions")
	// ErrBadVector says that a vector has no direction: it is all zeros, or contains NaN or
	// an infinity.
	ErrBadVector = errors.New("not a vector with a direction")
	// ErrInvalid says that a point or a query lacks a field, or exceeds a limit.
	ErrInvalid = errors.New("not a valid point or query")
	// ErrNotReady says that [Store.Ensure] was not called, or that what it created is gone.
	ErrNotReady = errors.New("vectors are not set up")
	// ErrUnreachable says that the store could not be reached, or did not answer in time. A
	// retry may succeed.
	ErrUnreachable = errors.New("vectors cannot be reached")
)

// MaxLimit is the maximum number of hits of one search.
const MaxLimit = 1000

// MaxDims is the maximum number of dimensions, as in Qdrant.
const MaxDims = 65536

// Scope names the owners of vectors. A point has all its owners. As a filter it matches the
// union of the owners that are set: the person's vectors, the session's and the project's.
// Methods return [ErrEmptyScope] for an empty one.
type Scope struct {
	Person, Project, Session uuid.UUID
}

// Empty reports whether the scope has no owner.
func (s Scope) Empty() bool { return s == Scope{} }

// Covers reports whether s, as a filter, matches what owner owns.
func (s Scope) Covers(owner Scope) bool {
	same := func(a, b uuid.UUID) bool { return a != uuid.Nil && a == b }
	return same(s.Person, owner.Person) || same(s.Project, owner.Project) || same(s.Session, owner.Session)
}

// Point is one vector with the fields to find it by.
type Point struct {
	ID     uuid.UUID
	Vector []float32
	Scope  Scope     // its owners
	Kind   string    // what it stands for: "window", "fact", "entity", "topic"
	Model  string    // the embedding model that made it, with its version
	At     time.Time // time of what it stands for
}

// Query is one search.
type Query struct {
	Vector []float32
	Scope  Scope
	Kinds  []string // empty means all
	Model  string   // the model that made Vector: only vectors of the same model are compared
	Limit  int      // 1 to [MaxLimit]
}

// Hit is one vector found by a search.
type Hit struct {
	ID    uuid.UUID
	Score float32 // cosine, -1 to 1
}

// Store keeps vectors. It may be used concurrently.
type Store interface {
	// Ensure prepares for vectors of dims dimensions. It may be called again, and by
	// several processes at once. ErrDimension says that there are vectors of another size
	// that cannot coexist with these, and what to do.
	Ensure(ctx context.Context, dims int) error
	// Upsert writes points. All are checked before the first is written; then they are
	// written in batches, and a failure may leave some of them written. A retry is safe. Of
	// several points with the same id the last one is kept.
	Upsert(ctx context.Context, points []Point) error
	// Search returns the closest vectors, best first.
	Search(ctx context.Context, q Query) ([]Hit, error)
	// Delete deletes points. Ids that do not exist are ignored.
	Delete(ctx context.Context, ids ...uuid.UUID) error
	// DeleteScope deletes everything that the scope matches.
	DeleteScope(ctx context.Context, s Scope) error
	// Count counts what the scope matches: of one model or, if model is empty, of all.
	Count(ctx context.Context, s Scope, model string) (int, error)
	// IDs lists what the scope matches, in no particular order, for verification.
	IDs(ctx context.Context, s Scope) ([]uuid.UUID, error)
	// Ping returns an error unless the store answers.
	Ping(ctx context.Context) error
	// Close releases the resources of the store. Calls afterwards fail.
	Close() error
}
