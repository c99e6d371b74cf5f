package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/chats"
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
	Name         change[string] `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Description  change[string] `json:"description,omitzero" maxLength:"2000" doc:"null: none"`
	SystemPrompt change[string] `json:"systemPrompt,omitzero" maxLength:"20000" doc:"null or blank: that of the settings"`
}

type projectsQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) chatProjects(h huma.API) {
	op := underChat("projects", "/projects")
	handle(a, h, op("list-projects", http.MethodGet, "", "Projects, newest first", http.StatusOK), a.listProjects)
	handle(a, h, op("create-project", http.MethodPost, "", "Make a project: a circle of sessions that share a memory", http.StatusCreated),
		func(ctx context.Context, in *one[chatProjectIn]) (chatProject, error) {
			p := chats.Project{Name: strings.TrimSpace(in.Body.Name), Description: strings.TrimSpace(in.Body.Description), SystemPrompt: filled(in.Body.SystemPrompt)}
			kept, err := a.Store.AddChatProject(ctx, p)
			return projectOut(kept), err
		})
	handle(a, h, op("get-project", http.MethodGet, "/{id}", "One project", http.StatusOK),
		about(a.findProject, func(_ context.Context, p chats.Project, _ *ProjectPath) (chatProject, error) {
			return projectOut(p), nil
		}))
	change := op("update-project", http.MethodPatch, "/{id}", "Change a project", http.StatusOK)
	change.Description = "What is absent stays as it is; null takes away."
	handle(a, h, change, about(a.findProject, a.patchProject))
	remove := op("delete-project", http.MethodDelete, "/{id}", "Dissolve a project", http.StatusNoContent)
	remove.Description = "Its sessions stay, and share nothing any more. Its summaries go."
	handleEmpty(a, h, remove, about(a.findProject, func(ctx context.Context, p chats.Project, _ *ProjectPath) (none, error) {
		return none{}, a.Chat.DissolveProject(ctx, p.ID)
	}))
}

func (a *api) listProjects(ctx context.Context, in *projectsQuery) (page[chatProject], error) {
	after, err := readIDCursor(in.Cursor)
	if err != nil {
		return page[chatProject]{}, err
	}
	rows, err := a.Store.ChatProjects(ctx, after, in.Limit+1)
	return paged(rows, in.Limit, func(p chats.Project) string { return p.ID.String() }, projectOut), err
}

type patchProjectIn struct {
	ProjectPath

	Body chatProjectPatch
}

func (a *api) patchProject(ctx context.Context, p chats.Project, in *patchProjectIn) (chatProject, error) {
	change := chats.ProjectChange{
		Name: trimmed(in.Body.Name), Description: trimmed(in.Body.Description),
		SetPrompt: in.Body.SystemPrompt.sent, SystemPrompt: filled(in.Body.SystemPrompt.value),
	}
	if change.Name != nil && *change.Name == "" {
		return chatProject{}, invalid("body.name", "must not be blank")
	}
	now, err := a.Store.ChangeChatProject(ctx, p.ID, change)
	return projectOut(now), err
}

// findProject returns a project, or an error that is [store.ErrNotFound].
func (a *api) findProject(ctx context.Context, id string) (chats.Project, error) {
	pid, err := uuid.Parse(id)
	if err != nil {
		return chats.Project{}, fmt.Errorf("project id: %w", store.ErrNotFound)
	}
	return a.Store.ChatProject(ctx, pid)
}

// filled returns a pointer to text without surrounding space, or nil if it is blank.
func filled(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

func projectOut(p chats.Project) chatProject {
	return chatProject{
		ID: p.ID.String(), Name: p.Name, Description: p.Description, SystemPrompt: p.SystemPrompt,
		CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
}
