package memories

import (
	"context"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// SaveSummaryTx is [Store.SaveSummary] inside tx.
func (s *Store) SaveSummaryTx(ctx context.Context, tx pg.Tx, sum Summary) error {
	_, err := s.db.Q.SummaryUpsert(ctx, tx, db.SummaryUpsertParams{
		ID: pg.NewID(), PersonID: sum.PersonID.UUID, CallID: sum.CallID.UUID, Text: sum.Text, Model: sum.Model,
	})
	return pg.WrapErr(err, "save summary of call %s", sum.CallID)
}

// SummaryTx is [Store.Summary] inside tx.
func (s *Store) SummaryTx(ctx context.Context, tx pg.Tx, id pg.CallID) (Summary, error) {
	row, err := s.db.Q.SummaryOf(ctx, tx, id.UUID)
	return summary(row), pg.WrapErr(err, "summary of call %s", id)
}
