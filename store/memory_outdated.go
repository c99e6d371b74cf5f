package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// OutdatedTurn is a turn all of whose facts have ended.
type OutdatedTurn struct {
	Turn  uuid.UUID
	Since time.Time
	// Later are the facts that took the place of its own, and of those in turn,
	// the earliest learned first.
	Later []LaterFact
}

// LaterFact took the place of another.
type LaterFact struct {
	ID uuid.UUID
	// Text is empty where the fact does not hold any more, or the scope does not see it.
	Text  string
	Turns []uuid.UUID // that it was learned from
}

// OutdatedTurns returns those of the turns all of whose facts have ended by a
// time. A turn that nothing was learned from is not among them.
func (s *Store) OutdatedTurns(ctx context.Context, in MemoryScope, turns []uuid.UUID, at time.Time) ([]OutdatedTurn, error) {
	rows, err := s.q.MemoryTurnsOutdated(ctx, s.pool, db.MemoryTurnsOutdatedParams{
		Turns: turns, At: at, PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
	})
	var out []OutdatedTurn
	for _, r := range rows {
		if n := len(out); n == 0 || out[n-1].Turn != r.TurnID {
			out = append(out, OutdatedTurn{Turn: r.TurnID, Since: r.Since})
		}
		if r.FactID != uuid.Nil {
			t := &out[len(out)-1]
			t.Later = append(t.Later, LaterFact{ID: r.FactID, Text: r.Body, Turns: r.Turns})
		}
	}
	return out, said(err, "what is outdated of %d turns", len(turns))
}
