package store

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
)

// PastCall is a call that took place before nAIber knew of it.
type PastCall struct {
	Type    CallType
	At      time.Time
	Summary string // may be missing
	Topics  []string
}

// RecordPastCall keeps a call that reached the person, with its summary and
// topics, as of the time when it took place.
func (s *Store) RecordPastCall(ctx context.Context, p Person, past PastCall) (CallID, error) {
	var id CallID
	err := s.InTx(ctx, func(tx Tx) error {
		row, err := s.q.CallInsertPast(ctx, tx, db.CallInsertPastParams{
			ID: newID(), PersonID: p.ID.ptr(), CallType: string(past.Type), Phone: p.Phone, At: past.At,
		})
		if err != nil {
			return err
		}
		id = CallID{row.ID}
		if past.Summary == "" {
			return nil
		}
		return s.q.SummaryInsertPast(ctx, tx, db.SummaryInsertPastParams{
			ID: newID(), PersonID: p.ID.UUID, CallID: id.UUID, Text: past.Summary, At: past.At,
		})
	})
	if err != nil {
		return id, said(err, "record past call of %s", p.ID)
	}
	mentions := make([]TopicMention, len(past.Topics))
	for i, label := range past.Topics {
		mentions[i] = TopicMention{Label: label, Mentions: 1}
	}
	return id, s.SaveTopics(ctx, p.ID, id, past.At, mentions)
}
