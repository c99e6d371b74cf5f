package forget

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/memories"
)

// Delete forgets turns: their words, full text and vectors, and what was learned from them
// alone. It rebuilds the windows around them. [Forgetter.Forget] reaches further. It
// returns the number of deleted turns; turns outside the scope are left alone. A vector
// that cannot be deleted now stays in the queue until it can; meanwhile no search returns
// it.
func (s *Forgetter) Delete(ctx context.Context, in memories.Scope, ids ...uuid.UUID) (int, error) {
	if in.Empty() {
		return 0, fmt.Errorf("forget %d turns: %w", len(ids), memory.ErrEmptyScope)
	}
	var turns []memories.Turn
	var changed []uuid.UUID
	err := s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		var err error
		var gone memories.ForgottenFrom
		if turns, gone, changed, err = s.deleteTurns(ctx, tx, in, ids); err != nil {
			return err
		}
		return s.tell(ctx, tx, turns, gone.Facts)
	})
	if err != nil {
		return 0, fmt.Errorf("forget %d turns: %w", len(ids), err)
	}
	s.cfg.Index.Soon(ctx, changed)
	return len(turns), nil
}

// tell makes all processes reread what is known of the people who said turns, and forgets
// the discussions about them that used facts. People are locked first, always in the same
// order.
func (s *Forgetter) tell(ctx context.Context, tx store.Tx, turns []memories.Turn, facts []uuid.UUID) error {
	var people []uuid.UUID
	for _, t := range turns {
		if t.Scope.Person.Known() { // whichever scope matched the turn
			people = append(people, t.Scope.Person.UUID)
		}
	}
	for _, id := range memory.Unique(people) {
		person := store.PersonID{UUID: id}
		if err := s.cfg.Store.TouchPerson(ctx, tx, person); err != nil {
			return err
		}
		if _, err := s.cfg.Store.ForgetDiscussions(ctx, tx, discussions.Forgetting{Person: person, Sources: facts}); err != nil {
			return err
		}
	}
	return nil
}

// deleteTurns deletes the turns that a scope sees, with what was learned from them alone.
// It returns the turns, what was forgotten with them, and the windows whose vectors must be
// updated.
func (s *Forgetter) deleteTurns(ctx context.Context, tx store.Tx, in memories.Scope, ids []uuid.UUID) ([]memories.Turn, memories.ForgottenFrom, []uuid.UUID, error) {
	var none memories.ForgottenFrom
	seen, err := s.cfg.Keeper.Lock(ctx, tx, ids, func(t memories.Turn) bool { return sees(in, t.Scope) })
	if err != nil || len(seen) == 0 {
		return nil, none, nil, err
	}
	gone := make([]uuid.UUID, len(seen))
	var owners []uuid.UUID
	since := seen[0].At
	for i, t := range seen {
		gone[i] = t.ID
		owners = append(owners, t.Scope.Owners()...)
		if t.At.Before(since) {
			since = t.At
		}
	}
	frame, err := s.cfg.Store.FrameOf(ctx, tx, in.Person)
	if err != nil {
		return nil, none, nil, err
	}
	lost, err := s.cfg.Store.ForgetFromTurns(ctx, tx, frame.Config, memory.Unique(owners), gone, since)
	if err != nil {
		return nil, none, nil, err
	}
	// All windows at once: one by one with their turns takes far longer.
	if err := s.cfg.Store.DeleteMemoryWindows(ctx, tx, gone); err != nil {
		return nil, none, nil, err
	}
	if err := s.cfg.Store.DeleteMemoryTurns(ctx, tx, gone); err != nil {
		return nil, none, nil, err
	}
	// The windows of the remaining turns must be rebuilt without the facts that were
	// deleted.
	left, err := s.cfg.Store.LockMemoryTurns(ctx, tx, lost.Sources)
	if err != nil {
		return nil, none, nil, err
	}
	changed, err := s.cfg.Keeper.RebuildAll(ctx, tx, append(left, seen...))
	return seen, lost, append(changed, gone...), err
}

// sees reports whether a scope, as a filter, includes what owner owns.
func sees(in, owner memories.Scope) bool {
	return slices.ContainsFunc(in.Owners(), func(id uuid.UUID) bool { return slices.Contains(owner.Owners(), id) })
}
