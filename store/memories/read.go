package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// LockMemoryTurns returns those of the turns that exist, locked until tx ends.
func (s *Store) LockMemoryTurns(ctx context.Context, tx pg.Tx, ids []uuid.UUID) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsByIDLock(ctx, tx, ids))
}

// MemoryTurns returns those of the turns that exist.
func (s *Store) MemoryTurns(ctx context.Context, tx pg.Tx, ids []uuid.UUID) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsByID(ctx, s.db.Handle(tx), ids))
}

// MemoryTurnsOf lists the turns that a scope sees, newest first, starting before the given
// time and id.
func (s *Store) MemoryTurnsOf(ctx context.Context, in Scope, at time.Time, id uuid.UUID, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsOf(ctx, s.db.Conn, db.MemoryTurnsOfParams{PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project, BeforeAt: at, BeforeID: id, MaxRows: limit}))
}

// MemoryTurnsAround returns the turns of a scope's conversation from place first to last,
// with the two before and the two after, in order.
func (s *Store) MemoryTurnsAround(ctx context.Context, tx pg.Tx, in Scope, conversation string, first, last int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsAround(ctx, tx, db.MemoryTurnsAroundParams{
		OwnerID: in.Owners()[0], PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project,
		Conversation: conversation, FirstSeq: first, LastSeq: last,
	}))
}
