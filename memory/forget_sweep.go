package memory

import (
	"context"
	"errors"
	"time"

	"github.com/naiber/naiber/store"
)

// ForgetPerson is for [store.Store.OnDelete]: it has the vectors of a person
// deleted who is about to be deleted.
func (s *Service) ForgetPerson(ctx context.Context, tx store.Tx, person store.PersonID) (func(context.Context), error) {
	if err := s.cfg.Store.LockMemory(ctx, tx, person.UUID); err != nil {
		return nil, err
	}
	if err := s.cfg.Store.AskErasure(ctx, tx, person); err != nil {
		return nil, err
	}
	return func(ctx context.Context) { s.forgot(ctx, person) }, nil
}

// Sweep forgets what anybody said before a moment: the retention. It returns how
// many turns went. It may stop at any moment and be called again.
func (s *Service) Sweep(ctx context.Context, before time.Time) (int, error) {
	const people = 100
	turns := 0
	for {
		some, err := s.cfg.Store.PeopleRememberedBefore(ctx, before, people)
		if err != nil {
			return turns, err
		}
		for _, p := range some {
			f, err := s.Forget(ctx, ForgetRequest{Person: p, Before: before, By: "retention"})
			turns += f.Turns
			if err != nil && !errors.Is(err, store.ErrNotFound) { // deleted meanwhile
				return turns, err
			}
		}
		if len(some) < people {
			return turns, nil
		}
	}
}
