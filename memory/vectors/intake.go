package vectors

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// intakeStep is how many vectors a read of unknown size makes room for at first.
const intakeStep = 16

// intake collects the vectors of a read. The memory that it holds counts toward the cache's
// limit.
type intake struct {
	cache *cache
	dims  int
	held  int64

	version int64
	anew    bool
	rows    rows
	gone    map[uuid.UUID]bool
	vector  []float32 // buffer for the vector being read
}

// refresh updates a copy to version or later. Only one read at a time does so; the others
// wait for it, and then check whether the copy is recent enough.
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
	in := intake{cache: p.cache, dims: s.key.dims, rows: rows{words: words(s.key.dims)}, gone: map[uuid.UUID]bool{}}
	defer func() { p.cache.release(in.held) }()
	err := p.st.ReadVectors(ctx, s.key.read(since), embeddings.Reader{Begin: in.begin, Row: in.row})
	if err != nil {
		return err
	}
	if in.anew {
		p.cache.settle(s, s.replace(in.version, in.rows), &in.held)
		p.cache.count(func(c *CacheStats) { c.Loads++ })
		return nil
	}
	p.cache.settle(s, s.mend(in.version, in.rows, in.gone), &in.held)
	p.cache.count(func(c *CacheStats) { c.Refreshes++ })
	return nil
}

// begin makes room for at most n vectors. That count includes those of other models, since
// telling them apart would mean reading them all first.
func (in *intake) begin(version int64, anew bool, n int) error {
	in.version, in.anew = version, anew
	return in.room(n)
}

func (in *intake) row(id uuid.UUID, kind string, values []byte) error {
	if values == nil {
		in.gone[id] = true
		return nil
	}
	if n := len(in.rows.ids); n == cap(in.rows.ids) {
		if err := in.room(max(intakeStep, 2*n)); err != nil {
			return err
		}
	}
	in.vector = embeddings.AppendFloats(in.vector[:0], values)
	in.rows.add(id, kind, in.vector)
	return nil
}

// room makes room for n vectors in total. It returns [errNoRoom] if the cache has none.
func (in *intake) room(n int) error {
	more := int64(n)*bytesOf(in.dims) - in.held
	if !in.cache.reserve(more) {
		return errNoRoom
	}
	in.held += more
	in.rows.room(n)
	return nil
}
