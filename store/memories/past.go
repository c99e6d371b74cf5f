package memories

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// PastCall is a call that took place before nAIber stored calls.
type PastCall struct {
	Type    calls.CallType
	At      time.Time
	Summary string // may be empty
	Topics  []string
}

// RecordPastCall stores a call that reached the person, with its summary and topics, dated
// when it took place.
func (s *Store) RecordPastCall(ctx context.Context, p people.Person, past PastCall) (pg.CallID, error) {
	var id pg.CallID
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.CallInsertPast(ctx, tx, db.CallInsertPastParams{
			ID: pg.NewID(), PersonID: p.ID, CallType: string(past.Type), Phone: p.Phone, At: past.At,
		})
		if err != nil {
			return err
		}
		id = pg.CallID{UUID: row.ID}
		if past.Summary == "" {
			return nil
		}
		return s.db.Q.SummaryInsertPast(ctx, tx, db.SummaryInsertPastParams{
			ID: pg.NewID(), PersonID: p.ID, CallID: id, Text: past.Summary, At: past.At,
		})
	})
	if err != nil {
		return id, pg.WrapErr(err, "record past call of %s", p.ID)
	}
	mentions := make([]TopicMention, len(past.Topics))
	for i, label := range past.Topics {
		mentions[i] = TopicMention{Label: label, Mentions: 1}
	}
	return id, s.SaveTopics(ctx, p.ID, id, past.At, mentions)
}
