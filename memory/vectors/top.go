package vectors

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// top keeps the best hits offered, best first. Of equal scores the smaller id is better,
// which makes results deterministic.
type top struct {
	limit int
	hits  []Hit
}

// offer adds a hit if it is among the best so far.
func (t *top) offer(id uuid.UUID, score float32) {
	h := Hit{id, score}
	if n := len(t.hits); n == t.limit {
		if better(t.hits[n-1], h) < 0 {
			return
		}
		t.hits = t.hits[:n-1]
	}
	at, _ := slices.BinarySearchFunc(t.hits, h, better)
	t.hits = slices.Insert(t.hits, at, h)
}

// better orders hits, best first.
func better(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.ID[:], b.ID[:]))
}

// merge sorts hits, best first, removes duplicate ids, and cuts the result to limit.
func merge(hits []Hit, limit int) []Hit {
	slices.SortFunc(hits, better)
	seen := make(map[uuid.UUID]bool, len(hits))
	out := hits[:0]
	for _, h := range hits {
		if len(out) == limit {
			break
		}
		if !seen[h.ID] {
			seen[h.ID] = true
			out = append(out, h)
		}
	}
	return out
}
