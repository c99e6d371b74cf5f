package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// MemoryTurnsTx returns those of the turns that there are, locked until tx ends.
func (s *Store) MemoryTurnsTx(ctx context.Context, tx Tx, ids []uuid.UUID) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryTurnsByIDLock(ctx, tx, ids)
	return each(rows, memoryTurn), said(err, "lock %d turns in memory", len(ids))
}

// MemoryTurns returns those of the turns that there are.
func (s *Store) MemoryTurns(ctx context.Context, tx Tx, ids []uuid.UUID) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryTurnsByID(ctx, s.handle(tx), ids)
	return each(rows, memoryTurn), said(err, "%d turns in memory", len(ids))
}

// MemoryTurnsOf lists what a scope sees, newest first, from before the given
// moment and id on.
func (s *Store) MemoryTurnsOf(ctx context.Context, in MemoryScope, at time.Time, id uuid.UUID, limit int) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryTurnsOf(ctx, s.pool, db.MemoryTurnsOfParams{
		PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
		BeforeAt: at, BeforeID: id, MaxRows: int32(limit), //nolint:gosec // a page
	})
	return each(rows, memoryTurn), said(err, "turns in memory of %v", in.Owners())
}

// MemoryTurnsAround returns the turns of a scope's conversation from place first
// to last, the two before and the three after them, in order; and whether there
// are others before these.
func (s *Store) MemoryTurnsAround(ctx context.Context, tx Tx, in MemoryScope, conversation string, first, last int) ([]MemoryTurn, bool, error) {
	person, session, project := in.Person.ptr(), optionalID(in.Session), optionalID(in.Project)
	rows, err := s.q.MemoryTurnsAround(ctx, tx, db.MemoryTurnsAroundParams{
		OwnerID: in.Owners()[0], PersonID: person, SessionID: session, ProjectID: project,
		Conversation: conversation, FirstSeq: int32(first), LastSeq: int32(last), //nolint:gosec // checked where turns are kept
	})
	if err != nil || len(rows) == 0 {
		return nil, false, said(err, "turns of conversation %s in memory", conversation)
	}
	more, err := s.q.MemoryTurnsBefore(ctx, tx, db.MemoryTurnsBeforeParams{
		OwnerID: in.Owners()[0], PersonID: person, SessionID: session, ProjectID: project, Conversation: conversation, Seq: rows[0].Seq,
	})
	return each(rows, memoryTurn), more, said(err, "begin of conversation %s in memory", conversation)
}
