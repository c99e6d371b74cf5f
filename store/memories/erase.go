package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Erasure is a request to compare a person's vectors with what is remembered.
type Erasure struct {
	Person  pg.PersonID
	AskedAt time.Time
}

// ClaimGoneVectors claims up to limit unclaimed rows of the queue whose vectors must be
// deleted. The lease ends at until.
func (s *Store) ClaimGoneVectors(ctx context.Context, now, until time.Time, limit int) ([]QueuedVector, error) {
	rows, err := s.db.Q.MemoryQueueClaimGone(ctx, s.db.Conn, db.MemoryQueueClaimGoneParams{At: now, Until: until, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryQueueClaimGoneRow) QueuedVector { return QueuedVector(r) }), err
}

// GoneVectors counts the vectors still to be deleted.
func (s *Store) GoneVectors(ctx context.Context) (int, error) {
	return pg.Count(s.db.Q.MemoryQueueGone(ctx, s.db.Conn))
}

// StrayVectors returns those of the ids that stand for nothing that is remembered of the
// person.
func (s *Store) StrayVectors(ctx context.Context, person pg.PersonID, ids []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryVectorsStray(ctx, s.db.Conn, db.MemoryVectorsStrayParams{PersonID: person.UUID, Ids: ids})
}

// AskErasure requests that a person's vectors be compared with what is remembered.
func (s *Store) AskErasure(ctx context.Context, tx pg.Tx, person pg.PersonID) error {
	return s.db.Q.MemoryErasureAsk(ctx, tx, person)
}

// Erasures returns pending requests, oldest first.
func (s *Store) Erasures(ctx context.Context, limit int) ([]Erasure, error) {
	rows, err := s.db.Q.MemoryErasures(ctx, s.db.Conn, limit)
	return pg.Each(rows, func(r db.MemoryErasuresRow) Erasure { return Erasure{r.PersonID, r.AskedAt} }), err
}

// ErasureTried counts an unsuccessful try.
func (s *Store) ErasureTried(ctx context.Context, e Erasure) error {
	return s.db.Q.MemoryErasureTried(ctx, s.db.Conn, e.Person)
}

// ErasureDone removes a request, unless it was made again since.
func (s *Store) ErasureDone(ctx context.Context, e Erasure) error {
	return s.db.Q.MemoryErasureDone(ctx, s.db.Conn, db.MemoryErasureDoneParams{PersonID: e.Person, AskedAt: e.AskedAt})
}

// PeopleRememberedBefore returns up to limit people with words stored from before a time.
func (s *Store) PeopleRememberedBefore(ctx context.Context, until time.Time, limit int) ([]pg.PersonID, error) {
	rows, err := s.db.Q.MemoryPeopleBefore(ctx, s.db.Conn, db.MemoryPeopleBeforeParams{Until: until, MaxRows: limit})
	return pg.Each(rows, func(id uuid.UUID) pg.PersonID { return pg.PersonID{UUID: id} }), err
}

// MemoryTurnsOfNobody returns up to limit turns from before a time that belong to no
// person, oldest first.
func (s *Store) MemoryTurnsOfNobody(ctx context.Context, until time.Time, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsOfNobody(ctx, s.db.Conn, db.MemoryTurnsOfNobodyParams{Until: until, MaxRows: limit}))
}

// SweepChats deletes the episodes from before a time in sessions that belong to no person,
// with their names and the summaries made from them.
func (s *Store) SweepChats(ctx context.Context, until time.Time) error {
	return s.db.Q.ChatEpisodesSweep(ctx, s.db.Conn, until)
}
