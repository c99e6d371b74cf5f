package checkpoint

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/internal/db"
)

// postgres stores threads in the database, one row each.
type postgres struct {
	st *store.Store
	q  *db.Queries
}

func (p *postgres) load(ctx context.Context, thread string) (History, error) {
	row, err := p.q.CheckpointLoad(ctx, p.st.Pool(), thread)
	if errors.Is(err, pgx.ErrNoRows) {
		return History{}, nil
	}
	if err != nil {
		return History{}, err
	}
	return stored{rev: row.Rev, data: row.Data}.history()
}

// rev returns the revision of a thread, or zero if it was never written.
func (p *postgres) rev(ctx context.Context, thread string) (int64, error) {
	var rev int64
	err := p.st.Together(ctx, func(conn db.DBTX) (err error) {
		rev, err = p.q.CheckpointRev(ctx, conn, thread)
		return err
	})
	if err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return 0, err
	}
	return rev, nil
}

// put stores a thread that was loaded at the revision seen.
func (p *postgres) put(ctx context.Context, thread string, next stored, seen int64) error {
	var n int64
	err := p.st.Together(ctx, func(conn db.DBTX) (err error) {
		n, err = p.q.CheckpointPut(ctx, conn, db.CheckpointPutParams{
			Thread: thread, Head: next.head.UUID, Rev: next.rev, Data: next.data, Seen: seen,
		})
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrConflict
	}
	return nil
}

func (p *postgres) delete(ctx context.Context, conn db.DBTX, threads []string) error {
	return p.q.CheckpointsDelete(ctx, conn, db.CheckpointsDeleteParams{Threads: threads, Rev: nextRev(0, time.Now())})
}
