package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store/chats"
)

type chatSummary struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Tokens       int       `json:"tokens" doc:"An estimate"`
	EpisodeRange string    `json:"episodeRange" doc:"The first and last episode that it covers, as \"3-17\""`
	Model        string    `json:"model"`
	CreatedAt    time.Time `json:"createdAt"`
}

type chatSummaries struct {
	Items []chatSummary `json:"items" doc:"Newest first"`
}

type chatOverview struct {
	Project  chatProject           `json:"project"`
	Sessions []chatOverviewSession `json:"sessions" doc:"The one last spoken in first, at most 200"`
	Episodes int                   `json:"episodes"`
	Summary  *chatSummary          `json:"summary,omitempty" doc:"The newest one of the project"`
}

type chatOverviewSession struct {
	chatSession

	Episodes int    `json:"episodes"`
	Summary  string `json:"summary,omitempty" doc:"The newest one of the session"`
}

func (a *api) chatSummaries(h huma.API) {
	op := underChat("summaries", "/summaries")
	handle(a, h, op("session-summaries", http.MethodGet, "/session/{id}", "Summaries of a session", http.StatusOK),
		about(a.findSession, func(ctx context.Context, ses chats.Session, _ *SessionPath) (chatSummaries, error) {
			rows, err := a.Store.ChatSessionSummaries(ctx, ses.ID, summariesShown)
			return chatSummaries{each(rows, summaryOut)}, err
		}))
	handle(a, h, op("project-summaries", http.MethodGet, "/project/{id}", "Summaries of a project", http.StatusOK),
		about(a.findProject, func(ctx context.Context, p chats.Project, _ *ProjectPath) (chatSummaries, error) {
			rows, err := a.Store.ChatProjectSummaries(ctx, p.ID, summariesShown)
			return chatSummaries{each(rows, summaryOut)}, err
		}))
	handle(a, h, op("project-overview", http.MethodGet, "/project/{id}/overview", "A project with its sessions and what they came to", http.StatusOK), about(a.findProject, a.overview))
	generate := op("generate-project-summary", http.MethodPost, "/project/{id}/generate", "Sum a project up now", http.StatusCreated, append(slices.Clone(slow), http.StatusConflict)...)
	generate.Description = "From the summaries of its sessions and, where one has none, what was said in it last. 422 where nothing was said."
	handle(a, h, generate, about(a.findProject, func(ctx context.Context, p chats.Project, _ *ProjectPath) (chatSummary, error) {
		sum, err := a.Chat.SummariseProject(ctx, p.ID)
		return summaryOut(sum), err
	}))
}

// summariesShown is how many summaries are shown: all that are kept.
const summariesShown = 20

func (a *api) overview(ctx context.Context, p chats.Project, _ *ProjectPath) (chatOverview, error) {
	rows, err := a.Store.ChatProjectSessions(ctx, p.ID, chat.ProjectSessions)
	if err != nil {
		return chatOverview{}, err
	}
	sums, err := a.Store.ChatProjectSummaries(ctx, p.ID, 1)
	if err != nil {
		return chatOverview{}, err
	}
	out := chatOverview{Project: projectOut(p), Sessions: make([]chatOverviewSession, len(rows))}
	for i, r := range rows {
		out.Sessions[i] = chatOverviewSession{chatSession: sessionOut(r.Session), Episodes: r.Episodes, Summary: r.Summary.Text}
		out.Episodes += r.Episodes
	}
	if len(sums) > 0 {
		sum := summaryOut(sums[0])
		out.Summary = &sum
	}
	return out, nil
}

func summaryOut(m chats.Summary) chatSummary {
	return chatSummary{
		ID: m.ID.String(), Text: m.Text, Tokens: m.Tokens, EpisodeRange: m.Range(), Model: m.Model, CreatedAt: m.CreatedAt.UTC(),
	}
}
