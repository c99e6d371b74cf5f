package chat

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

type chatProject struct {
	ID           string    `json:"id" doc:"projectId"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	SystemPrompt *string   `json:"systemPrompt" doc:"null: that of the settings"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

type chatProjectIn struct {
	Name         string `json:"name" minLength:"1" maxLength:"200" pattern:"\\S" patternDescription:"not blank"`
	Description  string `json:"description,omitempty" maxLength:"2000"`
	SystemPrompt string `json:"systemPrompt,omitempty" maxLength:"20000" doc:"Absent or blank: that of the settings"`
}

type chatProjectPatch struct {
	Name         maybe `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Description  maybe `json:"description,omitzero" maxLength:"2000" doc:"null: none"`
	SystemPrompt maybe `json:"systemPrompt,omitzero" maxLength:"20000" doc:"null or blank: that of the settings"`
}

type projectPath struct {
	ID string `path:"id" doc:"projectId"`
}

type projectsQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (s *Server) projectRoutes(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("projects", id, method, "/projects"+path, summary, success)
	}
	huma.Register(h, op("list-projects", http.MethodGet, "", "Projects, newest first", http.StatusOK), s.listProjects)
	huma.Register(h, op("create-project", http.MethodPost, "", "Make a project: a circle of sessions that share a memory", http.StatusCreated),
		func(ctx context.Context, in *one[chatProjectIn]) (*one[chatProject], error) {
			p := store.ChatProject{Name: strings.TrimSpace(in.Body.Name), Description: strings.TrimSpace(in.Body.Description), SystemPrompt: filled(in.Body.SystemPrompt)}
			kept, err := s.store.AddChatProject(ctx, p)
			return answer(projectOut(kept)), s.problem(ctx, err)
		})
	huma.Register(h, op("get-project", http.MethodGet, "/{id}", "One project", http.StatusOK),
		func(ctx context.Context, in *projectPath) (*one[chatProject], error) {
			p, err := s.findProject(ctx, in.ID)
			return answer(projectOut(p)), s.problem(ctx, err)
		})
	change := op("update-project", http.MethodPatch, "/{id}", "Change a project", http.StatusOK)
	change.Description = "What is absent stays as it is; null takes away."
	huma.Register(h, change, s.patchProject)
	remove := op("delete-project", http.MethodDelete, "/{id}", "Dissolve a project", http.StatusNoContent)
	remove.Description = "Its sessions stay, and share nothing any more. Its summaries go."
	huma.Register(h, remove, s.deleteProject)
}

func (s *Server) listProjects(ctx context.Context, in *projectsQuery) (*one[page[chatProject]], error) {
	var after uuid.UUID
	if in.Cursor != "" {
		var err error
		if after, err = uuid.Parse(in.Cursor); err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
	}
	rows, err := s.store.ChatProjects(ctx, after, in.Limit+1)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	return paged(rows, in.Limit, func(p store.ChatProject) string { return p.ID.String() }, projectOut), nil
}

type patchProjectIn struct {
	ID   string `path:"id" doc:"projectId"`
	Body chatProjectPatch
}

func (s *Server) patchProject(ctx context.Context, in *patchProjectIn) (*one[chatProject], error) {
	p, err := s.findProject(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	var change store.ChatProjectChange
	if in.Body.Name.sent {
		name := strings.TrimSpace(in.Body.Name.value)
		if name == "" {
			return nil, invalid("body.name", "must not be blank")
		}
		change.Name = &name
	}
	if in.Body.Description.sent {
		text := strings.TrimSpace(in.Body.Description.value)
		change.Description = &text
	}
	change.SetPrompt, change.SystemPrompt = in.Body.SystemPrompt.sent, filled(in.Body.SystemPrompt.value)
	now, err := s.store.ChangeChatProject(ctx, p.ID, change)
	return answer(projectOut(now)), s.problem(ctx, err)
}

func (s *Server) deleteProject(ctx context.Context, in *projectPath) (*struct{}, error) {
	p, err := s.findProject(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	if err := s.store.DeleteChatProject(ctx, p.ID); err != nil {
		return nil, s.problem(ctx, err)
	}
	if s.cfg.Memory != nil {
		s.tasks.do("dissolve", p.ID, func(ctx context.Context) error { return s.CatchUp(ctx, time.Now()) }) //nolint:contextcheck // it outlives the request
	}
	return nil, nil
}

// findProject returns a project, or an error that is [store.ErrNotFound].
func (s *Server) findProject(ctx context.Context, id string) (store.ChatProject, error) {
	pid, err := uuid.Parse(id)
	if err != nil {
		return store.ChatProject{}, fmt.Errorf("project id: %w", store.ErrNotFound)
	}
	return s.store.ChatProject(ctx, pid)
}

// filled is nil for blank text.
func filled(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

func projectOut(p store.ChatProject) chatProject {
	return chatProject{
		ID: p.ID.String(), Name: p.Name, Description: p.Description, SystemPrompt: p.SystemPrompt,
		CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
}
