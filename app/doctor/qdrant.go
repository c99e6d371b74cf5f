package doctor

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/naiber/naiber/memory/vectors"
)

// Qdrant returns a check that Qdrant accepts our requests, with the key, at its gRPC port.
// Without an address it is skipped.
func Qdrant(cfg vectors.QdrantConfig) Check {
	return Check{Name: "qdrant", Run: func(ctx context.Context) Finding {
		if cfg.URL == "" {
			return skip("QDRANT_URL is not set: vectors are kept in PostgreSQL")
		}
		q, err := vectors.NewQdrant(cfg)
		if err != nil {
			return fail("QDRANT_URL is not an address", "Set QDRANT_URL to http://host:6334, or leave it empty.")
		}
		defer func() { _ = q.Close() }() // nothing was written
		err = q.Ping(ctx)
		if err != nil && !keyRefused(err) {
			return fail(reason(err), "Check QDRANT_URL (its port is that of gRPC, 6334), and that Qdrant runs and lets this machine in.")
		}
		if err == nil { // a health request may succeed without a key; a count does not
			_, err = q.Count(ctx, vectors.Scope{Person: uuid.Max}, "")
		}
		switch {
		case err == nil:
			return ok("healthy, and the collection " + cfg.Collection + " is there")
		case errors.Is(err, vectors.ErrNotReady):
			return ok("healthy; the collection " + cfg.Collection + " is made with the first memory")
		case keyRefused(err):
			return fail("the key is refused", "Set QDRANT_API_KEY to the key that Qdrant was started with.")
		default:
			return fail(reason(err), "Check that the key may read and write the collection.")
		}
	}}
}

func keyRefused(err error) bool {
	code := grpcstatus.Code(err)
	return code == codes.Unauthenticated || code == codes.PermissionDenied
}
