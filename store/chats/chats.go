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
	// ExternalID is what clients call it.
	ExternalID string
	// Name is empty until somebody, or the model, names it.
	Name string
	// PersonID is not [PersonID.Known] where it is nobody's in particular.
	PersonID pg.PersonID
	// ProjectID is zero without a project.
	ProjectID uuid.UUID
	CreatedAt time.Time
	// UpdatedAt is when something was last said.
	UpdatedAt time.Time
}

// SessionFilter narrows a list of sessions; zero fields do not.
type SessionFilter struct {
	PersonID  pg.PersonID
	ProjectID uuid.UUID
	// BeforeAt and BeforeID go on after a session, the last of the page before.
	BeforeAt time.Time
	BeforeID uuid.UUID
	Limit    int
}

// SessionChange is what to change of a session; nil changes nothing.
type SessionChange struct {
	// Name: empty takes the name away.
	Name *string
	// ProjectID: zero takes the session out of its project.
	ProjectID *uuid.UUID
}

// EnsureChatSession returns the session of an external id, and makes it where
// there is none; made says which. What a session that is there belongs to stays
// as it is. Processes may race for it: one makes it, all get it.
func (s *Store) EnsureChatSession(ctx context.Context, externalID string, person pg.PersonID, project uuid.UUID) (ses Session, made bool, err error) {
	n, err := s.db.Q.ChatSessionInsert(ctx, s.db.Conn, db.ChatSessionInsertParams{ID: pg.NewID(), ExternalID: externalID, PersonID: person, ProjectID: project})
	if err != nil {
		return Session{}, false, err
	}
	ses, err = s.ChatSession(ctx, externalID)
	return ses, n > 0, err
}

// ChatSession returns the session of an external id, or [ErrNotFound].
func (s *Store) ChatSession(ctx context.Context, externalID string) (Session, error) {
	row, err := s.db.Q.ChatSessionByExternal(ctx, s.db.Conn, externalID)
	return chatSession(row), err
}

// ChatSessions lists sessions, the one that was last spoken in first.
func (s *Store) ChatSessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	p := db.ChatSessionsPageParams{PersonID: f.PersonID, ProjectID: f.ProjectID, BeforeID: f.BeforeID, MaxRows: f.Limit}
	if !f.BeforeAt.IsZero() {
		p.BeforeAt = &f.BeforeAt
	}
	rows, err := s.db.Q.ChatSessionsPage(ctx, s.db.Conn, p)
	return pg.Each(rows, chatSession), err
}

// ChangeChatSession changes a session's name or project. A session that leaves
// a project takes what the project's summaries say of it along, and its episodes
// wait to be remembered anew. A project that does not exist is [ErrConflict].
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

// DeleteChatSession deletes a session with its episodes and summaries, and the
// project's summaries that it went into.
func (s *Store) DeleteChatSession(ctx context.Context, id uuid.UUID) error {
	n, err := s.db.Q.ChatSessionDelete(ctx, s.db.Conn, id)
	return pg.WrapErr(pg.OrAbsent(n, err), "delete chat session %s", id)
}

// RecallableChatSessions returns which of the sessions belong to a project now,
// and are of nobody who has not consented to being remembered.
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
