package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Erasure asks that a person's vectors be compared with what there is.
type Erasure struct {
	Person  pg.PersonID
	AskedAt time.Time
}

// ClaimGoneVectors takes up to limit rows of the queue whose vectors are to be
// deleted and that nobody works on, until the given time.
func (s *Store) ClaimGoneVectors(ctx context.Context, now, until time.Time, limit int) ([]QueuedVector, error) {
	rows, err := s.db.Q.MemoryQueueClaimGone(ctx, s.db.Conn, db.MemoryQueueClaimGoneParams{At: now, Until: until, MaxRows: limit})
	return pg.Each(rows, func(r db.MemoryQueueClaimGoneRow) QueuedVector { return QueuedVector(r) }), err
}

// GoneVectors counts the vectors that are still to be deleted.
func (s *Store) GoneVectors(ctx context.Context) (int, error) {
	return pg.Count(s.db.Q.MemoryQueueGone(ctx, s.db.Conn))
}

// StrayVectors returns those of the ids that stand for nothing a person has.
func (s *Store) StrayVectors(ctx context.Context, person pg.PersonID, ids []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryVectorsStray(ctx, s.db.Conn, db.MemoryVectorsStrayParams{PersonID: person.UUID, Ids: ids})
}

// AskErasure asks that a person's vectors be compared with what there is.
func (s *Store) AskErasure(ctx context.Context, tx pg.Tx, person pg.PersonID) error {
	return s.db.Q.MemoryErasureAsk(ctx, tx, person)
}

// Erasures returns whose vectors are still to be compared, those asked first first.
func (s *Store) Erasures(ctx context.Context, limit int) ([]Erasure, error) {
	rows, err := s.db.Q.MemoryErasures(ctx, s.db.Conn, limit)
	return pg.Each(rows, func(r db.MemoryErasuresRow) Erasure { return Erasure{r.PersonID, r.AskedAt} }), err
}

// ErasureTried counts a try that did not come to an end.
func (s *Store) ErasureTried(ctx context.Context, e Erasure) error {
	return s.db.Q.MemoryErasureTried(ctx, s.db.Conn, e.Person)
}

// ErasureDone notes that nothing is left to compare, unless it was asked again since.
func (s *Store) ErasureDone(ctx context.Context, e Erasure) error {
	return s.db.Q.MemoryErasureDone(ctx, s.db.Conn, db.MemoryErasureDoneParams{PersonID: e.Person, AskedAt: e.AskedAt})
}

// PeopleRememberedBefore returns some of those of whom there are words from before
// a time.
func (s *Store) PeopleRememberedBefore(ctx context.Context, until time.Time, limit int) ([]pg.PersonID, error) {
	rows, err := s.db.Q.MemoryPeopleBefore(ctx, s.db.Conn, db.MemoryPeopleBeforeParams{Until: until, MaxRows: limit})
	return pg.Each(rows, func(id uuid.UUID) pg.PersonID { return pg.PersonID{UUID: id} }), err
}

// MemoryTurnsOfNobody returns some turns from before a time that belong to no
// person, the oldest first.
func (s *Store) MemoryTurnsOfNobody(ctx context.Context, until time.Time, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsOfNobody(ctx, s.db.Conn, db.MemoryTurnsOfNobodyParams{Until: until, MaxRows: limit}))
}

// SweepChats deletes what was written before a time in sessions that belong to no
// person, with their names and the summaries that it went into.
func (s *Store) SweepChats(ctx context.Context, until time.Time) error {
	return s.db.Q.ChatEpisodesSweep(ctx, s.db.Conn, until)
}
