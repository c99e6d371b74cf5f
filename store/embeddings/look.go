package embeddings

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/memories"
)

// Look asks for some of a shelf's vectors, as far as they are unchanged since a copy of the
// shelf was made.
type Look struct {
	// Read identifies the shelf. Since is the version of the copy: a vector that was
	// written later does not count.
	Read

	IDs []uuid.UUID
	// Row is called for each vector that counts. Values are as in [Reader], and valid only
	// during the call.
	Row func(id uuid.UUID, values []byte)
}

// lookSQL holds the queries that read vectors by id, by the kind of the shelf. A vector
// that left the shelf, or was written after the copy's version, is returned without its
// numbers. These conditions are in the select list, not the where clause, which makes the
// query use only the index on the id.
var lookSQL = map[string]string{
	"person":  lookFrom("person_id"),
	"session": lookFrom("session_id"),
	"project": lookFrom("project_id"),
}

func lookFrom(column string) string {
	return fmt.Sprintf(`select id, kind, case when %s = $2 and model = $3 and dims = $4 and rev <= $5 then vector end
		from memory_vectors where id = any($1::uuid[])`, column)
}

// LookAtVectors reads, in one round trip, the versions of an owner's shelves and then the
// vectors of the looks. A look without ids reads none.
//
// Within a shelf no version is given out before every lower one is committed. So if the
// version told is not above a look's, and all its vectors were returned, the copy was
// current when the version was read.
func (s *Store) LookAtVectors(ctx context.Context, o memories.Scope, looks []Look) (told []Shelf, err error) {
	questions := []pg.Question{func(h db.DBTX) (err error) {
		told, err = shelvesFrom(s.db.Q.VectorShelvesOf(ctx, h, db.VectorShelvesOfParams{Person: o.Person.UUID, Session: o.Session, Project: o.Project}))
		return err
	}}
	for _, l := range looks {
		sql, ok := lookSQL[l.Kind]
		if !ok {
			return nil, fmt.Errorf("look at vectors: no shelf is of the kind %q", l.Kind)
		}
		if len(l.IDs) > 0 {
			questions = append(questions, func(h db.DBTX) error {
				rows, err := h.Query(ctx, sql, l.IDs, l.Owner, l.Model, l.Dims, l.Since)
				return vectorRows(rows, err, func(id uuid.UUID, _ string, values []byte) error {
					if values != nil {
						l.Row(id, values)
					}
					return nil
				})
			})
		}
	}
	err = errors.Join(s.db.Exchange(ctx, questions...)...)
	return told, pg.WrapErr(err, "look at vectors")
}
