package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// catchUpBatch is how many episodes are given to memory between two looks at
// what is left.
const catchUpBatch = 100

// CatchUp gives memory what it lacks of the episodes that were made before a
// time. One that fails does not keep others from it; where a whole batch fails,
// memory is away, and the rest is left for the next time. Its error joins theirs.
func (s *Server) CatchUp(ctx context.Context, before time.Time) error {
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

// remember gives memory one episode, if it may have it. Doing it twice changes
// nothing. Whoever deletes an episode has memory forget it first; one that is
// deleted in between is forgotten here.
func (s *Server) remember(ctx context.Context, id int64) error {
	e, err := s.store.ChatEpisode(ctx, id)
	if errors.Is(err, store.ErrNotFound) || (err == nil && !e.MayKeep) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.cfg.Memory.Remember(ctx, scopeOf(e.SessionID, e.ProjectID, e.PersonID), Episode{
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
		return err // it changed its project: it still waits
	}
	return s.forget(ctx, e.SessionID, id)
}

// forget has memory forget episodes of a session; without ids, all of them.
func (s *Server) forget(ctx context.Context, session uuid.UUID, episodes ...int64) error {
	if s.cfg.Memory == nil {
		return nil
	}
	if err := s.cfg.Memory.Forget(ctx, session, episodes...); err != nil {
		return fmt.Errorf("forget episodes of session %s: %w: %w", session, errMemory, err)
	}
	return nil
}
