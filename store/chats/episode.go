package chats

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Episode is one message of a written conversation with its reply.
type Episode = db.ChatTalk

// EpisodeFilter narrows a list of episodes. Zero fields do not.
type EpisodeFilter struct {
	SessionID uuid.UUID
	ProjectID uuid.UUID
	PersonID  pg.PersonID
	// Before is the episode to continue after: the last of the previous page. A search
	// skips Skip episodes instead.
	Before int64
	Skip   int
	Limit  int
}

// AddChatEpisode stores an episode and returns it with its id and time. If the session's
// person does not consent to being remembered, or the session was deleted, it stores
// nothing and kept is false.
func (s *Store) AddChatEpisode(ctx context.Context, e Episode) (_ Episode, kept bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, may, err := pg.IfAny(s.db.Q.ChatEpisodeInsert(ctx, tx, db.ChatEpisodeInsertParams{
			SessionID: e.SessionID, Message: e.Message, Response: e.Response, Model: e.Model, Finish: e.Finish, Tokens: e.Tokens,
		}))
		if err != nil {
			return err
		}
		if may {
			e.ID, e.CreatedAt, kept = row.ID, row.CreatedAt, true
		}
		return s.db.Q.ChatSessionTouch(ctx, tx, e.SessionID)
	})
	if err != nil {
		return Episode{}, false, pg.WrapErr(err, "keep episode of chat session %s", e.SessionID)
	}
	return e, kept, nil
}

// ChatEpisode returns an episode, or [ErrNotFound].
func (s *Store) ChatEpisode(ctx context.Context, id int64) (Episode, error) {
	return s.db.Q.ChatEpisode(ctx, s.db.Conn, id)
}

// RecentChatEpisodes returns a session's newest episodes, newest first, or none if its
// person does not consent to being remembered.
func (s *Store) RecentChatEpisodes(ctx context.Context, session uuid.UUID, limit int) ([]Episode, error) {
	return s.db.Q.ChatEpisodesRecent(ctx, s.db.Conn, db.ChatEpisodesRecentParams{SessionID: session, MaxRows: limit})
}

// ChatEpisodesAfter returns a session's episodes after the given one, oldest first, under
// the same condition as [Store.RecentChatEpisodes].
func (s *Store) ChatEpisodesAfter(ctx context.Context, session uuid.UUID, after int64, limit int) ([]Episode, error) {
	return s.db.Q.ChatEpisodesAfter(ctx, s.db.Conn, db.ChatEpisodesAfterParams{SessionID: session, AfterID: after, MaxRows: limit})
}

// ChatEpisodes lists episodes, newest first.
func (s *Store) ChatEpisodes(ctx context.Context, f EpisodeFilter) ([]Episode, error) {
	p := db.ChatEpisodesPageParams{SessionID: f.SessionID, ProjectID: f.ProjectID, PersonID: f.PersonID, MaxRows: f.Limit}
	if f.Before > 0 {
		p.BeforeID = &f.Before
	}
	return s.db.Q.ChatEpisodesPage(ctx, s.db.Conn, p)
}

// SearchChatEpisodes finds episodes with any of the words, best first. Stop words alone
// find nothing.
func (s *Store) SearchChatEpisodes(ctx context.Context, words string, f EpisodeFilter) ([]Episode, error) {
	return s.db.Q.ChatEpisodesSearch(ctx, s.db.Conn, db.ChatEpisodesSearchParams{Words: words, SessionID: f.SessionID, ProjectID: f.ProjectID, PersonID: f.PersonID, Skip: f.Skip, MaxRows: f.Limit})
}

// DeleteChatEpisode deletes an episode and the summaries made from it.
func (s *Store) DeleteChatEpisode(ctx context.Context, id int64) error {
	n, err := s.db.Q.ChatEpisodeDelete(ctx, s.db.Conn, id)
	return pg.WrapErr(pg.OrAbsent(n, err), "delete chat episode %d", id)
}

// ChatEpisodeRemembered records that memory holds an episode under a project, zero for
// none. It returns false, and records nothing, if the episode was deleted or its session
// now belongs to another project.
func (s *Store) ChatEpisodeRemembered(ctx context.Context, id int64, project uuid.UUID) (bool, error) {
	return pg.Any(s.db.Q.ChatEpisodeRemembered(ctx, s.db.Conn, db.ChatEpisodeRememberedParams{ID: id, ProjectID: project}))
}

// PendingChatEpisodes lists episodes after the given one, from before a time, that memory
// may hold but does not hold yet, oldest first.
func (s *Store) PendingChatEpisodes(ctx context.Context, after int64, before time.Time, limit int) ([]int64, error) {
	return s.db.Q.ChatEpisodesPending(ctx, s.db.Conn, db.ChatEpisodesPendingParams{AfterID: after, Before: before, MaxRows: limit})
}

// ChatSessionSize returns the number of a session's episodes and an estimate of their
// tokens.
func (s *Store) ChatSessionSize(ctx context.Context, session uuid.UUID) (episodes, tokens int, err error) {
	row, err := s.db.Q.ChatSessionSize(ctx, s.db.Conn, session)
	return row.Episodes, row.Tokens, err
}
