package calls

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ConnectedFor is how long a person may be connected to the human who takes care of an
// alert.
const ConnectedFor = 30 * time.Minute

// Connected is a connection from a call to the human who takes care of an alert.
type Connected struct {
	Notice uuid.UUID // the notice that reached that human
	At     time.Time
	OverAt *time.Time // nil while they talk, as far as is known
}

// Connect records that the person on a live call is put through, for at most
// [ConnectedFor]. It returns [pg.ErrNotFound] if the call has ended, or they talk with
// someone else.
func (s *Store) Connect(ctx context.Context, id pg.CallID, notice uuid.UUID, at time.Time) error {
	n, err := s.db.Q.CallConnect(ctx, s.db.Conn, db.CallConnectParams{ID: id.UUID, Notice: notice, At: at, Before: at.Add(-ConnectedFor)})
	return pg.WrapErr(pg.OrAbsent(n, err), "connect call %s", id)
}

// ComeBack records that a person who was put through has come back, and sets a new stream
// token for their call.
func (s *Store) ComeBack(ctx context.Context, id pg.CallID, token string, at time.Time) (Call, error) {
	row, err := s.db.Q.CallComeBack(ctx, s.db.Conn, db.CallComeBackParams{ID: id.UUID, StreamTokenHash: tokenHash(token), At: at})
	return CallFrom(row), pg.WrapErr(err, "call %s comes back", id)
}

// Disconnect records the end of the connection to the human reached by a notice.
func (s *Store) Disconnect(ctx context.Context, notice uuid.UUID, at time.Time) error {
	err := s.db.Q.CallDisconnect(ctx, s.db.Conn, db.CallDisconnectParams{Notice: notice, At: at})
	return pg.WrapErr(err, "disconnect notice %s", notice)
}
