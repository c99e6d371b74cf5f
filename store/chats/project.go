package chats

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Project is a circle of sessions that share a memory: a family, a ward.
type Project = db.ChatProject

// ProjectChange is what to change of a project; nil changes nothing.
type ProjectChange struct {
	Name, Description *string
	// SetPrompt says that SystemPrompt is to be set, to nil as well.
	SetPrompt    bool
	SystemPrompt *string
}

// ProjectSession is a session of a project, with what it comes to.
type ProjectSession struct {
	Session

	Episodes int
	// First and Last are its first and last episode; 0 without one.
	First, Last int64
	// Recallable is false where its person does not consent to being remembered.
	Recallable bool
	// Summary is its newest one; its ID is zero without one.
	Summary Summary
}

// AddChatProject makes a project.
func (s *Store) AddChatProject(ctx context.Context, p Project) (Project, error) {
	return s.db.Q.ChatProjectInsert(ctx, s.db.Conn, db.ChatProjectInsertParams{ID: pg.NewID(), Name: p.Name, Description: p.Description, SystemPrompt: p.SystemPrompt})
}

// ChatProject returns a project, or [ErrNotFound].
func (s *Store) ChatProject(ctx context.Context, id uuid.UUID) (Project, error) {
	return s.db.Q.ChatProject(ctx, s.db.Conn, id)
}

// ChatProjects lists projects, newest first, after one of them; zero begins.
func (s *Store) ChatProjects(ctx context.Context, after uuid.UUID, limit int) ([]Project, error) {
	return s.db.Q.ChatProjectsPage(ctx, s.db.Conn, db.ChatProjectsPageParams{BeforeID: after, MaxRows: limit})
}

// ChangeChatProject changes a project, or returns [ErrNotFound].
func (s *Store) ChangeChatProject(ctx context.Context, id uuid.UUID, c ProjectChange) (Project, error) {
	return s.db.Q.ChatProjectUpdate(ctx, s.db.Conn, db.ChatProjectUpdateParams{ID: id, Name: c.Name, Description: c.Description, SetPrompt: c.SetPrompt, SystemPrompt: c.SystemPrompt})
}

// DeleteChatProject deletes a project and its summaries. Its sessions stay, with
// no project, and wait to be remembered as such.
func (s *Store) DeleteChatProject(ctx context.Context, id uuid.UUID) error {
	n, err := s.db.Q.ChatProjectDelete(ctx, s.db.Conn, id)
	return pg.WrapErr(pg.OrAbsent(n, err), "delete chat project %s", id)
}

// ChatProjectSessions lists a project's sessions, the one that was last spoken
// in first.
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

// ChatSettings returns what an operator has set, as the JSON object that
// [Store.PatchChatSettings] made; "{}" where nothing was.
func (s *Store) ChatSettings(ctx context.Context) (json.RawMessage, error) {
	value, set, err := pg.IfAny(s.db.Q.ChatSettings(ctx, s.db.Conn))
	if err == nil && !set {
		value = json.RawMessage("{}")
	}
	return value, err
}

// PatchChatSettings sets the keys of a JSON object, takes others away, and
// returns what is set then. Patches at the same time do not undo each other.
func (s *Store) PatchChatSettings(ctx context.Context, set json.RawMessage, remove []string) (json.RawMessage, error) {
	if !json.Valid(set) {
		return nil, fmt.Errorf("patch chat settings: not JSON: %w", pg.ErrConflict)
	}
	return s.db.Q.ChatSettingsPatch(ctx, s.db.Conn, db.ChatSettingsPatchParams{Patch: set, Removed: pg.List(remove)})
}
