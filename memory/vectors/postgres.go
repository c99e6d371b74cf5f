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

// DefaultCacheBytes holds the copies of 118 people with ten thousand memories
// each, of 256 dimensions, or of 21 with 1536.
const DefaultCacheBytes = 320 << 20

// postgresBatch is how many points one transaction writes: some megabytes.
const postgresBatch = 500

// PostgresConfig is what a [Postgres] needs to know.
type PostgresConfig struct {
	// CacheBytes bounds the copies of vectors that are kept in memory, with those
	// that are being read; those used longest ago go first. A copy takes one byte
	// for each number, and 28 for each vector. Zero means [DefaultCacheBytes].
	CacheBytes int64
	// Log is where a search that panics is told of. Default: nowhere.
	Log *slog.Logger
}

// Postgres keeps vectors in the database and compares them in the process. Of
// those who were searched lately it has a copy in memory, with eight bits for
// each number: enough to say which few of all vectors of a scope may be among
// the closest. A search reads these from the database and scores them exactly,
// so its answer is that of comparing all. In the same exchange the database says
// whether the copy is still true; if not, what changed is fetched first, so
// several processes agree.
//
// There is one table for vectors of every size: after a change of the embedding
// model, old and new ones stand alongside each other until all are made anew.
type Postgres struct {
	st     *store.Store
	log    *slog.Logger
	cache  *cache
	dims   atomic.Int64
	closed atomic.Bool
}

var _ Store = (*Postgres)(nil)

// NewPostgres keeps vectors in an open, migrated database, which stays the
// caller's to close.
func NewPostgres(st *store.Store, cfg PostgresConfig) *Postgres {
	limit := cfg.CacheBytes
	if limit <= 0 {
		limit = DefaultCacheBytes
	}
	return &Postgres{st: st, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)), cache: newCache(limit)}
}

// Ensure implements [Store]. Vectors of other sizes stay where they are.
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

// DeleteScope implements [Store]. This process's copies go at once; another's
// are never searched again, and leave its memory with the next search there.
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

// CacheStats says what the cache holds and how it served.
func (p *Postgres) CacheStats() CacheStats { return p.cache.stats() }

func (p *Postgres) open() error {
	if p.closed.Load() {
		return fmt.Errorf("closed: %w", ErrNotReady)
	}
	return nil
}

// said wraps an error with what was being tried, and marks one that may pass.
// What the database itself refused, and what the caller ended, is not marked.
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
