package vectors

import (
	"context"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// look asks for the exact scores of the vectors that a copy, as of a version, does not rule
// out.
type look struct {
	shelf   *shelf
	query   int // index among the queries
	vector  []float32
	version int64
	ids     []uuid.UUID
	best    top
	found   int // how many of ids the database still has
}

// look reads, in one round trip, the versions of a scope's shelves, and scores the vectors
// of the looks. If the version returned is not above a look's, and all its vectors were
// found, its scores are those at the moment when the version was read.
func (p *Postgres) look(ctx context.Context, in Scope, looks []look) ([]embeddings.Shelf, error) {
	asked := make([]embeddings.Look, len(looks))
	for i := range looks {
		l := &looks[i]
		asked[i] = embeddings.Look{Read: l.shelf.key.read(l.version), IDs: l.ids, Row: func(id uuid.UUID, values []byte) {
			l.found++
			l.best.offer(id, exact(l.vector, values))
		}}
	}
	return p.st.LookAtVectors(ctx, owner(in), asked)
}
