package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/chats"
)

type chatSession struct {
	SessionID string    `json:"sessionId"`
	Name      string    `json:"name,omitempty"`
	UserID    string    `json:"userId,omitempty"`
	ProjectID string    `json:"projectId,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"When something was last said"`
}

type sessionsQuery struct {
	UserID    string `query:"userId"`
	ProjectID string `query:"projectId"`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor    string `query:"cursor" doc:"nextCursor of the page before"`
}

// sessionPatch is a change of a session by the rules of JSON merge patch.
type sessionPatch struct {
	Name      change[string] `json:"name,omitzero" maxLength:"200" doc:"null: none"`
	ProjectID change[string] `json:"projectId,omitzero" doc:"null: none"`
}

func (a *api) chatSessions(h huma.API) {
	op := underChat("sessions", "/sessions")
	handle(a, h, op("list-sessions", http.MethodGet, "", "Sessions, the one last spoken in first", http.StatusOK), a.listSessions)
	handle(a, h, op("get-session", http.MethodGet, "/{id}", "One session", http.StatusOK),
		about(a.findSession, func(_ context.Context, ses chats.Session, _ *SessionPath) (chatSession, error) {
			return sessionOut(ses), nil
		}))
	move := op("update-session", http.MethodPatch, "/{id}", "Rename a session, or move it to a project", http.StatusOK)
	move.Description = "What is absent stays as it is; null takes away. A session that moves takes its part of the memory along."
	handle(a, h, move, about(a.findSession, a.patchSession))
	remove := op("delete-session", http.MethodDelete, "/{id}", "Forget a session and all that was said in it", http.StatusNoContent, http.StatusServiceUnavailable)
	handleEmpty(a, h, remove, func(ctx context.Context, in *SessionPath) (none, error) {
		return none{}, a.Chat.DeleteSession(ctx, in.ID)
	})
	handle(a, h, op("get-history", http.MethodGet, "/{id}/history", "What was said in a session, newest first", http.StatusOK), about(a.findSession, a.history))
}

func (a *api) listSessions(ctx context.Context, in *sessionsQuery) (out page[chatSession], err error) {
	f := chats.SessionFilter{Limit: in.Limit + 1}
	if f.PersonID, err = a.personOrNobody(ctx, in.UserID); err != nil {
		return out, err
	}
	if f.ProjectID, err = a.projectOrNone(ctx, in.ProjectID, "query.projectId"); err != nil {
		return out, err
	}
	if f.BeforeAt, f.BeforeID, err = readCursor(in.Cursor); err != nil {
		return out, err
	}
	rows, err := a.Store.ChatSessions(ctx, f)
	return paged(rows, in.Limit, func(s chats.Session) string { return cursor(s.UpdatedAt, s.ID) }, sessionOut), err
}

type patchSessionIn struct {
	SessionPath

	Body sessionPatch
}

func (a *api) patchSession(ctx context.Context, ses chats.Session, in *patchSessionIn) (chatSession, error) {
	change := chats.SessionChange{Name: trimmed(in.Body.Name)}
	if in.Body.ProjectID.sent {
		project, err := a.projectOrNone(ctx, in.Body.ProjectID.value, "body.projectId")
		if err != nil {
			return chatSession{}, err
		}
		change.ProjectID = &project
	}
	now, err := a.Chat.ChangeSession(ctx, ses, change)
	return sessionOut(now), err
}

// findSession returns a session, or an error that is [store.ErrNotFound].
func (a *api) findSession(ctx context.Context, id string) (chats.Session, error) {
	return a.Store.ChatSession(ctx, id)
}

func sessionOut(ses chats.Session) chatSession {
	return chatSession{
		SessionID: ses.ExternalID, Name: ses.Name, UserID: known(ses.PersonID.UUID), ProjectID: known(ses.ProjectID),
		CreatedAt: ses.CreatedAt.UTC(), UpdatedAt: ses.UpdatedAt.UTC(),
	}
}
