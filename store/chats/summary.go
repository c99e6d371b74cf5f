package chats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ErrSourceGone says that something which a text was made from has been deleted,
// or may not be used any more.
var ErrSourceGone = errors.New("what it was made from is gone")

// Summary is what a session, or all sessions of a project, came to.
type Summary struct {
	ID uuid.UUID
	// One of the two is set.
	SessionID, ProjectID uuid.UUID
	Text                 string
	// Tokens is the length of Text, as it was counted or estimated.
	Tokens int
	// From and To are the first and last episode that it covers.
	From, To  int64
	Model     string
	CreatedAt time.Time
}

// Sources are what a summary was made from.
type Sources struct {
	Sessions  []uuid.UUID
	Episodes  []int64
	Summaries []uuid.UUID
}

// chatSummariesKept is how many summaries of one owner stay.
const chatSummariesKept = 20

// AddChatSummary keeps a summary, and the newest of its owner's others. Where a
// source is gone it keeps nothing and returns [ErrSourceGone]: what was forgotten
// does not come back through a summary that was being written.
func (s *Store) AddChatSummary(ctx context.Context, m Summary, from Sources) (kept Summary, err error) {
	session, project := m.SessionID, m.ProjectID
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		held, err := s.db.Q.ChatSessionsHold(ctx, tx, from.Sessions)
		if err != nil {
			return err
		}
		there, err := s.db.Q.ChatSummaryCovered(ctx, tx, db.ChatSummaryCoveredParams{
			Episodes: from.Episodes, Summaries: from.Summaries, SessionID: session, ProjectID: project,
		})
		if err != nil {
			return err
		}
		if len(held) != len(from.Sessions) || there.Episodes != len(from.Episodes) || there.Summaries != len(from.Summaries) {
			return ErrSourceGone
		}
		row, err := s.db.Q.ChatSummaryInsert(ctx, tx, db.ChatSummaryInsertParams{
			ID: pg.NewID(), SessionID: session, ProjectID: project, Text: m.Text, Tokens: m.Tokens,
			From: m.From, To: m.To, Model: m.Model,
		})
		if err != nil {
			return err
		}
		kept = chatSummary(row)
		return s.db.Q.ChatSummariesPrune(ctx, tx, db.ChatSummariesPruneParams{SessionID: session, ProjectID: project, Kept: chatSummariesKept})
	})
	return kept, err
}

// ChatSessionSummaries returns a session's summaries, newest first.
func (s *Store) ChatSessionSummaries(ctx context.Context, session uuid.UUID, limit int) ([]Summary, error) {
	rows, err := s.db.Q.ChatSummariesOf(ctx, s.db.Conn, db.ChatSummariesOfParams{SessionID: session, MaxRows: limit})
	return pg.Each(rows, chatSummary), err
}

// ChatProjectSummaries returns a project's summaries, newest first.
func (s *Store) ChatProjectSummaries(ctx context.Context, project uuid.UUID, limit int) ([]Summary, error) {
	rows, err := s.db.Q.ChatSummariesOf(ctx, s.db.Conn, db.ChatSummariesOfParams{ProjectID: project, MaxRows: limit})
	return pg.Each(rows, chatSummary), err
}

// Range is the episodes that it covers, as they are written: "3-17".
func (m Summary) Range() string { return fmt.Sprintf("%d-%d", m.From, m.To) }

func chatSummary(r db.ChatSummary) Summary { return Summary(r) }
