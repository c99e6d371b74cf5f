package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/db"
)

// ChatProject is a circle of sessions that share a memory: a family, a ward.
type ChatProject struct {
	ID          uuid.UUID
	Name        string
	Description string
	// SystemPrompt is nil where that of the settings holds.
	SystemPrompt *string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// ChatProjectChange is what to change of a project; nil changes nothing.
type ChatProjectChange struct {
	Name, Description *string
	// SetPrompt says that SystemPrompt is to be set, to nil as well.
	SetPrompt    bool
	SystemPrompt *string
}

// ChatProjectSession is a session of a project, with what it comes to.
type ChatProjectSession struct {
	ChatSession

	Episodes int
	// First and Last are its first and last episode; 0 without one.
	First, Last int64
	// Recallable is false where its person does not consent to being remembered.
	Recallable bool
	// Summary is its newest one; its ID is zero without one.
	Summary ChatSummary
}

// AddChatProject makes a project.
func (s *Store) AddChatProject(ctx context.Context, p ChatProject) (ChatProject, error) {
	row, err := s.q.ChatProjectInsert(ctx, s.pool, db.ChatProjectInsertParams{
		ID: newID(), Name: p.Name, Description: p.Description, SystemPrompt: p.SystemPrompt,
	})
	return ChatProject(row), said(err, "make chat project")
}

// ChatProject returns a project, or [ErrNotFound].
func (s *Store) ChatProject(ctx context.Context, id uuid.UUID) (ChatProject, error) {
	row, err := s.q.ChatProject(ctx, s.pool, id)
	return ChatProject(row), said(err, "chat project %s", id)
}

// ChatProjects lists projects, newest first, after one of them; zero begins.
func (s *Store) ChatProjects(ctx context.Context, after uuid.UUID, limit int) ([]ChatProject, error) {
	rows, err := s.q.ChatProjectsPage(ctx, s.pool, db.ChatProjectsPageParams{BeforeID: after, MaxRows: int32(limit)}) //nolint:gosec // a page
	return each(rows, func(r db.ChatProject) ChatProject { return ChatProject(r) }), said(err, "list chat projects")
}

// ChangeChatProject changes a project, or returns [ErrNotFound].
func (s *Store) ChangeChatProject(ctx context.Context, id uuid.UUID, c ChatProjectChange) (ChatProject, error) {
	row, err := s.q.ChatProjectUpdate(ctx, s.pool, db.ChatProjectUpdateParams{
		ID: id, Name: c.Name, Description: c.Description, SetPrompt: c.SetPrompt, SystemPrompt: c.SystemPrompt,
	})
	return ChatProject(row), said(err, "change chat project %s", id)
}

// DeleteChatProject deletes a project and its summaries. Its sessions stay, with
// no project, and wait to be remembered as such.
func (s *Store) DeleteChatProject(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.ChatProjectDelete(ctx, s.pool, id)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return said(err, "delete chat project %s", id)
}

// ChatProjectSessions lists a project's sessions, the one that was last spoken
// in first.
func (s *Store) ChatProjectSessions(ctx context.Context, project uuid.UUID, limit int) ([]ChatProjectSession, error) {
	rows, err := s.q.ChatProjectSessions(ctx, s.pool, db.ChatProjectSessionsParams{ProjectID: &project, MaxRows: int32(limit)}) //nolint:gosec // bounded
	return each(rows, chatProjectSession), said(err, "sessions of chat project %s", project)
}

func chatProjectSession(r db.ChatProjectSessionsRow) ChatProjectSession {
	return ChatProjectSession{
		ChatSession: chatSession(db.ChatSession{
			ID: r.ID, ExternalID: r.ExternalID, Name: r.Name, PersonID: r.PersonID, ProjectID: r.ProjectID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}),
		Episodes: int(r.Episodes), First: r.FirstEpisode, Last: r.LastEpisode, Recallable: r.Recallable,
		Summary: ChatSummary{ID: r.SummaryID, SessionID: r.ID, Text: r.Summary, From: r.SummaryFrom, To: r.SummaryTo},
	}
}

// ChatSettings returns what an operator has set, as the JSON object that
// [Store.PatchChatSettings] made; "{}" where nothing was.
func (s *Store) ChatSettings(ctx context.Context) (json.RawMessage, error) {
	value, err := s.q.ChatSettings(ctx, s.pool)
	if errors.Is(err, pgx.ErrNoRows) {
		return json.RawMessage("{}"), nil
	}
	return value, said(err, "chat settings")
}

// PatchChatSettings sets the keys of a JSON object, takes others away, and
// returns what is set then. Patches at the same time do not undo each other.
func (s *Store) PatchChatSettings(ctx context.Context, set json.RawMessage, remove []string) (json.RawMessage, error) {
	if !json.Valid(set) {
		return nil, fmt.Errorf("patch chat settings: not JSON: %w", ErrConflict)
	}
	if remove == nil {
		remove = []string{}
	}
	value, err := s.q.ChatSettingsPatch(ctx, s.pool, db.ChatSettingsPatchParams{Patch: set, Removed: remove})
	return value, said(err, "patch chat settings")
}
