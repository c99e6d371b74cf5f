package embeddings

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/memories"
)

// Vector is one embedding, of length one.
type Vector struct {
	ID     uuid.UUID
	Owner  memories.Scope
	Kind   string // of what it stands for: "window", "fact"
	Model  string // the model that made it, with its version
	Values []float32
	Norm   float32 // its length before normalization
	At     time.Time
}

// Shelf holds one owner's vectors. Kind is "person", "session" or "project".
type Shelf struct {
	Kind  string
	Owner uuid.UUID
	// Version increases with every change to the shelf.
	Version int64
}

// vectorTries is the maximum number of tries of a write that conflicts with another.
const vectorTries = 4

// SaveVectors upserts vectors in one transaction; an existing id is replaced, whatever its
// owner. Ids must be distinct.
func (s *Store) SaveVectors(ctx context.Context, vs []Vector) error {
	if len(vs) == 0 {
		return nil
	}
	p := vectorParams(vs)
	kinds, owners := shelvesOf(vs)
	err := retryVectors(func() error {
		return s.db.InTx(ctx, func(tx pg.Tx) error {
			if err := s.db.Q.VectorsMovedDelete(ctx, tx, db.VectorsMovedDeleteParams{
				Ids: p.Ids, People: p.People, Sessions: p.Sessions, Projects: p.Projects,
			}); err != nil {
				return err
			}
			if err := s.db.Q.VectorShelvesLock(ctx, tx, db.VectorShelvesLockParams{Kinds: kinds, Owners: owners}); err != nil {
				return err
			}
			rev, err := s.db.Q.VectorRevNext(ctx, tx)
			if err != nil {
				return err
			}
			if err := s.db.Q.VectorShelvesStamp(ctx, tx, db.VectorShelvesStampParams{Rev: rev, Kinds: kinds, Owners: owners}); err != nil {
				return err
			}
			p.Rev = rev
			n, err := s.db.Q.VectorsUpsert(ctx, tx, p)
			if err == nil && n != int64(len(vs)) {
				return errVectorMoved
			}
			return err
		})
	})
	return pg.WrapErr(err, "save %d vectors", len(vs))
}

// errVectorMoved says that another writer moved one of the ids to another owner during this
// write.
var errVectorMoved = fmt.Errorf("another writer moved a vector: %w", pg.ErrConflict)

// retryVectors retries a write that conflicted with another writer. Writers of the same ids
// may deadlock; the database then aborts one of them.
func retryVectors(do func() error) error {
	var err error
	for range vectorTries {
		if err = do(); err == nil {
			return nil
		}
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if !errors.Is(err, errVectorMoved) && (!ok || pg.Code != pgerrcode.DeadlockDetected) {
			return err
		}
	}
	return err
}

// DeleteVectors deletes vectors by id. Ids that do not exist are ignored.
func (s *Store) DeleteVectors(ctx context.Context, ids []uuid.UUID) error {
	return pg.WrapErr(retryVectors(func() error {
		_, err := s.db.Q.VectorsDelete(ctx, s.db.Conn, ids)
		return err
	}), "delete %d vectors", len(ids))
}

// DeleteVectorsOf deletes all vectors that the owner matches, and returns how many there
// were.
func (s *Store) DeleteVectorsOf(ctx context.Context, o memories.Scope) (int, error) {
	var n int64
	err := retryVectors(func() (err error) {
		n, err = s.db.Q.VectorsOfDelete(ctx, s.db.Conn, db.VectorsOfDeleteParams{Person: o.Person.UUID, Session: o.Session, Project: o.Project})
		return err
	})
	return int(n), pg.WrapErr(err, "delete vectors")
}

// vectorParams lays out vectors by column, sorted by id, which makes two writers of the
// same ids lock them in the same order.
func vectorParams(vs []Vector) db.VectorsUpsertParams {
	vs = slices.SortedFunc(slices.Values(vs), func(a, b Vector) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	var p db.VectorsUpsertParams
	for _, v := range vs {
		p.Ids = append(p.Ids, v.ID)
		p.People = append(p.People, v.Owner.Person.UUID)
		p.Sessions = append(p.Sessions, v.Owner.Session)
		p.Projects = append(p.Projects, v.Owner.Project)
		p.Kinds = append(p.Kinds, v.Kind)
		p.Models = append(p.Models, v.Model)
		p.Vectors = append(p.Vectors, floatsToBytes(v.Values))
		p.Norms = append(p.Norms, v.Norm)
		p.Ats = append(p.Ats, v.At)
	}
	return p
}

// shelvesOf returns the shelves of the vectors, sorted and without duplicates.
func shelvesOf(vs []Vector) (kinds []string, owners []uuid.UUID) {
	seen := map[Shelf]bool{}
	for _, v := range vs {
		for _, sh := range shelves(v.Owner) {
			seen[sh] = true
		}
	}
	all := make([]Shelf, 0, len(seen))
	for sh := range seen {
		all = append(all, sh)
	}
	slices.SortFunc(all, func(a, b Shelf) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), bytes.Compare(a.Owner[:], b.Owner[:]))
	})
	for _, sh := range all {
		kinds, owners = append(kinds, sh.Kind), append(owners, sh.Owner)
	}
	return kinds, owners
}

func shelves(o memories.Scope) []Shelf {
	var all []Shelf
	for _, sh := range []Shelf{{Kind: "person", Owner: o.Person.UUID}, {Kind: "session", Owner: o.Session}, {Kind: "project", Owner: o.Project}} {
		if sh.Owner != uuid.Nil {
			all = append(all, sh)
		}
	}
	return all
}
