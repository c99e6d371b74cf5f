package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

type chatSession struct {
	SessionID string    `json:"sessionId"`
	Name      string    `json:"name,omitempty"`
	UserID    string    `json:"userId,omitempty"`
	ProjectID string    `json:"projectId,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"When something was last said"`
}

type sessionPath struct {
	ID string `path:"id" maxLength:"200" doc:"sessionId"`
}

type sessionsQuery struct {
	UserID    string `query:"userId"`
	ProjectID string `query:"projectId"`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor    string `query:"cursor" doc:"nextCursor of the page before"`
}

// sessionPatch changes a session by the rules of JSON merge patch.
type sessionPatch struct {
	Name      maybe `json:"name,omitzero" maxLength:"200" doc:"null: none"`
	ProjectID maybe `json:"projectId,omitzero" doc:"null: none"`
}

func (s *Server) sessionRoutes(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("sessions", id, method, "/sessions"+path, summary, success)
	}
	huma.Register(h, op("list-sessions", http.MethodGet, "", "Sessions, the one last spoken in first", http.StatusOK), s.listSessions)
	huma.Register(h, op("get-session", http.MethodGet, "/{id}", "One session", http.StatusOK),
		func(ctx context.Context, in *sessionPath) (*one[chatSession], error) {
			ses, err := s.store.ChatSession(ctx, in.ID)
			return answer(sessionOut(ses)), s.problem(ctx, err)
		})
	move := op("update-session", http.MethodPatch, "/{id}", "Rename a session, or move it to a project", http.StatusOK)
	move.Description = "What is absent stays as it is; null takes away. A session that moves takes its part of the memory along."
	huma.Register(h, move, s.patchSession)
	remove := op("delete-session", http.MethodDelete, "/{id}", "Forget a session and all that was said in it", http.StatusNoContent)
	remove.Errors = append(remove.Errors, http.StatusServiceUnavailable)
	huma.Register(h, remove, func(ctx context.Context, in *sessionPath) (*struct{}, error) {
		return nil, s.problem(ctx, s.deleteSession(ctx, in.ID))
	})
	huma.Register(h, op("get-history", http.MethodGet, "/{id}/history", "What was said in a session, newest first", http.StatusOK), s.history)
}

func (s *Server) listSessions(ctx context.Context, in *sessionsQuery) (*one[page[chatSession]], error) {
	f := store.ChatSessionFilter{Limit: in.Limit + 1}
	var err error
	if f.PersonID, err = s.knownPerson(ctx, in.UserID); err != nil {
		return nil, s.problem(ctx, err)
	}
	if f.ProjectID, err = s.projectOf(ctx, in.ProjectID, "query.projectId"); err != nil {
		return nil, s.problem(ctx, err)
	}
	if in.Cursor != "" {
		if f.BeforeAt, f.BeforeID, err = readCursor(in.Cursor); err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
	}
	rows, err := s.store.ChatSessions(ctx, f)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	return paged(rows, in.Limit, sessionCursor, sessionOut), nil
}

// sessionCursor is the place of a session in the list: its time and its id.
func sessionCursor(ses store.ChatSession) string {
	return strconv.FormatInt(ses.UpdatedAt.UnixMicro(), 10) + "." + ses.ID.String()
}

func readCursor(cursor string) (time.Time, uuid.UUID, error) {
	at, id, _ := strings.Cut(cursor, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil || micros < 0 || micros > maxMicros {
		return time.Time{}, uuid.Nil, errors.New("no time")
	}
	parsed, err := uuid.Parse(id)
	return time.UnixMicro(micros), parsed, err
}

// maxMicros is the end of the year 9999: the database knows later times, but
// nobody speaks then.
const maxMicros = 253_402_300_799_999_999

type patchSessionIn struct {
	ID   string `path:"id" maxLength:"200" doc:"sessionId"`
	Body sessionPatch
}

func (s *Server) patchSession(ctx context.Context, in *patchSessionIn) (*one[chatSession], error) {
	ses, err := s.store.ChatSession(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	var change store.ChatSessionChange
	if in.Body.Name.sent {
		name := strings.TrimSpace(in.Body.Name.value)
		change.Name = &name
	}
	if in.Body.ProjectID.sent {
		project, err := s.projectOf(ctx, in.Body.ProjectID.value, "body.projectId")
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		change.ProjectID = &project
	}
	now, err := s.store.ChangeChatSession(ctx, ses.ID, change)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	if now.ProjectID != ses.ProjectID && s.cfg.Memory != nil {
		s.tasks.do("move", ses.ID, func(ctx context.Context) error { return s.CatchUp(ctx, time.Now()) }) //nolint:contextcheck // it outlives the request
	}
	return answer(sessionOut(now)), nil
}

// deleteSession forgets a session, in memory first: if that fails, nothing is
// deleted, and it can be asked for again.
func (s *Server) deleteSession(ctx context.Context, externalID string) error {
	ses, err := s.store.ChatSession(ctx, externalID)
	if err != nil {
		return err
	}
	if err := s.forget(ctx, ses.ID); err != nil {
		return err
	}
	return s.store.DeleteChatSession(ctx, ses.ID)
}

func sessionOut(ses store.ChatSession) chatSession {
	out := chatSession{SessionID: ses.ExternalID, Name: ses.Name, CreatedAt: ses.CreatedAt.UTC(), UpdatedAt: ses.UpdatedAt.UTC()}
	if ses.PersonID.Known() {
		out.UserID = ses.PersonID.String()
	}
	if ses.ProjectID != uuid.Nil {
		out.ProjectID = ses.ProjectID.String()
	}
	return out
}

// maybe is a text of a patch: absent changes nothing, null takes away.
type maybe struct {
	sent  bool
	null  bool
	value string
}

// UnmarshalJSON is only called for a field that was sent.
func (m *maybe) UnmarshalJSON(b []byte) error {
	m.sent, m.null = true, string(b) == "null"
	return json.Unmarshal(b, &m.value)
}

// Schema describes the field as what it changes, or null.
func (maybe) Schema(r huma.Registry) *huma.Schema {
	text := *r.Schema(reflect.TypeFor[string](), false, "")
	text.Nullable = true
	return &text
}
