package vectors

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// intakeStep is how many vectors a read whose size is not known makes room for
// at first.
const intakeStep = 16

// intake collects what a read brings. What it holds counts as the cache's.
type intake struct {
	cache *cache
	dims  int
	held  int64

	version int64
	anew    bool
	rows    rows
	gone    map[uuid.UUID]bool
	vector  []float32 // the one being read
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

// begin makes room for n vectors at most: those of other models are counted in,
// since telling them apart would mean to read them all first.
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

// room makes room for n vectors in all, if the cache has it.
func (in *intake) room(n int) error {
	more := int64(n)*bytesOf(in.dims) - in.held
	if !in.cache.reserve(more) {
		return errNoRoom
	}
	in.held += more
	in.rows.room(n)
	return nil
}
