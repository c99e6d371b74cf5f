package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
)

// vectorsLate is how long a vector may wait before something is wrong with the embedding of
// memories.
const vectorsLate = 15 * time.Minute

// Memory returns a check that the vectors of memories are made with the configured model, and
// that none waits for long. With an empty url it is skipped, as with [Postgres].
func Memory(url, model string) Check {
	return Check{Name: "memory", Run: func(ctx context.Context) Finding {
		if url == "" {
			return skip("the private database is only up while it is used")
		}
		st, err := store.Open(ctx, url, slog.New(slog.DiscardHandler))
		if err != nil {
			return skip("there is no database to look at")
		}
		defer st.Close()
		return memories(ctx, st, model)
	}}
}

// MemoryOn is like [Memory], for an open database.
func MemoryOn(st *store.Store, model string) Check {
	return Check{Name: "memory", Run: func(ctx context.Context) Finding { return memories(ctx, st, model) }}
}

func memories(ctx context.Context, st *store.Store, model string) Finding {
	kept, err := st.VectorModel(ctx)
	if err != nil {
		return skip("the tables of memory cannot be looked at yet: " + reason(err))
	}
	n, since, err := st.OldestPendingVector(ctx)
	switch {
	case err != nil:
		return fail(reason(err), "Run: naiber migrate")
	case kept != "" && kept != model:
		return warn(fmt.Sprintf("vectors were made with %s; with %s all are made anew", kept, model),
			"naiber serve does it by itself. To keep the old ones, set OPENAI_EMBEDDING_MODEL back.")
	case n > 0 && time.Since(since) > vectorsLate:
		return warn(fmt.Sprintf("%d vectors wait to be made, the oldest since %s", n, since.UTC().Format(time.DateTime)),
			"See that naiber serve runs, and that the embedding model answers. Until then memory is searched by words.")
	case n > 0:
		return ok(fmt.Sprintf("%d vectors are being made", n))
	case kept == "":
		return ok("empty")
	}
	return ok("all vectors are made, with " + kept)
}
