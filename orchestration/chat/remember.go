package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/chats"
)

// catchUpBatch is how many pending episodes are read at a time.
const catchUpBatch = 100

// CatchUp passes to memory the episodes created before a time that it has not stored yet. One that
// fails does not keep others from it; if a whole batch fails, memory is unavailable, and the rest
// is left for the next time. It returns all errors joined.
func (s *Channel) CatchUp(ctx context.Context, before time.Time) error {
	if s.cfg.Memory == nil {
		return nil
	}
	var last int64
	var errs []error
	for {
		ids, err := s.store.PendingChatEpisodes(ctx, last, before, catchUpBatch)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		failed := 0
		for _, id := range ids {
			if err := s.remember(ctx, id); err != nil {
				errs = append(errs, err)
				failed++
			}
			if ctx.Err() != nil {
				return errors.Join(errs...)
			}
			last = id
		}
		if len(ids) < catchUpBatch || failed == len(ids) {
			return errors.Join(errs...)
		}
	}
}

// remember passes one episode to memory, if it may be kept. Repeating it changes nothing. The
// deletion of an episode makes memory forget it first; an episode that is deleted in between is
// forgotten here.
func (s *Channel) remember(ctx context.Context, id int64) error {
	e, err := s.store.ChatEpisode(ctx, id)
	if errors.Is(err, store.ErrNotFound) || (err == nil && !e.MayKeep) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.cfg.Memory.Remember(ctx, Scope{e.SessionID, e.ProjectID, e.PersonID}, Episode{
		ID: e.ID, Message: e.Message, Response: e.Response, At: e.CreatedAt,
	})
	if err != nil {
		return fmt.Errorf("remember episode %d: %w", id, err)
	}
	noted, err := s.store.ChatEpisodeRemembered(ctx, id, e.ProjectID)
	if err != nil || noted {
		return err
	}
	if _, err := s.store.ChatEpisode(ctx, id); !errors.Is(err, store.ErrNotFound) {
		return err // it changed its project, and is still pending
	}
	return s.forget(ctx, e.SessionID, id)
}

// forget makes memory forget episodes of a session; without ids, all of them.
func (s *Channel) forget(ctx context.Context, session uuid.UUID, episodes ...int64) error {
	if s.cfg.Memory == nil {
		return nil
	}
	if err := s.cfg.Memory.Forget(ctx, session, episodes...); err != nil {
		return fmt.Errorf("forget episodes of session %s: %w: %w", session, ErrMemory, err)
	}
	return nil
}

// ChangeSession changes a session. If it moves to another project, its part of the memory follows
// in the background.
func (s *Channel) ChangeSession(ctx context.Context, ses chats.Session, change chats.SessionChange) (chats.Session, error) {
	now, err := s.store.ChangeChatSession(ctx, ses.ID, change)
	if err == nil && now.ProjectID != ses.ProjectID {
		s.catchUpSoon("move", ses.ID) //nolint:contextcheck // it outlives the request
	}
	return now, err
}

// DissolveProject deletes a project. Its sessions are kept, and no longer share anything.
func (s *Channel) DissolveProject(ctx context.Context, id uuid.UUID) error {
	if err := s.store.DeleteChatProject(ctx, id); err != nil {
		return err
	}
	s.catchUpSoon("dissolve", id) //nolint:contextcheck // it outlives the request
	return nil
}

// catchUpSoon updates memory after a change, in the background.
func (s *Channel) catchUpSoon(what string, id uuid.UUID) {
	if s.cfg.Memory != nil {
		s.tasks.do(what, id, func(ctx context.Context) error { return s.CatchUp(ctx, time.Now()) })
	}
}

// DeleteSession deletes a session, in memory first: if that fails, nothing else is deleted, and the
// deletion can be retried.
func (s *Channel) DeleteSession(ctx context.Context, externalID string) error {
	ses, err := s.store.ChatSession(ctx, externalID)
	if err != nil {
		return err
	}
	if err := s.forget(ctx, ses.ID); err != nil {
		return err
	}
	return s.store.DeleteChatSession(ctx, ses.ID)
}

// DeleteEpisode deletes an episode, in memory first as in [Channel.DeleteSession].
func (s *Channel) DeleteEpisode(ctx context.Context, id int64) error {
	e, err := s.store.ChatEpisode(ctx, id)
	if err != nil {
		return err
	}
	if err := s.forget(ctx, e.SessionID, e.ID); err != nil {
		return err
	}
	return s.store.DeleteChatEpisode(ctx, e.ID)
}
