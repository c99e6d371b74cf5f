package vectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/embeddings"
	"github.com/naiber/naiber/store/memories"
)

// DefaultCacheBytes fits the copies of 118 people with ten thousand memories each, of 256
// dimensions, or of 21 with 1536.
const DefaultCacheBytes = 320 << 20

// postgresBatch is how many points one transaction writes: a few megabytes.
const postgresBatch = 500

// PostgresConfig configures a [Postgres].
type PostgresConfig struct {
	// CacheBytes limits the copies of vectors in memory, including those being read; the
	// least recently used are evicted first. A copy takes one byte for each number, and 28
	// for each vector. Zero means [DefaultCacheBytes].
	CacheBytes int64
	// Log receives panics of searches. If nil, they are not logged.
	Log *slog.Logger
}

// Postgres keeps vectors in the database and compares them in the process. For the scopes
// searched recently it keeps a copy in memory, with eight bits for each number: enough to
// rule out all but the few vectors that may be among the closest. A search reads these from
// the database and scores them exactly, so its answer equals that of comparing all. In the
// same round trip the database returns whether the copy is current; if not, the changes are
// fetched first, which keeps several processes consistent.
//
// One table holds vectors of every size: after a change of the embedding model, old and new
// ones coexist until all are rebuilt.
type Postgres struct {
	st     *store.Store
	log    *slog.Logger
	cache  *cache
	dims   atomic.Int64
	closed atomic.Bool
}

var _ Store = (*Postgres)(nil)

// NewPostgres returns a store in an open, migrated database. The caller must close the
// database.
func NewPostgres(st *store.Store, cfg PostgresConfig) *Postgres {
	limit := cfg.CacheBytes
	if limit <= 0 {
		limit = DefaultCacheBytes
	}
	return &Postgres{st: st, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)), cache: newCache(limit)}
}

// Ensure implements [Store]. Vectors of other sizes are left in place.
func (p *Postgres) Ensure(ctx context.Context, dims int) error {
	if err := checkDims(dims); err != nil {
		return err
	}
	if err := p.Ping(ctx); err != nil {
		return err
	}
	p.dims.Store(int64(dims))
	return nil
}

// Upsert implements [Store].
func (p *Postgres) Upsert(ctx context.Context, points []Point) error {
	if err := p.open(); err != nil {
		return err
	}
	ready, err := prepare(points, int(p.dims.Load()))
	if err != nil {
		return fmt.Errorf("upsert vectors: %w", err)
	}
	for batch := range slices.Chunk(ready, postgresBatch) {
		rows := make([]embeddings.Vector, len(batch))
		for i, b := range batch {
			rows[i] = embeddings.Vector{ID: b.ID, Owner: owner(b.Scope), Kind: b.Kind, Model: b.Model, Values: b.Vector, Norm: b.norm, At: b.At}
		}
		if err := p.st.SaveVectors(ctx, rows); err != nil {
			return p.said(ctx, "upsert", err)
		}
	}
	return nil
}

// Delete implements [Store].
func (p *Postgres) Delete(ctx context.Context, ids ...uuid.UUID) error {
	if err := p.open(); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	return p.said(ctx, "delete", p.st.DeleteVectors(ctx, ids))
}

// DeleteScope implements [Store]. Copies in this process are dropped at once; those in
// other processes are never searched again, and are freed by the next search there.
func (p *Postgres) DeleteScope(ctx context.Context, s Scope) error {
	if err := p.open(); err != nil {
		return err
	}
	if s.Empty() {
		return fmt.Errorf("delete vectors: %w", ErrEmptyScope)
	}
	_, err := p.st.DeleteVectorsOf(ctx, owner(s))
	p.cache.forget(s)
	return p.said(ctx, "delete scope", err)
}

// Count implements [Store].
func (p *Postgres) Count(ctx context.Context, s Scope, model string) (int, error) {
	if err := p.open(); err != nil {
		return 0, err
	}
	if s.Empty() {
		return 0, fmt.Errorf("count vectors: %w", ErrEmptyScope)
	}
	n, err := p.st.CountVectors(ctx, owner(s), model)
	return n, p.said(ctx, "count", err)
}

// IDs implements [Store].
func (p *Postgres) IDs(ctx context.Context, s Scope) ([]uuid.UUID, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	if s.Empty() {
		return nil, fmt.Errorf("list vectors: %w", ErrEmptyScope)
	}
	ids, err := p.st.VectorIDs(ctx, owner(s))
	return ids, p.said(ctx, "list", err)
}

// Ping implements [Store].
func (p *Postgres) Ping(ctx context.Context) error {
	if err := p.open(); err != nil {
		return err
	}
	return p.said(ctx, "ping", p.st.Ping(ctx))
}

// Close implements [Store]. The database stays open.
func (p *Postgres) Close() error {
	p.closed.Store(true)
	p.cache.clear()
	return nil
}

// CacheStats returns the contents of the cache and how it served.
func (p *Postgres) CacheStats() CacheStats { return p.cache.stats() }

func (p *Postgres) open() error {
	if p.closed.Load() {
		return fmt.Errorf("closed: %w", ErrNotReady)
	}
	return nil
}

// said wraps an error with the operation that failed, and marks a transient one with
// [ErrUnreachable]. Errors returned by the database itself, and cancellation by the caller,
// are not marked.
func (p *Postgres) said(ctx context.Context, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded), !store.Unreachable(err):
		return fmt.Errorf("%s vectors: %w", what, err)
	default:
		return fmt.Errorf("%s vectors: %w: %w", what, ErrUnreachable, err)
	}
}

func owner(s Scope) memories.Scope {
	return memories.Scope{Person: store.PersonID{UUID: s.Person}, Session: s.Session, Project: s.Project}
}
