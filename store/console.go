package store

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
)

// KeepSession keeps a session of the console, by the hash of its token.
func (s *Store) KeepSession(ctx context.Context, hash []byte, until time.Time) error {
	err := s.q.ConsoleSessionInsert(ctx, s.pool, db.ConsoleSessionInsertParams{TokenHash: hash, Until: until})
	return said(err, "keep session of the console")
}

// SessionUntil returns when a session ends, or [ErrNotFound].
func (s *Store) SessionUntil(ctx context.Context, hash []byte) (time.Time, error) {
	until, err := s.q.ConsoleSessionUntil(ctx, s.pool, hash)
	return until, said(err, "session of the console")
}
