package store

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
)

// KeepSession stores a session of the console by the hash of its token.
func (s *Store) KeepSession(ctx context.Context, hash []byte, until time.Time) error {
	return s.db.Q.ConsoleSessionInsert(ctx, s.db.Conn, db.ConsoleSessionInsertParams{TokenHash: hash, Until: until})
}

// SessionUntil returns when a session ends, or [ErrNotFound].
func (s *Store) SessionUntil(ctx context.Context, hash []byte) (time.Time, error) {
	return s.db.Q.ConsoleSessionUntil(ctx, s.db.Conn, hash)
}
