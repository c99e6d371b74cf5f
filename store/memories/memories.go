package memories

import (
	"context"
	"strings"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Summary is what a call was about, in a few sentences.
type Summary = db.Summary

// Topic is something a person talks about.
type Topic = db.Topic

// TopicMention says how often one call mentioned a topic.
type TopicMention struct {
	Label    string
	Mentions int
}

// SaveSummary writes the one summary of a call; doing it again rewrites it. tx may
// be nil.
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

// SaveTopics records which topics a call mentioned and brings the person's
// counts up to date. Doing it again for the same call replaces what was counted
// for it, so a retry changes nothing.
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

// Topics returns what a person talks about, latest first.
func (s *Store) Topics(ctx context.Context, id pg.PersonID, limit int) ([]Topic, error) {
	return s.db.Q.TopicsOf(ctx, s.db.Conn, db.TopicsOfParams{PersonID: id, MaxRows: limit})
}

// CallTopics returns the topics that a call mentioned.
func (s *Store) CallTopics(ctx context.Context, id pg.CallID) ([]Topic, error) {
	return s.db.Q.TopicsOfCall(ctx, s.db.Conn, id)
}

// topicKey is what makes two labels one topic: lower case, single spaces.
func topicKey(label string) string { return strings.Join(strings.Fields(strings.ToLower(label)), " ") }

// byKey joins mentions of one topic under its key.
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
