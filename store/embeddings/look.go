package embeddings

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/memories"
)

// Look asks for some of a shelf's vectors, as far as they are still what
// a copy of the shelf has.
type Look struct {
	// VectorRead names the shelf. Since is the version of the copy: a vector that
	// was written after it does not count.
	Read

	IDs []uuid.UUID
	// Row is called for each vector that still counts. Values are as with a
	// [VectorReader], and valid during the call.
	Row func(id uuid.UUID, values []byte)
}

// shelvesSQL lists the shelves of an owner, each with its version.
const shelvesSQL = `select kind, owner, version from memory_vector_shelves
	where (kind = 'person' and owner = $1) or (kind = 'session' and owner = $2) or (kind = 'project' and owner = $3)`

// lookSQL reads vectors by id, by the kind of the shelf. One that left the shelf,
// or was written after the copy's version, comes without its numbers. The
// conditions stand alongside the id's, so that only that index is ever used.
var lookSQL = map[string]string{
	"person":  lookFrom("person_id"),
	"session": lookFrom("session_id"),
	"project": lookFrom("project_id"),
}

func lookFrom(column string) string {
	return fmt.Sprintf(`select id, case when %s = $2 and model = $3 and dims = $4 and rev <= $5 then vector end
		from memory_vectors where id = any($1::uuid[])`, column)
}

// LookAtVectors asks, in one exchange with the database, for the versions of an
// owner's shelves and then for the vectors that the looks want. A look without
// ids wants none.
//
// Within a shelf no version is given out before what has a lower one is
// committed. So where the version told is not above a look's, and all its
// vectors came, the copy was true when the version was read.
func (s *Store) LookAtVectors(ctx context.Context, o memories.Scope, looks []Look) (told []Shelf, err error) {
	var b pgx.Batch
	b.Queue(shelvesSQL, o.Person.UUID, o.Session, o.Project)
	for _, l := range looks {
		sql, ok := lookSQL[l.Kind]
		if !ok {
			return nil, fmt.Errorf("look at vectors: no shelf is of the kind %q", l.Kind)
		}
		if len(l.IDs) > 0 {
			b.Queue(sql, l.IDs, l.Owner, l.Model, l.Dims, l.Since)
		}
	}
	sent := s.db.Pool.SendBatch(ctx, &b)
	defer func() {
		if bad := sent.Close(); err == nil {
			err = pg.WrapErr(bad, "look at vectors")
		}
	}()
	if told, err = shelvesTold(sent); err != nil {
		return nil, pg.WrapErr(err, "vector shelves")
	}
	for _, l := range looks {
		if len(l.IDs) > 0 {
			if err := l.rows(sent); err != nil {
				return nil, pg.WrapErr(err, "look at %d vectors of %s %s", len(l.IDs), l.Kind, l.Owner)
			}
		}
	}
	return told, nil
}

func shelvesTold(sent pgx.BatchResults) ([]Shelf, error) {
	rows, err := sent.Query()
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (sh Shelf, err error) {
		return sh, row.Scan(&sh.Kind, &sh.Owner, &sh.Version)
	})
}

// rows hands on the vectors that the database sends with their numbers.
func (l Look) rows(sent pgx.BatchResults) error {
	rows, err := sent.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	var (
		id     uuid.UUID
		values pgtype.DriverBytes // the driver's own buffer: no copy
	)
	for rows.Next() {
		if err := rows.Scan(&id, &values); err != nil {
			return err
		}
		if values != nil {
			l.Row(id, values)
		}
	}
	return rows.Err()
}
