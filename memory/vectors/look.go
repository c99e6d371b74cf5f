package vectors

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/naiber/naiber/store"
)

// look is what a search wants to know for certain: the scores of the vectors
// that a copy, as of a version, does not rule out.
type look struct {
	shelf   *shelf
	version int64
	ids     []uuid.UUID
	best    top
	found   int // how many of ids are still what the copy has
}

// shelvesSQL lists the shelves of a scope, each with its version.
const shelvesSQL = `select kind, owner, version from memory_vector_shelves
	where (kind = 'person' and owner = $1) or (kind = 'session' and owner = $2) or (kind = 'project' and owner = $3)`

// lookSQL reads vectors by id, by the kind of the shelf. One that left the shelf,
// or was written after the copy's version, comes without its numbers. The
// conditions stand beside the id's, so that only that index is ever used.
var lookSQL = map[string]string{
	shelfPerson:  lookFrom("person_id"),
	shelfSession: lookFrom("session_id"),
	shelfProject: lookFrom("project_id"),
}

func lookFrom(column string) string {
	return fmt.Sprintf(`select id, case when %s = $2 and model = $3 and dims = $4 and rev <= $5 then vector end
		from memory_vectors where id = any($1::uuid[])`, column)
}

// look asks, in one exchange with the database, for the versions of a scope's
// shelves and then for the vectors that the looks want.
//
// Within a shelf no version is given out before what has a lower one is
// committed. So where the version told is not above a look's, and all its
// vectors were found, the copy was true when the version was read, and the
// scores are those of then.
func (p *Postgres) look(ctx context.Context, q Query, looks []look) (told []store.VectorShelf, err error) {
	var b pgx.Batch
	b.Queue(shelvesSQL, some(q.Scope.Person), some(q.Scope.Session), some(q.Scope.Project))
	for i := range looks {
		if l := &looks[i]; len(l.ids) > 0 {
			k := l.shelf.key
			b.Queue(lookSQL[k.kind], l.ids, k.owner, k.model, k.dims, l.version)
		}
	}
	sent := p.st.Pool().SendBatch(ctx, &b)
	defer func() {
		if bad := sent.Close(); err == nil && bad != nil {
			err = fmt.Errorf("look at vectors: %w", bad)
		}
	}()
	if told, err = shelvesTold(sent); err != nil {
		return nil, fmt.Errorf("vector shelves: %w", err)
	}
	for i := range looks {
		if l := &looks[i]; len(l.ids) > 0 {
			if err := l.read(sent, q.Vector); err != nil {
				return nil, fmt.Errorf("look at %d vectors of %s %s: %w", len(l.ids), l.shelf.key.kind, l.shelf.key.owner, err)
			}
		}
	}
	return told, nil
}

func shelvesTold(sent pgx.BatchResults) ([]store.VectorShelf, error) {
	rows, err := sent.Query()
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (sh store.VectorShelf, err error) {
		return sh, row.Scan(&sh.Kind, &sh.Owner, &sh.Version)
	})
}

// read scores the vectors that the database sends.
func (l *look) read(sent pgx.BatchResults, q []float32) error {
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
			l.found++
			l.best.offer(id, exact(q, values))
		}
	}
	return rows.Err()
}

// some is an id for a comparison that is never true without one.
func some(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
