package vectors

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// lookTries is how often a search goes by its copies. The first look may find
// them missing or behind; a writer may be quicker than the second.
const lookTries = 3

// seek is one search. Copies and what was scanned go by the kind of the shelf: a
// scope has one of each kind at most.
type seek struct {
	p       *Postgres
	q       Query
	probe   probe
	copies  map[string]*shelf
	scanned map[string][]Hit // shelves that the cache has no room for
}

// run goes by the copies until a look finds all of them true at one moment.
// While writers stay ahead of that, it reads the shelves themselves.
func (s *seek) run(ctx context.Context) ([]Hit, error) {
	for _, key := range s.q.Scope.shelves(s.q.Model, len(s.q.Vector)) {
		if held := s.p.cache.find(key); held != nil {
			s.copies[key.kind] = held
		}
	}
	var told []store.VectorShelf
	for try := range lookTries {
		looks := s.rank()
		var err error
		if told, err = s.p.look(ctx, s.q, looks); err != nil {
			return nil, err
		}
		s.forget(told)
		hits, whole := s.gather(told, looks, try == 0)
		if whole {
			return hits, nil
		}
		if hits, whole, err = s.renew(ctx, told); err != nil || whole {
			return hits, err
		}
	}
	var hits []Hit
	for _, sh := range told {
		more, err := s.scan(ctx, sh)
		if err != nil {
			return nil, err
		}
		hits = append(hits, more...)
	}
	return hits, nil
}

// rank makes a look at each copy.
func (s *seek) rank() []look {
	looks := make([]look, 0, len(s.copies))
	for _, copied := range s.copies {
		if l := copied.rank(&s.probe, s.q); l.version > 0 {
			looks = append(looks, l)
		}
	}
	return looks
}

// gather joins what the looks found. It is the whole answer if every shelf that
// the database told of has a look that proved true.
func (s *seek) gather(told []store.VectorShelf, looks []look, first bool) (hits []Hit, whole bool) {
	whole = true
	for _, sh := range told {
		if scanned, ok := s.scanned[sh.Kind]; ok {
			hits = append(hits, scanned...)
			continue
		}
		sure := false
		for i := range looks {
			if l := &looks[i]; l.shelf.key.kind == sh.Kind && l.version >= sh.Version && l.found == len(l.ids) {
				sure = true
				hits = append(hits, l.best.hits...)
				s.p.cache.count(func(c *CacheStats) {
					c.Compared += int64(l.found)
					if first {
						c.Hits++
					}
				})
			}
		}
		whole = whole && sure
	}
	return hits, whole
}

// renew brings copies up to what was told, and scans the shelves that the cache
// has no room for. If those are all, their hits are the whole answer.
func (s *seek) renew(ctx context.Context, told []store.VectorShelf) (hits []Hit, whole bool, err error) {
	whole = true
	for _, sh := range told {
		if _, ok := s.scanned[sh.Kind]; !ok {
			copied := s.copies[sh.Kind]
			if copied == nil {
				copied = s.p.cache.get(shelfKey{kind: sh.Kind, owner: sh.Owner, model: s.q.Model, dims: len(s.q.Vector)})
			}
			switch err := s.p.refresh(ctx, copied, sh.Version); {
			case errors.Is(err, errNoRoom):
				delete(s.copies, sh.Kind)
				if s.scanned[sh.Kind], err = s.scan(ctx, sh); err != nil {
					return nil, false, err
				}
			case err != nil:
				return nil, false, err
			default:
				s.copies[sh.Kind], whole = copied, false
			}
		}
		hits = append(hits, s.scanned[sh.Kind]...)
	}
	return hits, whole, nil
}

// forget drops the copies of owners who have nothing any more.
func (s *seek) forget(told []store.VectorShelf) {
	gone := s.q.Scope
	for _, sh := range told {
		switch sh.Kind {
		case shelfPerson:
			gone.Person = uuid.Nil
		case shelfSession:
			gone.Session = uuid.Nil
		case shelfProject:
			gone.Project = uuid.Nil
		}
	}
	if len(told) == 0 {
		clear(s.copies)
		s.p.cache.forget(gone)
	}
	for kind, copied := range s.copies {
		if gone.names(kind, copied.key.owner) {
			delete(s.copies, kind)
			s.p.cache.forget(gone)
		}
	}
}

// scan searches a shelf while it is read, keeping nothing.
func (s *seek) scan(ctx context.Context, sh store.VectorShelf) ([]Hit, error) {
	s.p.cache.count(func(c *CacheStats) { c.Scans++ })
	key, best := shelfKey{kind: sh.Kind, owner: sh.Owner, model: s.q.Model, dims: len(s.q.Vector)}, top{limit: s.q.Limit}
	err := s.p.st.ReadVectors(ctx, key.read(0), store.VectorReader{
		Begin: func(int64, bool, int) error { return nil },
		Row: func(id uuid.UUID, kind string, values []byte) error {
			if wanted(s.q.Kinds, kind) {
				best.offer(id, exact(s.q.Vector, values))
			}
			return nil
		},
	})
	return best.hits, err
}
