package chat

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
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
	ID     string `path:"id" maxLength:"200" doc:"sessionId"`
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

func (s *Server) episodeRoutes(h huma.API) {
	huma.Register(h, operation("episodes", "list-episodes", http.MethodGet, "/episodes", "Episodes, newest first, or those that hold some words, best first", http.StatusOK), s.listEpisodes)
	remove := operation("episodes", "delete-episode", http.MethodDelete, "/episodes/{id}", "Forget an episode, and the summaries that it went into", http.StatusNoContent)
	remove.Errors = append(remove.Errors, http.StatusServiceUnavailable)
	huma.Register(h, remove, s.deleteEpisode)
}

func (s *Server) history(ctx context.Context, in *historyQuery) (*one[page[chatEpisode]], error) {
	ses, err := s.store.ChatSession(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	f := store.ChatEpisodeFilter{SessionID: ses.ID, Limit: in.Limit + 1}
	if f.Before, err = number64(in.Cursor); err != nil {
		return nil, invalid("query.cursor", "is not a cursor of this list")
	}
	rows, err := s.store.ChatEpisodes(ctx, f)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	return paged(rows, in.Limit, episodeCursor, episodeOut), nil
}

func (s *Server) listEpisodes(ctx context.Context, in *episodesQuery) (*one[page[chatEpisode]], error) {
	f, err := s.episodeFilter(ctx, in)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	cursor, err := number64(in.Cursor)
	if err != nil {
		return nil, invalid("query.cursor", "is not a cursor of this list")
	}
	words := strings.TrimSpace(in.Q)
	if words == "" {
		f.Before = cursor
		rows, err := s.store.ChatEpisodes(ctx, f)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return paged(rows, in.Limit, episodeCursor, episodeOut), nil
	}
	if cursor > maxSkip {
		return nil, invalid("query.cursor", "leads too far; search for other words")
	}
	f.Skip = int(cursor)
	rows, err := s.store.SearchChatEpisodes(ctx, words, f)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	next := strconv.Itoa(f.Skip + in.Limit)
	return paged(rows, in.Limit, func(store.ChatEpisode) string { return next }, episodeOut), nil
}

// maxSkip bounds how far a search is read: what is passed over is found anew each time.
const maxSkip = 10_000

func (s *Server) episodeFilter(ctx context.Context, in *episodesQuery) (f store.ChatEpisodeFilter, err error) {
	f.Limit = in.Limit + 1
	if f.PersonID, err = s.knownPerson(ctx, in.UserID); err != nil {
		return f, err
	}
	if f.ProjectID, err = s.projectOf(ctx, in.ProjectID, "query.projectId"); err != nil {
		return f, err
	}
	if in.SessionID != "" {
		ses, err := s.store.ChatSession(ctx, in.SessionID)
		if err != nil {
			return f, err
		}
		f.SessionID = ses.ID
	}
	return f, nil
}

func (s *Server) deleteEpisode(ctx context.Context, in *struct {
	ID int64 `path:"id" minimum:"1" doc:"episodeId"`
},
) (*struct{}, error) {
	e, err := s.store.ChatEpisode(ctx, in.ID)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	if err := s.forget(ctx, e.SessionID, e.ID); err != nil { // first: if it fails, nothing is deleted
		return nil, s.problem(ctx, err)
	}
	return nil, s.problem(ctx, s.store.DeleteChatEpisode(ctx, e.ID))
}

func episodeCursor(e store.ChatEpisode) string { return strconv.FormatInt(e.ID, 10) }

// number64 reads a cursor that is a number; 0 for none.
func number64(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(cursor, 10, 64)
	if err == nil && n <= 0 {
		err = strconv.ErrRange
	}
	return n, err
}

func episodeOut(e store.ChatEpisode) chatEpisode {
	return chatEpisode{
		ID: e.ID, SessionID: e.ExternalID, Message: e.Message, Response: e.Response, Model: e.Model, FinishReason: e.Finish,
		Tokens: e.Tokens, CreatedAt: e.CreatedAt.UTC(),
	}
}
