package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/chats"
)

type chatEpisode struct {
	ID           int64     `json:"id" doc:"episodeId"`
	SessionID    string    `json:"sessionId"`
	Message      string    `json:"message"`
	Response     string    `json:"response"`
	Model        string    `json:"model"`
	FinishReason string    `json:"finishReason" doc:"stop, length, broken, or interrupted where the reader left"`
	Tokens       int       `json:"tokens" doc:"An estimate for both"`
	CreatedAt    time.Time `json:"createdAt"`
}

type historyQuery struct {
	SessionPath

	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

type episodesQuery struct {
	Q         string `query:"q" maxLength:"1000" doc:"Words to look for: any of them, in any form; best first"`
	SessionID string `query:"sessionId"`
	ProjectID string `query:"projectId"`
	UserID    string `query:"userId"`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor    string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) chatEpisodes(h huma.API) {
	op := underChat("episodes", "/episodes")
	handle(a, h, op("list-episodes", http.MethodGet, "", "Episodes, newest first, or those that hold some words, best first", http.StatusOK), a.listEpisodes)
	remove := op("delete-episode", http.MethodDelete, "/{id}", "Forget an episode, and the summaries that it went into", http.StatusNoContent, http.StatusServiceUnavailable)
	handleEmpty(a, h, remove, func(ctx context.Context, in *episodePath) (none, error) {
		return none{}, a.Chat.DeleteEpisode(ctx, in.ID)
	})
}

type episodePath struct {
	ID int64 `path:"id" minimum:"1" doc:"episodeId"`
}

func (a *api) history(ctx context.Context, ses chats.Session, in *historyQuery) (page[chatEpisode], error) {
	before, err := readNumberCursor(in.Cursor)
	if err != nil {
		return page[chatEpisode]{}, err
	}
	f := chats.EpisodeFilter{SessionID: ses.ID, Limit: in.Limit + 1, Before: before}
	rows, err := a.Store.ChatEpisodes(ctx, f)
	return paged(rows, in.Limit, episodeCursor, episodeOut), err
}

func (a *api) listEpisodes(ctx context.Context, in *episodesQuery) (page[chatEpisode], error) {
	f, err := a.episodeFilter(ctx, in)
	if err != nil {
		return page[chatEpisode]{}, err
	}
	from, err := readNumberCursor(in.Cursor)
	if err != nil {
		return page[chatEpisode]{}, err
	}
	words := strings.TrimSpace(in.Q)
	if words == "" {
		f.Before = from
		rows, err := a.Store.ChatEpisodes(ctx, f)
		return paged(rows, in.Limit, episodeCursor, episodeOut), err
	}
	if from > maxSkip {
		return page[chatEpisode]{}, invalid("query.cursor", "leads too far; search for other words")
	}
	f.Skip = int(from)
	rows, err := a.Store.SearchChatEpisodes(ctx, words, f)
	next := strconv.Itoa(f.Skip + in.Limit)
	return paged(rows, in.Limit, func(chats.Episode) string { return next }, episodeOut), err
}

// maxSkip bounds how far a search can be paged, since each page searches from the start again.
const maxSkip = 10_000

func (a *api) episodeFilter(ctx context.Context, in *episodesQuery) (f chats.EpisodeFilter, err error) {
	f.Limit = in.Limit + 1
	if f.PersonID, err = a.personOrNobody(ctx, in.UserID); err != nil {
		return f, err
	}
	if f.ProjectID, err = a.projectOrNone(ctx, in.ProjectID, "query.projectId"); err != nil {
		return f, err
	}
	if in.SessionID != "" {
		ses, err := a.Store.ChatSession(ctx, in.SessionID)
		if err != nil {
			return f, err
		}
		f.SessionID = ses.ID
	}
	return f, nil
}

func episodeCursor(e chats.Episode) string { return strconv.FormatInt(e.ID, 10) }

// readNumberCursor parses a cursor that is a number; the empty string gives 0.
func readNumberCursor(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, errCursor
	}
	return n, nil
}

func episodeOut(e chats.Episode) chatEpisode {
	return chatEpisode{
		ID: e.ID, SessionID: e.ExternalID, Message: e.Message, Response: e.Response, Model: e.Model, FinishReason: e.Finish,
		Tokens: e.Tokens, CreatedAt: e.CreatedAt.UTC(),
	}
}
