package vectors

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// lookTries is how often a search tries to use its copies. The first look may find them
// missing or stale; a writer may change them again before the second.
const lookTries = 3

// asked is a query with its probe.
type asked struct {
	Query
	probe probe
}

// seek is one search, or several of one scope and model. copies and scanned are keyed by
// the kind of the shelf: a scope has at most one of each kind.
type seek struct {
	p       *Postgres
	asked   []asked
	copies  map[string]*shelf
	scanned map[string][][]Hit // results for shelves that do not fit into the cache, by query
}

// keys returns the keys of the shelves that the scope may have.
func (s *seek) keys() []shelfKey {
	q := s.asked[0]
	return q.Scope.shelves(q.Model, len(q.Vector))
}

// run uses the copies until a look finds all of them current at one moment. If writers keep
// changing the shelves for lookTries looks, it reads the shelves themselves.
func (s *seek) run(ctx context.Context) ([][]Hit, error) {
	for _, key := range s.keys() {
		if held := s.p.cache.find(key); held != nil {
			s.copies[key.kind] = held
		}
	}
	var told []embeddings.Shelf
	for try := range lookTries {
		looks, err := s.rank()
		if err != nil {
			return nil, err
		}
		if told, err = s.p.look(ctx, s.asked[0].Scope, looks); err != nil {
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
	hits := make([][]Hit, len(s.asked))
	for _, sh := range told {
		more, err := s.scan(ctx, sh)
		if err != nil {
			return nil, err
		}
		join(hits, more)
	}
	return hits, nil
}

// join adds the hits of one shelf for each query.
func join(hits, more [][]Hit) {
	for i, h := range more {
		hits[i] = append(hits[i], h...)
	}
}

// rank returns a look at each copy for each query.
func (s *seek) rank() ([]look, error) {
	var looks []look
	for i := range s.asked {
		for _, copied := range s.copies {
			l, err := copied.rank(s.p.log, &s.asked[i].probe, s.asked[i].Query)
			if err != nil {
				return nil, err
			}
			if l.query = i; l.version > 0 {
				looks = append(looks, l)
			}
		}
	}
	return looks, nil
}

// gather joins the results of the looks. They are the whole answer if each shelf of told
// was scanned, or has a current look for each query.
func (s *seek) gather(told []embeddings.Shelf, looks []look, first bool) (hits [][]Hit, whole bool) {
	hits, whole = make([][]Hit, len(s.asked)), true
	for _, sh := range told {
		if scanned, ok := s.scanned[sh.Kind]; ok {
			join(hits, scanned)
			continue
		}
		sure := 0
		for i := range looks {
			if l := &looks[i]; l.shelf.key.kind == sh.Kind && l.version >= sh.Version && l.found == len(l.ids) {
				sure++
				hits[l.query] = append(hits[l.query], l.best.hits...)
				s.p.cache.count(func(c *CacheStats) {
					c.Compared += int64(l.found)
					if first {
						c.Hits++
					}
				})
			}
		}
		whole = whole && sure == len(s.asked)
	}
	return hits, whole
}

// renew refreshes copies to the versions told, and scans the shelves that do not fit into
// the cache. If those are all, their hits are the whole answer.
func (s *seek) renew(ctx context.Context, told []embeddings.Shelf) (hits [][]Hit, whole bool, err error) {
	hits, whole = make([][]Hit, len(s.asked)), true
	for _, sh := range told {
		if _, ok := s.scanned[sh.Kind]; !ok {
			copied := s.copies[sh.Kind]
			if copied == nil {
				copied = s.p.cache.get(s.key(sh))
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
		join(hits, s.scanned[sh.Kind])
	}
	return hits, whole, nil
}

func (s *seek) key(sh embeddings.Shelf) shelfKey {
	q := s.asked[0]
	return shelfKey{kind: sh.Kind, owner: sh.Owner, model: q.Model, dims: len(q.Vector)}
}

// forget drops the copies of owners that have no vectors any more.
func (s *seek) forget(told []embeddings.Shelf) {
	gone := s.asked[0].Scope
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

// scan searches a shelf while reading it, without keeping a copy.
func (s *seek) scan(ctx context.Context, sh embeddings.Shelf) ([][]Hit, error) {
	s.p.cache.count(func(c *CacheStats) { c.Scans++ })
	best, hits := make([]top, len(s.asked)), make([][]Hit, len(s.asked))
	for i, q := range s.asked {
		best[i].limit = q.Limit
	}
	err := s.p.st.ReadVectors(ctx, s.key(sh).read(0), embeddings.Reader{
		Begin: func(int64, bool, int) error { return nil },
		Row: func(id uuid.UUID, kind string, values []byte) error {
			for i, q := range s.asked {
				if wanted(q.Kinds, kind) {
					best[i].offer(id, exact(q.Vector, values))
				}
			}
			return nil
		},
	})
	for i, b := range best {
		hits[i] = b.hits
	}
	return hits, err
}
