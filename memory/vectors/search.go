package vectors

import (
	"context"
	"errors"
	"fmt"
)

// errNoRoom says that a shelf does not fit into the cache, even alone or with the reads in
// progress.
var errNoRoom = errors.New("the cache has no room for the shelf")

// Search implements [Store].
func (p *Postgres) Search(ctx context.Context, q Query) ([]Hit, error) {
	all, err := p.SearchAll(ctx, q)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// SearchAll runs several searches of one scope, with vectors of one model, in one round
// trip unless copies are stale. It returns the hits of each.
func (p *Postgres) SearchAll(ctx context.Context, qs ...Query) ([][]Hit, error) {
	if err := p.open(); err != nil || len(qs) == 0 {
		return nil, err
	}
	s := seek{p: p, copies: map[string]*shelf{}, scanned: map[string][][]Hit{}}
	for _, q := range qs {
		q, err := prepareQuery(q, int(p.dims.Load()))
		if err != nil {
			return nil, fmt.Errorf("search vectors: %w", err)
		}
		if q.Scope != qs[0].Scope || q.Model != qs[0].Model {
			return nil, fmt.Errorf("search vectors of several scopes or models at once: %w", ErrInvalid)
		}
		s.asked = append(s.asked, asked{Query: q, probe: newProbe(q.Vector)})
	}
	hits, err := s.run(ctx)
	if err != nil {
		return nil, p.said(ctx, "search", err)
	}
	for i, q := range qs {
		hits[i] = merge(hits[i], q.Limit)
	}
	return hits, nil
}

// SearchAll runs several searches of one scope, with vectors of one model: in one call if
// the store can, otherwise one after the other.
func SearchAll(ctx context.Context, s Store, qs ...Query) ([][]Hit, error) {
	if all, ok := s.(interface {
		SearchAll(ctx context.Context, qs ...Query) ([][]Hit, error)
	}); ok {
		return all.SearchAll(ctx, qs...)
	}
	var out [][]Hit
	for _, q := range qs {
		hits, err := s.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		out = append(out, hits)
	}
	return out, nil
}

// Warm reads the copies that searches of a scope will need, so that the first search of a
// call need not wait for it.
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
