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

// ErrSourceGone says that a source of a text was deleted, or must not be used any more.
var ErrSourceGone = errors.New("what it was made from is gone")

// Summary is a summary of a session, or of all sessions of a project.
type Summary struct {
	ID uuid.UUID
	// Exactly one of the two is set.
	SessionID, ProjectID uuid.UUID
	Text                 string
	// Tokens is the counted or estimated length of Text.
	Tokens int
	// From and To are the first and last episode that it covers.
	From, To  int64
	Model     string
	CreatedAt time.Time
}

// Sources are the sources of a summary.
type Sources struct {
	Sessions  []uuid.UUID
	Episodes  []int64
	Summaries []uuid.UUID
}

// chatSummariesKept is how many summaries of one owner are kept.
const chatSummariesKept = 20

// AddChatSummary stores a summary, and prunes the older ones of its owner. If a source is
// gone, it stores nothing and returns [ErrSourceGone]: what was forgotten must not return
// through a summary written at the same time.
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

// Range returns the range of episodes that it covers: "3-17".
func (m Summary) Range() string { return fmt.Sprintf("%d-%d", m.From, m.To) }

func chatSummary(r db.ChatSummary) Summary { return Summary(r) }
