package api

import (
	"context"

	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// PersonShape returns a person as the API describes one. The command line prints the API's
// shapes, so that each thing has one form in JSON.
func PersonShape(ctx context.Context, st *store.Store, p people.Person) (any, error) {
	return personShape(ctx, st, p)
}

// ConsentShapes returns lines of the ledger as the API describes them.
func ConsentShapes(ledger []people.Consent) any { return each(ledger, lineOut) }

// LimitShapes returns limits as the API describes them.
func LimitShapes(limits []memories.Limit) any { return each(limits, limitOf) }

// MemoryShapes returns the results of a search as the API describes them.
func MemoryShapes(hits []search.Hit) any {
	return each(hits, func(h search.Hit) memoryOut { return memoryOf(h.Turn, h.Score, idsOf(h.Source)) })
}
