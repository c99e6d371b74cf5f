package store

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// KeepSession keeps a session of the console, by the hash of its token.
func (s *Store) KeepSession(ctx context.Context, hash []byte, until time.Time) error {
	err := s.db.Q.ConsoleSessionInsert(ctx, s.db.Conn, db.ConsoleSessionInsertParams{TokenHash: hash, Until: until})
	return pg.WrapErr(err, "keep session of the console")
}

// SessionUntil returns when a session ends, or [ErrNotFound].
func (s *Store) SessionUntil(ctx context.Context, hash []byte) (time.Time, error) {
	until, err := s.db.Q.ConsoleSessionUntil(ctx, s.db.Conn, hash)
	return until, pg.WrapErr(err, "session of the console")
}
