package embeddings

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/memories"
)

// VectorShelves returns the shelves of an owner that are not empty, each with its version.
// It is a cheap read.
func (s *Store) VectorShelves(ctx context.Context, o memories.Scope) ([]Shelf, error) {
	return shelvesFrom(s.db.Q.VectorShelvesOf(ctx, s.db.Conn, db.VectorShelvesOfParams{Person: o.Person.UUID, Session: o.Session, Project: o.Project}))
}

func shelvesFrom(rows []db.MemoryVectorShelf, err error) ([]Shelf, error) {
	return pg.Each(rows, func(r db.MemoryVectorShelf) Shelf {
		return Shelf{Kind: r.Kind, Owner: r.Owner, Version: r.Version}
	}), err
}

// CountVectors counts the vectors that an owner matches: of one model or, if model is
// empty, of all.
func (s *Store) CountVectors(ctx context.Context, o memories.Scope, model string) (int, error) {
	return pg.Count(s.db.Q.VectorsCount(ctx, s.db.Conn, db.VectorsCountParams{Person: o.Person.UUID, Session: o.Session, Project: o.Project, Model: model}))
}

// VectorIDs lists the ids of the vectors that an owner matches.
func (s *Store) VectorIDs(ctx context.Context, o memories.Scope) ([]uuid.UUID, error) {
	return s.db.Q.VectorIDs(ctx, s.db.Conn, db.VectorIDsParams{Person: o.Person.UUID, Session: o.Session, Project: o.Project})
}

// Read selects one shelf's vectors of one model and size.
type Read struct {
	Kind  string // of the shelf
	Owner uuid.UUID
	Model string
	Dims  int
	// Since is the version of the reader's copy, zero for none.
	Since int64
}

// Reader receives the result of a read.
type Reader struct {
	// Begin is called once, first, with the shelf's version, zero if there is no such
	// shelf. If anew is true, the rows that follow are the whole shelf, at most atMost;
	// otherwise they are the changes, of unknown number.
	Begin func(version int64, anew bool, atMost int) error
	// Row is called for each vector. Values are dims numbers in the format of
	// [AppendFloats], valid only during the call; nil means that the vector is no longer
	// among those selected.
	Row func(id uuid.UUID, kind string, values []byte) error
}

// vectorSQL holds the queries that read a shelf, by its kind. They are not generated,
// because a generated query collects its rows: ten thousand vectors would be held twice,
// and copied twice.
var vectorSQL = map[string]struct{ count, all, since string }{
	"person":  vectorSelects("person_id"),
	"session": vectorSelects("session_id"),
	"project": vectorSelects("project_id"),
}

func vectorSelects(column string) struct{ count, all, since string } {
	const (
		count = `select count(*) from memory_vectors where %s = $1`
		all   = `select id, kind, vector from memory_vectors where %s = $1 and model = $2 and dims = $3`
		since = `select id, kind, case when model = $2 and dims = $3 then vector end from memory_vectors where %s = $1 and rev > $4`
	)
	return struct{ count, all, since string }{fmt.Sprintf(count, column), fmt.Sprintf(all, column), fmt.Sprintf(since, column)}
}

// ReadVectors reads a snapshot of a shelf: all of it or, if that suffices, the changes
// since the reader's version. An error of the reader ends the read and is returned wrapped.
func (s *Store) ReadVectors(ctx context.Context, r Read, to Reader) error {
	sql, ok := vectorSQL[r.Kind]
	if !ok {
		return fmt.Errorf("read vectors: no shelf is of the kind %q", r.Kind)
	}
	err := s.db.InSnapshot(ctx, func(tx pg.Tx) error {
		version, cut, err := vectorShelf(ctx, tx, r)
		if err != nil {
			return err
		}
		if version == 0 {
			return to.Begin(0, true, 0)
		}
		if r.Since > 0 && r.Since >= cut {
			if err := to.Begin(version, false, 0); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, sql.since, r.Owner, r.Model, r.Dims, r.Since)
			return vectorRows(rows, err, to.Row)
		}
		var n int
		if err := tx.QueryRow(ctx, sql.count, r.Owner).Scan(&n); err != nil {
			return err
		}
		if err := to.Begin(version, true, n); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sql.all, r.Owner, r.Model, r.Dims)
		return vectorRows(rows, err, to.Row)
	})
	return pg.WrapErr(err, "read vectors of %s %s", r.Kind, r.Owner)
}

func vectorShelf(ctx context.Context, tx pg.Tx, r Read) (version, cut int64, err error) {
	const sql = `select version, cut from memory_vector_shelves where kind = $1 and owner = $2`
	_, _, err = pg.IfAny(0, tx.QueryRow(ctx, sql, r.Kind, r.Owner).Scan(&version, &cut))
	return version, cut, err
}

// vectorRows calls row for each row of a query for vectors.
func vectorRows(rows pgx.Rows, err error, row func(id uuid.UUID, kind string, values []byte) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	var (
		id     uuid.UUID
		kind   string
		values pgtype.DriverBytes // the driver's own buffer: no copy
	)
	for rows.Next() {
		if err := rows.Scan(&id, &kind, &values); err != nil {
			return err
		}
		if err := row(id, kind, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// AppendFloats appends the numbers encoded in a vector's bytes to dst.
func AppendFloats(dst []float32, b []byte) []float32 {
	have, n := len(dst), len(b)/4
	dst = slices.Grow(dst, n)[:have+n]
	fresh := dst[have:]
	for i := range fresh {
		fresh[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[i*4:]))
	}
	return dst
}

func floatsToBytes(v []float32) []byte {
	b := make([]byte, 0, len(v)*4)
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}
