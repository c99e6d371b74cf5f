package alerts

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Trouble is a failure that keeps nAIber from working.
type Trouble struct {
	Cause string // the same while it lasts, in every process
	Kind  string // of the alert: "operator_..."
	Tier  Tier
	Why   string
}

// SeeTrouble records that a trouble exists at a time. The first time it raises the
// operator's alert, and returns true; no other alert follows while the trouble is seen, in
// whichever process and however the alert is answered, until [Store.EndTroubles] ends it.
func (s *Store) SeeTrouble(ctx context.Context, t Trouble, at time.Time) (raised bool, err error) {
	row, err := s.db.Q.TroubleSee(ctx, s.db.Conn, db.TroubleSeeParams{Cause: t.Cause, At: at})
	if err != nil || row.AlertID != uuid.Nil {
		return false, err
	}
	// If two processes do this at once, or one dies here, the key keeps it one alert.
	a, raised, err := s.RaiseAlert(ctx, New{Tier: t.Tier, Kind: t.Kind, Why: t.Why, Key: fmt.Sprintf("%s@%d", t.Cause, row.Since.UnixMicro()), At: at})
	if err != nil {
		return false, err
	}
	return raised, s.db.Q.TroubleTold(ctx, s.db.Conn, db.TroubleToldParams{Cause: t.Cause, AlertID: a.ID})
}

// EndTroubles ends troubles that were last seen before a time, and records it on their
// alerts, which stay open: the end of the cause is not an outcome.
func (s *Store) EndTroubles(ctx context.Context, before, at time.Time) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		ended, err := s.db.Q.TroublesEnded(ctx, tx, before)
		if err != nil {
			return err
		}
		for _, t := range ended {
			if t.AlertID == uuid.Nil {
				continue // no alert was raised
			}
			if err := s.event(ctx, tx, t.AlertID, at, "recovered", "", "last seen at "+t.SeenAt.UTC().Format(time.RFC3339)); err != nil {
				return err
			}
		}
		return nil
	})
	return pg.WrapErr(err, "end troubles")
}
