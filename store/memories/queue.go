package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// The kinds of rows that have a vector.
const (
	WindowKind = "window"
	FactKind   = "fact"
	EntityKind = "entity"
)

// QueuedVector is a row whose vector is out of date. Rev changes with the row.
type QueuedVector struct {
	Kind string
	ID   uuid.UUID
	Rev  uuid.UUID
}

// Indexable is the text of a row to embed.
type Indexable struct {
	Kind  string
	ID    uuid.UUID
	Scope Scope
	Text  string
	At    time.Time
}

// ClaimVectors claims up to limit unclaimed rows of the queue. The lease ends at until.
// With ids, it claims only those windows.
func (s *Store) ClaimVectors(ctx context.Context, now, until time.Time, limit int, ids ...uuid.UUID) ([]QueuedVector, error) {
	if len(ids) > 0 {
		rows, err := s.db.Q.MemoryQueueClaimThese(ctx, s.db.Conn, db.MemoryQueueClaimTheseParams{At: now, Until: until, Ids: ids[:min(len(ids), limit)]})
		return pg.Each(rows, func(r db.MemoryQueueClaimTheseRow) QueuedVector { return QueuedVector(r) }), err
	}
	rows, err := s.db.Q.MemoryQueueClaim(ctx, s.db.Conn, db.MemoryQueueClaimParams{At: now, Until: until, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryQueueClaimRow) QueuedVector { return QueuedVector(r) }), err
}

// FinishVectors removes claimed rows from the queue; those that have changed since stay and
// may be claimed immediately.
func (s *Store) FinishVectors(ctx context.Context, done []QueuedVector) error {
	kinds, ids, revs := queued(done)
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.MemoryQueueDone(ctx, tx, db.MemoryQueueDoneParams{Kinds: kinds, Ids: ids, Revs: revs}); err != nil {
			return err
		}
		return s.db.Q.MemoryQueueRelease(ctx, tx, db.MemoryQueueReleaseParams{Kinds: kinds, Ids: ids})
	})
	return pg.WrapErr(err, "finish %d vectors", len(done))
}

// PostponeVectors releases claimed rows; they cannot be claimed before until.
func (s *Store) PostponeVectors(ctx context.Context, rows []QueuedVector, until time.Time) error {
	kinds, ids, _ := queued(rows)
	return s.db.Q.MemoryQueueRelease(ctx, s.db.Conn, db.MemoryQueueReleaseParams{Kinds: kinds, Ids: ids, NotBefore: &until})
}

// PendingVectors returns the length of the queue.
func (s *Store) PendingVectors(ctx context.Context) (int, error) {
	return pg.Count(s.db.Q.MemoryQueueLength(ctx, s.db.Conn))
}

// Indexables returns what to embed of the queued rows, without deleted ones.
func (s *Store) Indexables(ctx context.Context, rows []QueuedVector) ([]Indexable, error) {
	by := map[string][]uuid.UUID{}
	for _, r := range rows {
		by[r.Kind] = append(by[r.Kind], r.ID)
	}
	found, err := s.db.Q.MemoryIndexable(ctx, s.db.Conn, db.MemoryIndexableParams{Windows: by[WindowKind], Facts: by[FactKind], Entities: by[EntityKind]})
	return pg.Each(found, func(r db.MemoryIndexableRow) Indexable {
		return Indexable{
			Kind: r.Kind, ID: r.ID, Text: r.Body, At: r.At,
			Scope: Scope{Person: r.PersonID, Session: r.SessionID, Project: r.ProjectID},
		}
	}), err
}

// QueueAllVectors queues every vector to be rebuilt by a model, and records the model. It
// returns how many there are.
func (s *Store) QueueAllVectors(ctx context.Context, model string) (int, error) {
	var n int64
	err := s.db.InTx(ctx, func(tx pg.Tx) (err error) {
		if n, err = s.db.Q.MemoryQueueAll(ctx, tx); err != nil {
			return err
		}
		return s.db.Q.MemoryModelSet(ctx, tx, model)
	})
	return int(n), pg.WrapErr(err, "queue all vectors")
}

// VectorModel returns the model that made the vectors, or "" before the first.
func (s *Store) VectorModel(ctx context.Context) (string, error) {
	model, _, err := pg.IfAny(s.db.Q.MemoryModelGet(ctx, s.db.Conn))
	return model, err
}

// NoteVectorModel records the model that makes the vectors.
func (s *Store) NoteVectorModel(ctx context.Context, model string) error {
	return s.db.Q.MemoryModelSet(ctx, s.db.Conn, model)
}

func queued(rows []QueuedVector) (kinds []string, ids, revs []uuid.UUID) {
	for _, r := range rows {
		kinds, ids, revs = append(kinds, r.Kind), append(ids, r.ID), append(revs, r.Rev)
	}
	return kinds, ids, revs
}

// OldestPendingVector returns the length of the queue and since when its oldest row waits.
func (s *Store) OldestPendingVector(ctx context.Context) (n int, since time.Time, err error) {
	row, err := s.db.Q.MemoryQueueOldest(ctx, s.db.Conn)
	return int(row.Pending), row.Since, err
}
