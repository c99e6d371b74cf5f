package api

import (
	"context"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
)

// PersonShape returns a person as the API describes one. The command line prints
// the API's shapes, so that there is one JSON of each thing.
func PersonShape(ctx context.Context, st *store.Store, p store.Person) (any, error) {
	return personShape(ctx, st, p)
}

// ConsentShapes returns lines of the ledger as the API describes them.
func ConsentShapes(ledger []store.Consent) any { return whole(ledger, lineOut).Body.Items }

// LimitShapes returns limits as the API describes them.
func LimitShapes(limits []store.ShownLimit) any { return whole(limits, limitOf).Body.Items }

// MemoryShapes returns what a search found as the API describes it.
func MemoryShapes(hits []memory.Hit) any {
	return whole(hits, func(h memory.Hit) memoryOut {
		source := make([]string, len(h.Source))
		for i, id := range h.Source {
			source[i] = id.String()
		}
		return memoryOf(h.Turn, h.Score, source)
	}).Body.Items
}
