package vectors

import (
	"sync"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// The kinds of shelves, as stored in the database.
const (
	shelfPerson  = "person"
	shelfSession = "session"
	shelfProject = "project"
)

// shelfOverhead is the approximate memory of an empty shelf.
const shelfOverhead = 512

// shelfKey identifies the copy of a shelf: one owner's vectors of one model and size.
type shelfKey struct {
	kind  string
	owner uuid.UUID
	model string
	dims  int
}

// read returns a request for the changes since a version.
func (k shelfKey) read(since int64) embeddings.Read {
	return embeddings.Read{Kind: k.kind, Owner: k.owner, Model: k.model, Dims: k.dims, Since: since}
}

// shelves returns the keys of the shelves that a scope may have: one for each of its
// owners.
func (s Scope) shelves(model string, dims int) []shelfKey {
	var all []shelfKey
	for _, o := range []shelfKey{{kind: shelfPerson, owner: s.Person}, {kind: shelfSession, owner: s.Session}, {kind: shelfProject, owner: s.Project}} {
		if o.owner != uuid.Nil {
			all = append(all, shelfKey{kind: o.kind, owner: o.owner, model: model, dims: dims})
		}
	}
	return all
}

// names reports whether a scope includes that owner.
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

// shelf is a copy of one owner's vectors, current as of version. It holds only what is
// needed to tell which of them may be among the closest.
type shelf struct {
	key     shelfKey
	charged int64 // used by the cache, guarded by its lock

	// gate allows one read of the database at a time to change the copy.
	gate chan struct{}

	mu      sync.RWMutex // guards the fields below; never held over the network
	version int64        // zero if nothing was read yet
	rows    rows
}

func newShelf(key shelfKey) *shelf { return &shelf{key: key, gate: make(chan struct{}, 1)} }

func (s *shelf) at() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// replace replaces the contents of the copy, and returns its new size in bytes.
func (s *shelf) replace(version int64, r rows) int64 {
	if n := len(r.ids); cap(r.ids) > n+n/8 {
		r.room(n) // free the room meant for vectors of other models
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.rows = version, r
	return s.size()
}

// mend updates the copy to version: changed holds the new vectors, and gone the ids that no
// longer belong to the shelf. It returns the new size in bytes.
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
			i-- // the last one is at i now
		} else if from, ok := place[r.ids[i]]; ok {
			r.set(i, &changed, from)
			delete(place, r.ids[i])
		}
	}
	if n := len(r.ids) + len(place); n > cap(r.ids) {
		r.room(n + n/32) // spare room, so that adding one vector at a time does not copy all each time
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

// size returns the memory of the shelf, in bytes. The caller must hold mu.
func (s *shelf) size() int64 { return shelfOverhead + s.rows.size(s.key.dims) }
