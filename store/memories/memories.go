package memories

import (
	"context"
	"strings"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Summary is a summary of a call, in a few sentences.
type Summary = db.Summary

// Topic is a topic that a person talks about.
type Topic = db.Topic

// TopicMention holds how often one call mentioned a topic.
type TopicMention struct {
	Label    string
	Mentions int
}

// SaveSummary upserts the summary of a call. tx may be nil.
func (s *Store) SaveSummary(ctx context.Context, tx pg.Tx, sum Summary) error {
	return s.db.Q.SummaryUpsert(ctx, s.db.Handle(tx), db.SummaryUpsertParams{ID: pg.NewID(), PersonID: sum.PersonID, CallID: sum.CallID, Text: sum.Text, Model: sum.Model})
}

// Summary returns a call's summary, or [ErrNotFound]. tx may be nil.
func (s *Store) Summary(ctx context.Context, tx pg.Tx, id pg.CallID) (Summary, error) {
	return s.db.Q.SummaryOf(ctx, s.db.Handle(tx), id)
}

// LastSummaries returns a person's newest summaries, newest first.
func (s *Store) LastSummaries(ctx context.Context, id pg.PersonID, limit int) ([]Summary, error) {
	return s.db.Q.SummariesLast(ctx, s.db.Conn, db.SummariesLastParams{PersonID: id, MaxRows: limit})
}

// SaveTopics records the topics that a call mentioned, and updates the person's counts. A
// second call for the same call replaces the first, so a retry is a no-op.
func (s *Store) SaveTopics(ctx context.Context, person pg.PersonID, id pg.CallID, at time.Time, mentions []TopicMention) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.TopicMentionsClear(ctx, tx, id); err != nil {
			return err
		}
		for key, m := range byKey(mentions) {
			row, err := s.db.Q.TopicUpsert(ctx, tx, db.TopicUpsertParams{ID: pg.NewID(), PersonID: person, Key: key, Label: m.Label, At: at})
			if err != nil {
				return err
			}
			err = s.db.Q.TopicMentionUpsert(ctx, tx, db.TopicMentionUpsertParams{TopicID: row.ID, CallID: id, Mentions: m.Mentions, At: at})
			if err != nil {
				return err
			}
		}
		if err := s.db.Q.TopicsRecount(ctx, tx, person); err != nil {
			return err
		}
		return s.db.Q.TopicsUnmentionedDelete(ctx, tx, person)
	})
	return pg.WrapErr(err, "save topics of call %s", id)
}

// Topics returns the topics that a person talks about, the most recent first.
func (s *Store) Topics(ctx context.Context, id pg.PersonID, limit int) ([]Topic, error) {
	return s.db.Q.TopicsOf(ctx, s.db.Conn, db.TopicsOfParams{PersonID: id, MaxRows: limit})
}

// CallTopics returns the topics that a call mentioned.
func (s *Store) CallTopics(ctx context.Context, id pg.CallID) ([]Topic, error) {
	return s.db.Q.TopicsOfCall(ctx, s.db.Conn, id)
}

// topicKey returns the key by which labels are compared: lower case, single spaces.
func topicKey(label string) string { return strings.Join(strings.Fields(strings.ToLower(label)), " ") }

// byKey merges mentions with the same topic key.
func byKey(mentions []TopicMention) map[string]TopicMention {
	joined := make(map[string]TopicMention, len(mentions))
	for _, m := range mentions {
		key := topicKey(m.Label)
		if key == "" {
			continue
		}
		have, ok := joined[key]
		if !ok {
			have.Label = strings.TrimSpace(m.Label)
		}
		have.Mentions += max(m.Mentions, 1)
		joined[key] = have
	}
	return joined
}
