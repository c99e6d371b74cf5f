package forget

import (
	"context"
	"errors"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// ForgetPerson is meant for [store.Store.OnDelete]. It schedules the deletion of a person's
// vectors inside tx, and returns the function to call after the commit.
func (s *Forgetter) ForgetPerson(ctx context.Context, tx store.Tx, person store.PersonID) (func(context.Context), error) {
	scopes, err := s.cfg.Store.MemoryScopesOf(ctx, tx, memories.Scope{Person: person})
	if err == nil {
		err = s.cfg.Keeper.LockAll(ctx, tx, append(scopes, memories.Scope{Person: person}))
	}
	if err != nil {
		return nil, err
	}
	if err := s.cfg.Store.AskErasure(ctx, tx, person); err != nil {
		return nil, err
	}
	return func(ctx context.Context) { s.forgot(ctx, person) }, nil
}

// Sweep forgets everything said before a time: the retention. It returns the number of
// deleted turns. It may be interrupted at any time and called again.
func (s *Forgetter) Sweep(ctx context.Context, before time.Time) (int, error) {
	people, err := s.sweepPeople(ctx, before)
	if err != nil {
		return people, err
	}
	sessions, err := s.sweepSessions(ctx, before)
	return people + sessions, err
}

func (s *Forgetter) sweepPeople(ctx context.Context, before time.Time) (int, error) {
	const people = 100
	turns := 0
	for {
		some, err := s.cfg.Store.PeopleRememberedBefore(ctx, before, people)
		if err != nil {
			return turns, err
		}
		for _, p := range some {
			f, err := s.Forget(ctx, Request{Person: p, Before: before, By: "retention"})
			turns += f.Turns
			if err != nil && !errors.Is(err, store.ErrNotFound) { // deleted in the meantime
				return turns, err
			}
		}
		if len(some) < people {
			return turns, nil
		}
	}
}

// sweepSessions forgets the turns of sessions that belong to no person. Their episodes go
// first: an episode that is being remembered at the same time is then found to be gone, and
// forgotten.
func (s *Forgetter) sweepSessions(ctx context.Context, before time.Time) (int, error) {
	const batch = 500
	if err := s.cfg.Store.SweepChats(ctx, before); err != nil {
		return 0, err
	}
	if err := s.cfg.Store.SweepRepairs(ctx, before); err != nil {
		return 0, err
	}
	gone := 0
	for {
		turns, err := s.cfg.Store.MemoryTurnsOfNobody(ctx, before, batch)
		if err != nil {
			return gone, err
		}
		for _, group := range memory.ByScope(turns) {
			n, err := s.Delete(ctx, group[0].Scope, memory.IDs(group)...)
			gone += n
			if err != nil {
				return gone, err
			}
		}
		if len(turns) < batch {
			return gone, nil
		}
	}
}
