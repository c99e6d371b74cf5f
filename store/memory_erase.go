package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// Erasure asks that a person's vectors be compared with what there is.
type Erasure struct {
	Person  PersonID
	AskedAt time.Time
}

// ClaimGoneVectors takes up to limit rows of the queue whose vectors are to be
// deleted and that nobody works on, until the given time.
func (s *Store) ClaimGoneVectors(ctx context.Context, now, until time.Time, limit int) ([]QueuedVector, error) {
	rows, err := s.q.MemoryQueueClaimGone(ctx, s.pool, db.MemoryQueueClaimGoneParams{At: now, Until: until, MaxRows: int32(limit)}) //nolint:gosec // a batch
	return each(rows, func(r db.MemoryQueueClaimGoneRow) QueuedVector { return QueuedVector(r) }), said(err, "claim vectors to delete")
}

// GoneVectors counts the vectors that are still to be deleted.
func (s *Store) GoneVectors(ctx context.Context) (int, error) {
	n, err := s.q.MemoryQueueGone(ctx, s.pool)
	return int(n), said(err, "count vectors to delete")
}

// StrayVectors returns those of the ids that stand for nothing a person has.
func (s *Store) StrayVectors(ctx context.Context, person PersonID, ids []uuid.UUID) ([]uuid.UUID, error) {
	stray, err := s.q.MemoryVectorsStray(ctx, s.pool, db.MemoryVectorsStrayParams{PersonID: person.UUID, Ids: ids})
	return stray, said(err, "stray vectors of %s", person)
}

// AskErasure asks that a person's vectors be compared with what there is.
func (s *Store) AskErasure(ctx context.Context, tx Tx, person PersonID) error {
	return said(s.q.MemoryErasureAsk(ctx, tx, person.UUID), "ask for erasure of %s", person)
}

// Erasures returns whose vectors are still to be compared, those asked first first.
func (s *Store) Erasures(ctx context.Context, limit int) ([]Erasure, error) {
	rows, err := s.q.MemoryErasures(ctx, s.pool, int32(limit)) //nolint:gosec // a batch
	return each(rows, func(r db.MemoryErasuresRow) Erasure { return Erasure{PersonID{r.PersonID}, r.AskedAt} }), said(err, "erasures to do")
}

// ErasurePending reports whether a person's vectors are still to be compared.
func (s *Store) ErasurePending(ctx context.Context, person PersonID) (bool, error) {
	pending, err := s.q.MemoryErasurePending(ctx, s.pool, person.UUID)
	return pending, said(err, "erasure of %s", person)
}

// ErasureTried counts a try that did not come to an end.
func (s *Store) ErasureTried(ctx context.Context, e Erasure) error {
	return said(s.q.MemoryErasureTried(ctx, s.pool, e.Person.UUID), "note try at erasure of %s", e.Person)
}

// ErasureDone notes that nothing is left to compare, unless it was asked again since.
func (s *Store) ErasureDone(ctx context.Context, e Erasure) error {
	_, err := s.q.MemoryErasureDone(ctx, s.pool, db.MemoryErasureDoneParams{PersonID: e.Person.UUID, AskedAt: e.AskedAt})
	return said(err, "note erasure of %s", e.Person)
}

// PeopleRememberedBefore returns some of those of whom there are words from before
// a time.
func (s *Store) PeopleRememberedBefore(ctx context.Context, until time.Time, limit int) ([]PersonID, error) {
	rows, err := s.q.MemoryPeopleBefore(ctx, s.pool, db.MemoryPeopleBeforeParams{Until: until, MaxRows: int32(limit)}) //nolint:gosec // a batch
	return each(rows, func(id uuid.UUID) PersonID { return PersonID{id} }), said(err, "people remembered before %s", until)
}

// MemoryTurnsOfNobody returns some turns from before a time that belong to no
// person, the oldest first.
func (s *Store) MemoryTurnsOfNobody(ctx context.Context, until time.Time, limit int) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryTurnsOfNobody(ctx, s.pool, db.MemoryTurnsOfNobodyParams{Until: until, MaxRows: int32(limit)}) //nolint:gosec // a batch
	return each(rows, memoryTurn), said(err, "turns of nobody before %s", until)
}

// SweepChats deletes what was written before a time in sessions that belong to no
// person, with their names and the summaries that it went into.
func (s *Store) SweepChats(ctx context.Context, until time.Time) error {
	_, err := s.q.ChatEpisodesSweep(ctx, s.pool, until)
	return said(err, "sweep chats before %s", until)
}
