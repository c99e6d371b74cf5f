package chats

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Session is one written conversation.
type Session struct {
	ID uuid.UUID
	// ExternalID is the client's id of the session.
	ExternalID string
	// Name is empty until a person or the model names it.
	Name string
	// PersonID is not [PersonID.Known] if the session belongs to no particular person.
	PersonID pg.PersonID
	// ProjectID is zero without a project.
	ProjectID uuid.UUID
	CreatedAt time.Time
	// UpdatedAt is the time of the last message.
	UpdatedAt time.Time
}

// SessionFilter narrows a list of sessions. Zero fields do not.
type SessionFilter struct {
	PersonID  pg.PersonID
	ProjectID uuid.UUID
	// BeforeAt and BeforeID identify the session to continue after: the last of the
	// previous page.
	BeforeAt time.Time
	BeforeID uuid.UUID
	Limit    int
}

// SessionChange is a change to a session. Nil fields change nothing.
type SessionChange struct {
	// Name is the new name; empty removes the name.
	Name *string
	// ProjectID is the new project; zero removes the session from its project.
	ProjectID *uuid.UUID
}

// EnsureChatSession returns the session with an external id, creating it if there is none;
// made reports whether it did. The owner and project of an existing session are left
// unchanged. It is safe against races: one process creates the session, all get it.
func (s *Store) EnsureChatSession(ctx context.Context, externalID string, person pg.PersonID, project uuid.UUID) (ses Session, made bool, err error) {
	n, err := s.db.Q.ChatSessionInsert(ctx, s.db.Conn, db.ChatSessionInsertParams{ID: pg.NewID(), ExternalID: externalID, PersonID: person, ProjectID: project})
	if err != nil {
		return Session{}, false, err
	}
	ses, err = s.ChatSession(ctx, externalID)
	return ses, n > 0, err
}

// ChatSession returns the session with an external id, or [ErrNotFound].
func (s *Store) ChatSession(ctx context.Context, externalID string) (Session, error) {
	row, err := s.db.Q.ChatSessionByExternal(ctx, s.db.Conn, externalID)
	return chatSession(row), err
}

// ChatSessions lists sessions, the most recently active first.
func (s *Store) ChatSessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	p := db.ChatSessionsPageParams{PersonID: f.PersonID, ProjectID: f.ProjectID, BeforeID: f.BeforeID, MaxRows: f.Limit}
	if !f.BeforeAt.IsZero() {
		p.BeforeAt = &f.BeforeAt
	}
	rows, err := s.db.Q.ChatSessionsPage(ctx, s.db.Conn, p)
	return pg.Each(rows, chatSession), err
}

// ChangeChatSession changes a session's name or project. When a session leaves a project,
// the project's summaries made from it are deleted, and its episodes are queued to be
// remembered again. For a project that does not exist it returns [ErrConflict].
func (s *Store) ChangeChatSession(ctx context.Context, id uuid.UUID, c SessionChange) (Session, error) {
	p := db.ChatSessionUpdateParams{ID: id}
	if c.Name != nil {
		p.SetName, p.Name = true, pg.Optional(*c.Name)
	}
	if c.ProjectID != nil {
		p.SetProject, p.ProjectID = true, *c.ProjectID
	}
	row, err := s.db.Q.ChatSessionUpdate(ctx, s.db.Conn, p)
	return chatSession(row), err
}

// NameChatSession names a session that has no name.
func (s *Store) NameChatSession(ctx context.Context, id uuid.UUID, name string) error {
	return s.db.Q.ChatSessionName(ctx, s.db.Conn, db.ChatSessionNameParams{ID: id, Name: &name})
}

// DeleteChatSession deletes a session with its episodes and summaries, and the project's
// summaries made from it.
func (s *Store) DeleteChatSession(ctx context.Context, id uuid.UUID) error {
	n, err := s.db.Q.ChatSessionDelete(ctx, s.db.Conn, id)
	return pg.WrapErr(pg.OrAbsent(n, err), "delete chat session %s", id)
}

// RecallableChatSessions returns which of the sessions currently belong to a project, and
// do not belong to a person who has not consented to being remembered.
func (s *Store) RecallableChatSessions(ctx context.Context, project uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := s.db.Q.ChatSessionsRecallable(ctx, s.db.Conn, db.ChatSessionsRecallableParams{Ids: ids, ProjectID: project})
	out := make(map[uuid.UUID]bool, len(rows))
	for _, id := range rows {
		out[id] = true
	}
	return out, err
}

func chatSession(r db.ChatSession) Session {
	return Session{
		ID: r.ID, ExternalID: r.ExternalID, Name: pg.Value(r.Name), PersonID: r.PersonID, ProjectID: r.ProjectID,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}
