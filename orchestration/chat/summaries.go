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
	"github.com/naiber/naiber/store/quoted"
)

// projectSessions bounds how many sessions an overview or a summary of a project
// looks at, those last spoken in first.
const projectSessions = 200

// projectRecent is how many episodes of a session without a summary go into that
// of its project.
const projectRecent = 10

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

func (s *Server) summaryRoutes(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("summaries", id, method, "/summaries"+path, summary, success)
	}
	huma.Register(h, op("session-summaries", http.MethodGet, "/session/{id}", "Summaries of a session", http.StatusOK),
		func(ctx context.Context, in *sessionPath) (*one[chatSummaries], error) {
			ses, err := s.store.ChatSession(ctx, in.ID)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			rows, err := s.store.ChatSessionSummaries(ctx, ses.ID, summariesShown)
			return answer(summariesOut(rows)), s.problem(ctx, err)
		})
	huma.Register(h, op("project-summaries", http.MethodGet, "/project/{id}", "Summaries of a project", http.StatusOK),
		func(ctx context.Context, in *projectPath) (*one[chatSummaries], error) {
			p, err := s.findProject(ctx, in.ID)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			rows, err := s.store.ChatProjectSummaries(ctx, p.ID, summariesShown)
			return answer(summariesOut(rows)), s.problem(ctx, err)
		})
	huma.Register(h, op("project-overview", http.MethodGet, "/project/{id}/overview", "A project with its sessions and what they came to", http.StatusOK), s.overview)
	generate := asksModel(op("generate-project-summary", http.MethodPost, "/project/{id}/generate", "Sum a project up now", http.StatusCreated))
	generate.Errors = append(generate.Errors, http.StatusConflict)
	generate.Description = "From the summaries of its sessions and, where one has none, what was said in it last. 422 where nothing was said."
	huma.Register(h, generate, func(ctx context.Context, in *projectPath) (*one[chatSummary], error) {
		sum, err := s.generate(ctx, in.ID)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return answer(summaryOut(sum)), nil
	})
}

// summariesShown is as many as are kept.
const summariesShown = 20

func (s *Server) overview(ctx context.Context, in *projectPath) (*one[chatOverview], error) {
	p, err := s.findProject(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	rows, err := s.store.ChatProjectSessions(ctx, p.ID, projectSessions)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	sums, err := s.store.ChatProjectSummaries(ctx, p.ID, 1)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	out := chatOverview{Project: projectOut(p), Sessions: make([]chatOverviewSession, len(rows))}
	for i, r := range rows {
		out.Sessions[i] = chatOverviewSession{chatSession: sessionOut(r.ChatSession), Episodes: r.Episodes, Summary: r.Summary.Text}
		out.Episodes += r.Episodes
	}
	if len(sums) > 0 {
		sum := summaryOut(sums[0])
		out.Summary = &sum
	}
	return answer(out), nil
}

// errNothingSaid says that a project has nothing to sum up.
var errNothingSaid = huma.Error422UnprocessableEntity("Nothing was said in this project that could be summed up.")

// generate sums a project up, from those of its sessions that may be recalled.
func (s *Server) generate(ctx context.Context, id string) (store.ChatSummary, error) {
	p, err := s.findProject(ctx, id)
	if err != nil {
		return store.ChatSummary{}, err
	}
	sessions, err := s.store.ChatProjectSessions(ctx, p.ID, projectSessions)
	if err != nil {
		return store.ChatSummary{}, err
	}
	d := digest{sum: store.ChatSummary{ProjectID: p.ID}}
	for _, ses := range sessions {
		if !ses.Recallable || ses.Episodes == 0 {
			continue
		}
		var recent []store.ChatEpisode
		if ses.Summary.ID == uuid.Nil {
			if recent, err = s.store.RecentChatEpisodes(ctx, ses.ID, projectRecent); err != nil {
				return store.ChatSummary{}, err
			}
		}
		where := time.UTC
		if len(recent) > 0 {
			frame, err := s.frame(ctx, recent[0].PersonID)
			if err != nil {
				return store.ChatSummary{}, err
			}
			where = frame.Location
		}
		if !d.add(ses, recent, where) {
			break
		}
	}
	if d.text.Len() == 0 {
		return store.ChatSummary{}, errNothingSaid
	}
	res, err := s.ask(ctx, overviewPrompt, d.text.String())
	if err != nil {
		return store.ChatSummary{}, fmt.Errorf("sum up project %s: %w", p.ID, err)
	}
	d.sum.Text, d.sum.Tokens, d.sum.Model = res.Text, tokens(res.Text), res.Model
	return s.store.AddChatSummary(ctx, d.sum, d.from)
}

// digest gathers what a project's summary is made from.
type digest struct {
	sum  store.ChatSummary
	from store.ChatSources
	text strings.Builder
}

// add adds a session, by its summary or else by its recent episodes, newest
// first, with the days of where. It reports false, and adds nothing, when there
// is no more room.
func (d *digest) add(ses store.ChatProjectSession, recent []store.ChatEpisode, where *time.Location) bool {
	var b strings.Builder
	b.WriteString("Conversation")
	if ses.Name != "" {
		b.WriteString(" " + quoted.Fence(ses.Name))
	}
	b.WriteString(":\n")
	first, last := ses.Summary.From, ses.Summary.To
	if ses.Summary.ID != uuid.Nil {
		b.WriteString(quoted.Fence(ses.Summary.Text) + "\n\n")
	} else {
		recent = fitting(recent, summaryInput/4)
		for i := range recent {
			b.WriteString(record(recent[len(recent)-1-i], where))
		}
		if len(recent) == 0 {
			return true // deleted meanwhile
		}
		b.WriteString("\n")
		first, last = recent[len(recent)-1].ID, recent[0].ID
	}
	if d.text.Len() > 0 && d.text.Len()+b.Len() > summaryInput {
		return false
	}
	d.text.WriteString(b.String())
	d.from.Sessions = append(d.from.Sessions, ses.ID)
	if ses.Summary.ID != uuid.Nil {
		d.from.Summaries = append(d.from.Summaries, ses.Summary.ID)
	}
	for _, e := range recent {
		d.from.Episodes = append(d.from.Episodes, e.ID)
	}
	if d.sum.From == 0 || first < d.sum.From {
		d.sum.From = first
	}
	d.sum.To = max(d.sum.To, last)
	return true
}

func summariesOut(rows []store.ChatSummary) chatSummaries {
	out := chatSummaries{Items: make([]chatSummary, len(rows))}
	for i, m := range rows {
		out.Items[i] = summaryOut(m)
	}
	return out
}

func summaryOut(m store.ChatSummary) chatSummary {
	return chatSummary{
		ID: m.ID.String(), Text: m.Text, Tokens: m.Tokens, EpisodeRange: m.Range(), Model: m.Model, CreatedAt: m.CreatedAt.UTC(),
	}
}
