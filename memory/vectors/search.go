package vectors

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// errTooLarge says that a shelf does not fit the cache even alone.
var errTooLarge = errors.New("shelf is larger than the cache")

// Search implements [Store].
func (p *Postgres) Search(ctx context.Context, q Query) ([]Hit, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	q, err := prepareQuery(q, int(p.dims.Load()))
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	shelves, err := p.st.VectorShelves(ctx, owner(q.Scope))
	if err != nil {
		return nil, p.said(ctx, "search", err)
	}
	if len(shelves) == 0 {
		p.cache.forget(q.Scope)
		return nil, nil
	}
	var hits []Hit
	for _, sh := range shelves {
		best := top{limit: q.Limit}
		if err := p.searchShelf(ctx, sh, q, &best); err != nil {
			return nil, p.said(ctx, "search", err)
		}
		hits = append(hits, best.hits...)
	}
	return merge(hits, q.Limit), nil
}

// Warm reads the copies that searches of a scope will need, so that the first of
// them, at the beginning of a call, need not wait for it. A search does the same.
func (p *Postgres) Warm(ctx context.Context, s Scope, model string) error {
	if err := p.open(); err != nil {
		return err
	}
	if s.Empty() {
		return fmt.Errorf("warm vectors: %w", ErrEmptyScope)
	}
	shelves, err := p.st.VectorShelves(ctx, owner(s))
	for _, sh := range shelves {
		copied := p.cache.get(shelfKey{kind: sh.Kind, owner: sh.Owner, model: model, dims: int(p.dims.Load())})
		if err := p.refresh(ctx, copied, sh.Version); err != nil && !errors.Is(err, errTooLarge) {
			return p.said(ctx, "warm", err)
		}
	}
	return p.said(ctx, "warm", err)
}

// searchShelf searches a copy that is at least as new as the version that the
// database has just told.
func (p *Postgres) searchShelf(ctx context.Context, sh store.VectorShelf, q Query, best *top) error {
	s := p.cache.get(shelfKey{kind: sh.Kind, owner: sh.Owner, model: q.Model, dims: len(q.Vector)})
	if s.at() >= sh.Version {
		p.cache.count(func(c *CacheStats) { c.Hits++ })
		s.search(q, best)
		return nil
	}
	err := p.refresh(ctx, s, sh.Version)
	if errors.Is(err, errTooLarge) {
		return p.scan(ctx, s.key, q, best)
	}
	if err != nil {
		return err
	}
	s.search(q, best)
	return nil
}

// refresh brings a copy up to a version or beyond. One read at a time does so;
// the others wait for it, and then look whether it brought enough.
func (p *Postgres) refresh(ctx context.Context, s *shelf, version int64) error {
	select {
	case s.gate <- struct{}{}:
		defer func() { <-s.gate }()
	case <-ctx.Done():
		return fmt.Errorf("wait for another read of %s %s: %w", s.key.kind, s.key.owner, context.Cause(ctx))
	}
	since := s.at()
	if since >= version {
		return nil
	}
	in := intake{dims: s.key.dims, limit: p.cache.limit, names: map[string]string{}}
	err := p.st.ReadVectors(ctx, s.key.read(since), store.VectorReader{Begin: in.begin, Row: in.row})
	if err != nil {
		return err
	}
	if in.anew {
		in.rows.clip()
		p.cache.resize(s, s.replace(in.version, in.rows))
		p.cache.count(func(c *CacheStats) { c.Loads++ })
		return nil
	}
	p.cache.resize(s, s.mend(in.version, in.rows, in.gone))
	p.cache.count(func(c *CacheStats) { c.Refreshes++ })
	return nil
}

// scan searches a shelf while it is read, keeping nothing.
func (p *Postgres) scan(ctx context.Context, key shelfKey, q Query, best *top) error {
	p.cache.count(func(c *CacheStats) { c.Scans++ })
	vector := make([]float32, 0, key.dims)
	return p.st.ReadVectors(ctx, key.read(0), store.VectorReader{
		Begin: func(int64, bool, int) error { return nil },
		Row: func(id uuid.UUID, kind string, values []byte) error {
			if wanted(q.Kinds, kind) {
				vector = store.AppendFloats(vector[:0], values)
				best.offer(id, cosine(q.Vector, vector))
			}
			return nil
		},
	})
}

func (k shelfKey) read(since int64) store.VectorRead {
	return store.VectorRead{Kind: k.kind, Owner: k.owner, Model: k.model, Dims: k.dims, Since: since}
}

// intake collects what a read brings.
type intake struct {
	dims  int
	limit int64

	version int64
	anew    bool
	rows    rows
	gone    map[uuid.UUID]bool
	names   map[string]string // each kind's name, held once
}

// begin makes room for n vectors at most: those of other models are counted in,
// since telling them apart would mean to read them all first.
func (in *intake) begin(version int64, anew bool, n int) error {
	if int64(n)*int64(in.dims)*4 > in.limit {
		return errTooLarge
	}
	in.version, in.anew = version, anew
	in.gone = map[uuid.UUID]bool{}
	in.rows = rows{ids: make([]uuid.UUID, 0, n), kinds: make([]string, 0, n), data: make([]float32, 0, n*in.dims)}
	return nil
}

func (in *intake) row(id uuid.UUID, kind string, values []byte) error {
	if values == nil {
		in.gone[id] = true
		return nil
	}
	name, known := in.names[kind]
	if !known {
		name = kind
		in.names[kind] = kind
	}
	in.rows.ids, in.rows.kinds = append(in.rows.ids, id), append(in.rows.kinds, name)
	in.rows.data = store.AppendFloats(in.rows.data, values)
	return nil
}
