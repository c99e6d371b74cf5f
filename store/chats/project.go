package chats

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Project is a group of sessions that share a memory: a family, a ward.
type Project = db.ChatProject

// ProjectChange is a change to a project. Nil fields change nothing.
type ProjectChange struct {
	Name, Description *string
	// SetPrompt says that SystemPrompt must be set, even to nil.
	SetPrompt    bool
	SystemPrompt *string
}

// ProjectSession is a session of a project with its statistics.
type ProjectSession struct {
	Session

	Episodes int
	// First and Last are its first and last episode; 0 if there is none.
	First, Last int64
	// Recallable is false if its person does not consent to being remembered.
	Recallable bool
	// Summary is its newest summary; its ID is zero if there is none.
	Summary Summary
}

// AddChatProject creates a project.
func (s *Store) AddChatProject(ctx context.Context, p Project) (Project, error) {
	return s.db.Q.ChatProjectInsert(ctx, s.db.Conn, db.ChatProjectInsertParams{ID: pg.NewID(), Name: p.Name, Description: p.Description, SystemPrompt: p.SystemPrompt})
}

// ChatProject returns a project, or [ErrNotFound].
func (s *Store) ChatProject(ctx context.Context, id uuid.UUID) (Project, error) {
	return s.db.Q.ChatProject(ctx, s.db.Conn, id)
}

// ChatProjects lists projects, newest first, after the given one; zero starts with the
// newest.
func (s *Store) ChatProjects(ctx context.Context, after uuid.UUID, limit int) ([]Project, error) {
	return s.db.Q.ChatProjectsPage(ctx, s.db.Conn, db.ChatProjectsPageParams{BeforeID: after, MaxRows: limit})
}

// ChangeChatProject changes a project, or returns [ErrNotFound].
func (s *Store) ChangeChatProject(ctx context.Context, id uuid.UUID, c ProjectChange) (Project, error) {
	return s.db.Q.ChatProjectUpdate(ctx, s.db.Conn, db.ChatProjectUpdateParams{ID: id, Name: c.Name, Description: c.Description, SetPrompt: c.SetPrompt, SystemPrompt: c.SystemPrompt})
}

// DeleteChatProject deletes a project and its summaries. Its sessions stay, without a
// project, and are queued to be remembered as such.
func (s *Store) DeleteChatProject(ctx context.Context, id uuid.UUID) error {
	n, err := s.db.Q.ChatProjectDelete(ctx, s.db.Conn, id)
	return pg.WrapErr(pg.OrAbsent(n, err), "delete chat project %s", id)
}

// ChatProjectSessions lists a project's sessions, the most recently active first.
func (s *Store) ChatProjectSessions(ctx context.Context, project uuid.UUID, limit int) ([]ProjectSession, error) {
	rows, err := s.db.Q.ChatProjectSessions(ctx, s.db.Conn, db.ChatProjectSessionsParams{ProjectID: project, MaxRows: limit})
	return pg.Each(rows, chatProjectSession), err
}

func chatProjectSession(r db.ChatProjectSessionsRow) ProjectSession {
	return ProjectSession{
		Session: chatSession(db.ChatSession{
			ID: r.ID, ExternalID: r.ExternalID, Name: r.Name, PersonID: r.PersonID, ProjectID: r.ProjectID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}),
		Episodes: r.Episodes, First: r.FirstEpisode, Last: r.LastEpisode, Recallable: r.Recallable,
		Summary: Summary{ID: r.SummaryID, SessionID: r.ID, Text: r.Summary, From: r.SummaryFrom, To: r.SummaryTo},
	}
}

// ChatSettings returns the settings made by an operator, as the JSON object of
// [Store.PatchChatSettings], or "{}" if there are none.
func (s *Store) ChatSettings(ctx context.Context) (json.RawMessage, error) {
	value, set, err := pg.IfAny(s.db.Q.ChatSettings(ctx, s.db.Conn))
	if err == nil && !set {
		value = json.RawMessage("{}")
	}
	return value, err
}

// PatchChatSettings sets the keys of a JSON object, removes others, and returns the result.
// Concurrent patches do not undo each other.
func (s *Store) PatchChatSettings(ctx context.Context, set json.RawMessage, remove []string) (json.RawMessage, error) {
	if !json.Valid(set) {
		return nil, fmt.Errorf("patch chat settings: not JSON: %w", pg.ErrConflict)
	}
	return s.db.Q.ChatSettingsPatch(ctx, s.db.Conn, db.ChatSettingsPatchParams{Patch: set, Removed: pg.List(remove)})
}
