package vectors

import (
	"container/list"
	"sync"
)

// CacheStats describes the contents of the cache of a [Postgres] and how it served.
type CacheStats struct {
	Bytes, Limit int64
	Reading      int64 // bytes held by reads in progress, in addition
	Shelves      int   // owners, once for each model
	Hits         int64 // searches whose copy was current
	Refreshes    int64 // searches that fetched changes
	Loads        int64 // searches that read everything
	Scans        int64 // of shelves too large to cache, read from the database every time
	Evictions    int64
	Compared     int64 // vectors read for an exact score
}

// cache keeps shelves up to a number of bytes, including what is being read for them, and
// evicts the least recently used. A shelf evicted while it is searched or read is no longer
// counted, and is freed when that is done.
type cache struct {
	limit int64

	mu      sync.Mutex // guards the fields below
	order   *list.List // of *shelf, most recently used first
	entries map[shelfKey]*list.Element
	counts  CacheStats
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), entries: map[shelfKey]*list.Element{}}
}

// get returns the shelf of a key, creating an empty one if needed.
func (c *cache) get(key shelfKey) *shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		return shelfOf(e)
	}
	s := newShelf(key)
	c.entries[key] = c.order.PushFront(s)
	c.charge(s, shelfOverhead)
	return s
}

// find returns the shelf of a key, or nil.
func (c *cache) find(key shelfKey) *shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return shelfOf(e)
}

// reserve makes room for a read of so many bytes. If they do not fit with the other reads
// in progress, it does nothing and returns false.
func (c *cache) reserve(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts.Reading+bytes+shelfOverhead > c.limit {
		return false
	}
	c.counts.Reading += bytes
	c.fit()
	return true
}

// release returns the reservation of a failed read.
func (c *cache) release(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Reading -= bytes
}

// settle turns the reservation of a read into the shelf's own size. A shelf evicted in the
// meantime stays evicted; its users may finish.
func (c *cache) settle(s *shelf, size int64, held *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Reading -= *held
	*held = 0
	if e, ok := c.entries[s.key]; ok && shelfOf(e) == s {
		c.charge(s, size)
	}
}

// charge changes a shelf's size. The caller must hold mu.
func (c *cache) charge(s *shelf, size int64) {
	c.counts.Bytes += size - s.charged
	s.charged = size
	c.fit()
}

// fit evicts shelves until the rest fits. The caller must hold mu.
func (c *cache) fit() {
	for c.counts.Bytes+c.counts.Reading > c.limit && c.order.Len() > 0 {
		c.counts.Evictions++
		c.drop(c.order.Back())
	}
}

// drop evicts a shelf. The caller must hold mu.
func (c *cache) drop(e *list.Element) {
	s := shelfOf(e)
	c.order.Remove(e)
	delete(c.entries, s.key)
	c.counts.Bytes -= s.charged
}

// forget drops every shelf that a scope names.
func (c *cache) forget(scope Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.entries {
		if scope.names(key.kind, key.owner) {
			c.drop(e)
		}
	}
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.order.Len() > 0 {
		c.drop(c.order.Back())
	}
}

func (c *cache) count(what func(*CacheStats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what(&c.counts)
}

func (c *cache) stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.counts
	st.Limit, st.Shelves = c.limit, c.order.Len()
	return st
}

func shelfOf(e *list.Element) *shelf { return e.Value.(*shelf) } //nolint:errcheck // only shelves are put in
