package vectors

import (
	"context"
	"errors"
	"fmt"
)

// errNoRoom says that a shelf does not fit the cache, even alone or beside what
// is being read just now.
var errNoRoom = errors.New("the cache has no room for the shelf")

// Search implements [Store].
func (p *Postgres) Search(ctx context.Context, q Query) ([]Hit, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	q, err := prepareQuery(q, int(p.dims.Load()))
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	s := seek{p: p, q: q, probe: newProbe(q.Vector), copies: map[string]*shelf{}, scanned: map[string][]Hit{}}
	hits, err := s.run(ctx)
	if err != nil {
		return nil, p.said(ctx, "search", err)
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
		if err := p.refresh(ctx, copied, sh.Version); err != nil && !errors.Is(err, errNoRoom) {
			return p.said(ctx, "warm", err)
		}
	}
	return p.said(ctx, "warm", err)
}
