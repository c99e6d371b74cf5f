package vectors

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Errors that callers may branch on.
var (
	// ErrEmptyScope says that a scope names nobody. It never means everybody.
	ErrEmptyScope = errors.New("scope is empty")
	// ErrDimension says that a vector, or what the vectors are kept in, has
	// another number of dimensions than [Store.Ensure] was told.
	ErrDimension = errors.New("wrong number of dimensions")
	// ErrBadVector says that a vector has no direction: it is all zeros, or holds
	// something that is not a number.
	ErrBadVector = errors.New("not a vector with a direction")
	// ErrInvalid says that a point or a query lacks something, or asks too much.
	ErrInvalid = errors.New("not a valid point or query")
	// ErrNotReady says that [Store.Ensure] was not called, or that what it made is gone.
	ErrNotReady = errors.New("vectors are not set up")
	// ErrUnreachable says that the vectors could not be reached, or did not answer
	// in time. It may pass: the same call again may work.
	ErrUnreachable = errors.New("vectors cannot be reached")
)

// MaxLimit is the most hits that one search may ask for.
const MaxLimit = 1000

// MaxDims is the largest vector, as in Qdrant.
const MaxDims = 65536

// Scope is whose vectors are meant. A point carries every owner that it has. As
// a filter it is the union of what is set: what is the person's, or the
// session's, or the project's. An empty one is [ErrEmptyScope].
type Scope struct {
	Person, Project, Session uuid.UUID
}

// Empty reports whether the scope names nobody.
func (s Scope) Empty() bool { return s == Scope{} }

// Covers reports whether s, as a filter, finds what owner owns.
func (s Scope) Covers(owner Scope) bool {
	same := func(a, b uuid.UUID) bool { return a != uuid.Nil && a == b }
	return same(s.Person, owner.Person) || same(s.Project, owner.Project) || same(s.Session, owner.Session)
}

// Point is one vector and what must be known to find it.
type Point struct {
	ID     uuid.UUID
	Vector []float32
	Scope  Scope     // its owners
	Kind   string    // what it stands for: "window", "fact", "entity", "topic"
	Model  string    // the embedding model that made it, with its version
	At     time.Time // of what it stands for
}

// Query is one search.
type Query struct {
	Vector []float32
	Scope  Scope
	Kinds  []string // none means all
	Model  string   // that made Vector: only its own vectors are compared
	Limit  int      // 1 to [MaxLimit]
}

// Hit is one vector that was found.
type Hit struct {
	ID    uuid.UUID
	Score float32 // cosine, -1 to 1
}

// Store keeps vectors. It may be used concurrently.
type Store interface {
	// Ensure prepares for vectors of so many dimensions. It may be called again,
	// and by several processes at once. ErrDimension says that there are vectors
	// of another size which cannot stay alongside these, and what to do.
	Ensure(ctx context.Context, dims int) error
	// Upsert writes points. All are checked before the first is written; then
	// they are written in batches, and a failure may leave some of them written.
	// To do it again is safe. Of points with the same id the last one counts.
	Upsert(ctx context.Context, points []Point) error
	// Search returns the closest, best first.
	Search(ctx context.Context, q Query) ([]Hit, error)
	// Delete deletes points; ids that are not there are passed over.
	Delete(ctx context.Context, ids ...uuid.UUID) error
	// DeleteScope deletes all that the scope, as a filter, finds.
	DeleteScope(ctx context.Context, s Scope) error
	// Count counts what the scope finds: of one model or, with an empty one, of all.
	Count(ctx context.Context, s Scope, model string) (int, error)
	// IDs lists what the scope finds, in no order, to prove what is there.
	IDs(ctx context.Context, s Scope) ([]uuid.UUID, error)
	// Ping reports whether the store answers.
	Ping(ctx context.Context) error
	// Close releases what New took. Calls afterwards fail.
	Close() error
}
