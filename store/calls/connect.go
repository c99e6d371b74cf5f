package calls

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ConnectedFor is how long somebody may be put through to who takes care of an alert.
const ConnectedFor = 30 * time.Minute

// Connected is a person's being put through, from a call, to who takes care of an alert.
type Connected struct {
	Notice uuid.UUID // by which that human being was told
	At     time.Time
	OverAt *time.Time // nil: they talk with each other, as far as is known
}

// Connect notes that the person on a live call is put through, for [ConnectedFor] at most.
// It fails with [pg.ErrNotFound] where the call has ended, or they talk with somebody else.
func (s *Store) Connect(ctx context.Context, id pg.CallID, notice uuid.UUID, at time.Time) error {
	n, err := s.db.Q.CallConnect(ctx, s.db.Conn, db.CallConnectParams{ID: id.UUID, Notice: notice, At: at, Before: at.Add(-ConnectedFor)})
	return pg.WrapErr(pg.OrAbsent(n, err), "connect call %s", id)
}

// ComeBack notes that a person who was put through talks with nobody any more, and arms a new
// stream token for their call.
func (s *Store) ComeBack(ctx context.Context, id pg.CallID, token string, at time.Time) (Call, error) {
	row, err := s.db.Q.CallComeBack(ctx, s.db.Conn, db.CallComeBackParams{ID: id.UUID, StreamTokenHash: tokenHash(token), At: at})
	return CallFrom(row), pg.WrapErr(err, "call %s comes back", id)
}

// Disconnect notes that who was told by a notice talks with nobody any more.
func (s *Store) Disconnect(ctx context.Context, notice uuid.UUID, at time.Time) error {
	err := s.db.Q.CallDisconnect(ctx, s.db.Conn, db.CallDisconnectParams{Notice: notice, At: at})
	return pg.WrapErr(err, "disconnect notice %s", notice)
}
