package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Danger is a danger that the person reported in a call.
type Danger struct {
	Kind   string // fall, chest, breath, ...; the latest
	At     time.Time
	OverAt *time.Time // when they said that they are all right
}

// MarkDanger marks a call as one in which the person reports danger, and adds that to its
// timeline. It is idempotent for the same time.
func (s *Store) MarkDanger(ctx context.Context, id pg.CallID, kind string, at time.Time) error {
	data, err := json.Marshal(map[string]string{"kind": kind})
	if err != nil {
		return fmt.Errorf("marshal danger: %w", err)
	}
	return s.markDanger(ctx, id, "danger", at, data, func(tx pg.Tx) (int64, error) {
		return s.db.Q.CallMarkDanger(ctx, tx, db.CallMarkDangerParams{ID: id.UUID, Danger: kind, At: at})
	})
}

// EndDanger records on a call that the person says that they are all right.
func (s *Store) EndDanger(ctx context.Context, id pg.CallID, at time.Time) error {
	return s.markDanger(ctx, id, "danger_over", at, nil, func(tx pg.Tx) (int64, error) {
		return s.db.Q.CallEndDanger(ctx, tx, db.CallEndDangerParams{ID: id.UUID, At: at})
	})
}

func (s *Store) markDanger(ctx context.Context, id pg.CallID, event string, at time.Time, data []byte, mark func(pg.Tx) (int64, error)) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		n, err := mark(tx)
		if err = pg.OrAbsent(n, err); err != nil {
			return err
		}
		_, err = s.AddEventTx(ctx, tx, id, event, data, event+" "+at.UTC().Format(time.RFC3339Nano))
		return err
	})
	return pg.WrapErr(err, "mark %s on call %s", event, id)
}
