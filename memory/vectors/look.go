package vectors

import (
	"context"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/embeddings"
)

// look is what a search wants to know for certain: the scores of the vectors
// that a copy, as of a version, does not rule out.
type look struct {
	shelf   *shelf
	query   int // place among those asked
	vector  []float32
	version int64
	ids     []uuid.UUID
	best    top
	found   int // how many of ids are still what the copy has
}

// look asks, in one exchange with the database, for the versions of a scope's
// shelves and scores the vectors that the looks want. Where the version told is
// not above a look's, and all its vectors were found, the scores are those of
// the moment in which the version was read.
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
