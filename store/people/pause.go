package people

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Pause is a period in which a person is not called: a holiday, a stay in hospital.
type Pause = db.Pause

// AddPause stores a pause. A zero start means now.
func (s *Store) AddPause(ctx context.Context, id pg.PersonID, p Pause) (Pause, error) {
	return s.AddPauseTx(ctx, nil, id, p)
}

// AddPauseTx is like [Store.AddPause], inside tx. tx may be nil.
func (s *Store) AddPauseTx(ctx context.Context, tx pg.Tx, id pg.PersonID, p Pause) (Pause, error) {
	if p.StartsAt.IsZero() {
		p.StartsAt = time.Now()
	}
	return s.db.Q.PauseInsert(ctx, s.db.Handle(tx), db.PauseInsertParams{ID: pg.NewID(), PersonID: id, StartsAt: p.StartsAt, EndsAt: p.EndsAt, Reason: p.Reason, CreatedBy: p.CreatedBy})
}

// Pauses returns the current and future pauses.
func (s *Store) Pauses(ctx context.Context, id pg.PersonID) ([]Pause, error) {
	return s.db.Q.PausesOf(ctx, s.db.Conn, id)
}

// LiftPause ends a pause early, or returns [ErrNotFound].
func (s *Store) LiftPause(ctx context.Context, id pg.PersonID, pauseID uuid.UUID) error {
	n, err := s.db.Q.PauseLift(ctx, s.db.Conn, db.PauseLiftParams{ID: pauseID, PersonID: id})
	return pg.WrapErr(pg.OrAbsent(n, err), "lift pause %s", pauseID)
}

// PersonPauses returns all pauses of a person, oldest first, including past and lifted
// ones. tx may be nil.
func (s *Store) PersonPauses(ctx context.Context, tx pg.Tx, id pg.PersonID) ([]Pause, error) {
	return s.db.Q.PausesEver(ctx, s.db.Handle(tx), id)
}

// RestorePause stores an imported pause inside tx. An existing one is left unchanged.
func (s *Store) RestorePause(ctx context.Context, tx pg.Tx, p Pause) error {
	return s.db.Q.PauseRestore(ctx, tx, db.PauseRestoreParams{
		ID: p.ID, PersonID: p.PersonID, StartsAt: p.StartsAt, EndsAt: p.EndsAt, Reason: pg.Storable(p.Reason), CreatedBy: pg.Storable(p.CreatedBy), LiftedAt: p.LiftedAt,
	})
}
