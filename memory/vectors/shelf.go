package vectors

import (
	"sync"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
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

// read asks the database for what is newer than a version.
func (k shelfKey) read(since int64) embeddings.Read {
	return embeddings.Read{Kind: k.kind, Owner: k.owner, Model: k.model, Dims: k.dims, Since: since}
}

// shelves are what a scope may have: one for each of its owners.
func (s Scope) shelves(model string, dims int) []shelfKey {
	var all []shelfKey
	for _, o := range []shelfKey{{kind: shelfPerson, owner: s.Person}, {kind: shelfSession, owner: s.Session}, {kind: shelfProject, owner: s.Project}} {
		if o.owner != uuid.Nil {
			all = append(all, shelfKey{kind: o.kind, owner: o.owner, model: model, dims: dims})
		}
	}
	return all
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

// shelf is a copy of one owner's vectors, true as of a version. It has no more
// of each than is needed to tell which of them may be among the closest.
type shelf struct {
	key     shelfKey
	charged int64 // the cache's own; its lock guards it

	// gate lets one read of the database at a time change the copy.
	gate chan struct{}

	mu      sync.RWMutex // guards what follows; never held over the network
	version int64        // zero: nothing was read yet
	rows    rows
}

func newShelf(key shelfKey) *shelf { return &shelf{key: key, gate: make(chan struct{}, 1)} }

func (s *shelf) at() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// replace makes the copy what was read anew, and says how large it is now.
func (s *shelf) replace(version int64, r rows) int64 {
	if n := len(r.ids); cap(r.ids) > n+n/8 {
		r.room(n) // what was meant for vectors of other models is given back
	}
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
	r := &s.rows
	for i := 0; i < len(r.ids); i++ {
		if gone[r.ids[i]] {
			r.remove(i)
			i-- // the last one stands here now
		} else if from, ok := place[r.ids[i]]; ok {
			r.set(i, &changed, from)
			delete(place, r.ids[i])
		}
	}
	if n := len(r.ids) + len(place); n > cap(r.ids) {
		r.room(n + n/32) // so that one more vector each time is not a copy each time
	}
	for i, id := range changed.ids {
		if _, fresh := place[id]; fresh {
			r.extend()
			r.set(len(r.ids)-1, &changed, i)
		}
	}
	s.version = version
	return s.size()
}

// size is what the shelf takes in memory, in bytes. It needs mu.
func (s *shelf) size() int64 { return shelfOverhead + s.rows.size(s.key.dims) }
