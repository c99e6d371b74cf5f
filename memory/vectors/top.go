package vectors

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"

	"github.com/google/uuid"
)

// top keeps the best hits that it was offered. The worst of them is first, as a
// heap has it. Of equal scores the smaller id is the better one, so that the
// same search has the same answer.
type top struct {
	limit int
	hits  []Hit
}

// offer takes a hit in if it is among the best so far.
func (t *top) offer(id uuid.UUID, score float32) {
	if len(t.hits) < t.limit {
		heap.Push(t, Hit{id, score})
		return
	}
	if score < t.hits[0].Score {
		return
	}
	if h := (Hit{id, score}); better(h, t.hits[0]) < 0 {
		t.hits[0] = h
		heap.Fix(t, 0)
	}
}

// better orders hits, best first.
func better(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.ID[:], b.ID[:]))
}

// merge joins hits, best first and each id once, up to limit.
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

// Len implements [heap.Interface].
func (t *top) Len() int { return len(t.hits) }

// Less implements [heap.Interface]: the worst comes first.
func (t *top) Less(i, j int) bool { return better(t.hits[i], t.hits[j]) > 0 }

// Swap implements [heap.Interface].
func (t *top) Swap(i, j int) { t.hits[i], t.hits[j] = t.hits[j], t.hits[i] }

// Push implements [heap.Interface].
func (t *top) Push(x any) { t.hits = append(t.hits, x.(Hit)) } //nolint:errcheck // only offer pushes

// Pop implements [heap.Interface].
func (t *top) Pop() any {
	last := t.hits[len(t.hits)-1]
	t.hits = t.hits[:len(t.hits)-1]
	return last
}
