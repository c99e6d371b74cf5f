package vectors

import (
	"container/list"
	"sync"
)

// CacheStats is what the cache of a [Postgres] holds and how it served.
type CacheStats struct {
	Bytes, Limit int64
	Reading      int64 // bytes that reads under way hold alongside that
	Shelves      int   // owners, once for each model
	Hits         int64 // searches whose copy was still true
	Refreshes    int64 // that fetched what had changed
	Loads        int64 // that read all anew
	Scans        int64 // of shelves too large to keep, read from the database every time
	Evictions    int64
	Compared     int64 // vectors that were read to score them exactly
}

// cache keeps shelves up to a number of bytes, together with what is being read
// for them; those used longest ago go first. One that was put out while it is
// searched or read is not counted any more, and goes when that is done.
type cache struct {
	limit int64

	mu      sync.Mutex // guards what follows
	order   *list.List // of *shelf, used last in front
	entries map[shelfKey]*list.Element
	counts  CacheStats
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), entries: map[shelfKey]*list.Element{}}
}

// get returns the shelf of a key, which may be empty yet.
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

// reserve makes room for a read of so many bytes. If there cannot be so much
// alongside the other reads under way, it does nothing and reports false.
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

// release gives back what a read that failed had reserved.
func (c *cache) release(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Reading -= bytes
}

// settle makes what a read holds a shelf's own: it notes how large that has
// become. A shelf that was put out meanwhile stays out; who uses it may finish.
func (c *cache) settle(s *shelf, size int64, held *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Reading -= *held
	*held = 0
	if e, ok := c.entries[s.key]; ok && shelfOf(e) == s {
		c.charge(s, size)
	}
}

// charge changes a shelf's size. It needs mu.
func (c *cache) charge(s *shelf, size int64) {
	c.counts.Bytes += size - s.charged
	s.charged = size
	c.fit()
}

// fit puts shelves out until what is left fits. It needs mu.
func (c *cache) fit() {
	for c.counts.Bytes+c.counts.Reading > c.limit && c.order.Len() > 0 {
		c.counts.Evictions++
		c.drop(c.order.Back())
	}
}

// drop needs mu.
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
