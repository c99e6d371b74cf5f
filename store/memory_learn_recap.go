package store

import (
	"context"

	"github.com/naiber/naiber/store/internal/db"
)

// SaveSummaryTx is [Store.SaveSummary] inside tx.
func (s *Store) SaveSummaryTx(ctx context.Context, tx Tx, sum Summary) error {
	_, err := s.q.SummaryUpsert(ctx, tx, db.SummaryUpsertParams{
		ID: newID(), PersonID: sum.PersonID.UUID, CallID: sum.CallID.UUID, Text: sum.Text, Model: sum.Model,
	})
	return said(err, "save summary of call %s", sum.CallID)
}

// SummaryTx is [Store.Summary] inside tx.
func (s *Store) SummaryTx(ctx context.Context, tx Tx, id CallID) (Summary, error) {
	row, err := s.q.SummaryOf(ctx, tx, id.UUID)
	return summary(row), said(err, "summary of call %s", id)
}
