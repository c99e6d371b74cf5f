package vectors

import (
	"slices"
	"sync"

	"github.com/google/uuid"
	"gonum.org/v1/gonum/blas/blas32"
)

// The kinds of shelves, as the database has them.
const (
	shelfPerson  = "person"
	shelfSession = "session"
	shelfProject = "project"
)

// shelfOverhead is about what an empty shelf takes in memory.
const shelfOverhead = 512

// shelfKey names the copy of a shelf: one owner's vectors of one model and size.
type shelfKey struct {
	kind  string
	owner uuid.UUID
	model string
	dims  int
}

// names reports whether a scope has that owner.
func (s Scope) names(kind string, owner uuid.UUID) bool {
	switch kind {
	case shelfPerson:
		return s.Person == owner
	case shelfSession:
		return s.Session == owner
	case shelfProject:
		return s.Project == owner
	default:
		return false
	}
}

// shelf is a copy of one owner's vectors, true as of a version.
type shelf struct {
	key     shelfKey
	charged int64 // the cache's own; its lock guards it

	// gate lets one read of the database at a time change the copy.
	gate chan struct{}

	mu      sync.RWMutex // guards what follows; never held over the network
	version int64        // zero: nothing was read yet
	rows    rows
}

// rows are vectors with what a search must know of them. Vector i is
// data[i*dims:(i+1)*dims].
type rows struct {
	ids   []uuid.UUID
	kinds []string
	data  []float32
}

func newShelf(key shelfKey) *shelf { return &shelf{key: key, gate: make(chan struct{}, 1)} }

func (s *shelf) at() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// replace makes the copy what was read anew.
func (s *shelf) replace(version int64, r rows) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.rows = version, r
	return s.size()
}

// mend brings the copy up to version with what changed since: changed holds the
// new vectors, and gone the ids that do not belong here any more.
func (s *shelf) mend(version int64, changed rows, gone map[uuid.UUID]bool) int64 {
	place := make(map[uuid.UUID]int, len(changed.ids))
	for i, id := range changed.ids {
		place[id] = i
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, r := s.key.dims, &s.rows
	for i := 0; i < len(r.ids); i++ {
		if gone[r.ids[i]] {
			r.remove(i, d)
			i-- // the last one stands here now
		} else if from, ok := place[r.ids[i]]; ok {
			r.kinds[i] = changed.kinds[from]
			copy(r.data[i*d:(i+1)*d], changed.data[from*d:])
			delete(place, r.ids[i])
		}
	}
	for i, id := range changed.ids {
		if _, fresh := place[id]; fresh {
			r.ids, r.kinds = append(r.ids, id), append(r.kinds, changed.kinds[i])
			r.data = append(r.data, changed.data[i*d:(i+1)*d]...)
		}
	}
	s.version = version
	return s.size()
}

// remove puts the last vector in the place of vector i.
func (r *rows) remove(i, dims int) {
	last := len(r.ids) - 1
	r.ids[i], r.kinds[i] = r.ids[last], r.kinds[last]
	copy(r.data[i*dims:(i+1)*dims], r.data[last*dims:])
	r.ids, r.kinds, r.data = r.ids[:last], r.kinds[:last], r.data[:last*dims]
}

// clip gives back room that turned out not to be needed, if it is worth a copy.
func (r *rows) clip() {
	if cap(r.ids) > len(r.ids)+len(r.ids)/4 {
		*r = rows{ids: slices.Clone(r.ids), kinds: slices.Clone(r.kinds), data: slices.Clone(r.data)}
	}
}

// size is what the shelf takes in memory, in bytes. It needs mu.
func (s *shelf) size() int64 {
	const id, kind, number = 16, 16, 4
	return shelfOverhead + int64(cap(s.rows.ids)*id+cap(s.rows.kinds)*kind+cap(s.rows.data)*number)
}

// search offers every vector of the kinds asked for.
func (s *shelf) search(q Query, best *top) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := s.key.dims
	for i, id := range s.rows.ids {
		if wanted(q.Kinds, s.rows.kinds[i]) {
			best.offer(id, cosine(q.Vector, s.rows.data[i*d:(i+1)*d]))
		}
	}
}

func wanted(kinds []string, kind string) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }

// cosine of two vectors of length one. Rounding may carry it past one.
func cosine(a, b []float32) float32 {
	dot := blas32.Dot(blas32.Vector{N: len(a), Inc: 1, Data: a}, blas32.Vector{N: len(b), Inc: 1, Data: b})
	return min(max(dot, -1), 1)
}
