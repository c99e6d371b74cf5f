package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// Pause is a time in which a person is not phoned: a holiday, a stay in hospital.
type Pause struct {
	ID        uuid.UUID
	StartsAt  time.Time
	EndsAt    *time.Time // nil: until it is lifted
	Reason    string
	CreatedBy string
	LiftedAt  *time.Time
}

// AddPause keeps a pause.
func (s *Store) AddPause(ctx context.Context, id PersonID, p Pause) (Pause, error) {
	if p.StartsAt.IsZero() {
		p.StartsAt = time.Now()
	}
	row, err := s.q.PauseInsert(ctx, s.pool, db.PauseInsertParams{
		ID: newID(), PersonID: id.UUID, StartsAt: p.StartsAt, EndsAt: p.EndsAt, Reason: p.Reason, CreatedBy: p.CreatedBy,
	})
	return pause(row), said(err, "pause %s", id)
}

// Pauses returns the pauses that hold now or are still to come.
func (s *Store) Pauses(ctx context.Context, id PersonID) ([]Pause, error) {
	rows, err := s.q.PausesOf(ctx, s.pool, id.UUID)
	return each(rows, pause), said(err, "pauses of %s", id)
}

// LiftPause ends a pause early, or returns [ErrNotFound].
func (s *Store) LiftPause(ctx context.Context, id PersonID, pauseID uuid.UUID) error {
	n, err := s.q.PauseLift(ctx, s.pool, db.PauseLiftParams{ID: pauseID, PersonID: id.UUID})
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return said(err, "lift pause %s", pauseID)
}

func pause(r db.Pause) Pause {
	return Pause{
		ID: r.ID, StartsAt: r.StartsAt, EndsAt: r.EndsAt, Reason: r.Reason, CreatedBy: r.CreatedBy, LiftedAt: r.LiftedAt,
	}
}
