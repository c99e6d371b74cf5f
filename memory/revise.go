package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

// Delete forgets turns, word for word, full text and vectors, what was learned
// from them and does not stand without them, and makes the windows around them
// anew. [Service.Forget] reaches further. It returns how many there were; turns that the scope
// does not see are not touched. A vector that cannot be deleted now stays in the
// queue until it is; no search returns it meanwhile.
func (s *Service) Delete(ctx context.Context, in Scope, ids ...uuid.UUID) (int, error) {
	if in.Empty() {
		return 0, fmt.Errorf("forget %d turns: %w", len(ids), ErrEmptyScope)
	}
	var n int
	var changed []uuid.UUID
	err := s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		var err error
		n, changed, err = s.DeleteTx(ctx, tx, in, ids...)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("forget %d turns: %w", len(ids), err)
	}
	s.indexSoon(ctx, changed)
	return n, nil
}

// DeleteTx is [Service.Delete] inside tx. It returns as well the windows whose
// vectors are to be brought in line, which [Service.IndexPending] does.
func (s *Service) DeleteTx(ctx context.Context, tx store.Tx, in Scope, ids ...uuid.UUID) (int, []uuid.UUID, error) {
	n, _, changed, err := s.deleteTurns(ctx, tx, in, ids)
	return n, changed, err
}

// Refresh makes the windows anew that turns are in: what was learned from them
// has changed. It belongs into the transaction that changed it.
func (s *Service) Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error {
	seen, err := s.lock(ctx, tx, turns, func(Turn) bool { return true })
	if err == nil {
		_, err = s.rebuildAll(ctx, tx, seen)
	}
	if err != nil {
		return fmt.Errorf("refresh windows of %d turns: %w", len(turns), err)
	}
	return nil
}

// Move has what was said in a session seen by another project, or by none where
// project is zero. Where that is so already, it costs the same however long the
// session is.
func (s *Service) Move(ctx context.Context, session, project uuid.UUID) error {
	db := s.cfg.Store
	return db.InTx(ctx, func(tx store.Tx) error {
		elsewhere, err := db.MemorySessionElsewhere(ctx, tx, session, project)
		if err != nil || !elsewhere {
			return err
		}
		scopes, err := db.MemoryScopesOf(ctx, tx, Scope{Session: session})
		if err == nil {
			err = s.lockAll(ctx, tx, append(scopes, Scope{Session: session, Project: project}))
		}
		if err != nil {
			return err
		}
		return db.MoveMemorySession(ctx, tx, session, project)
	})
}

// List returns what a scope sees, newest first, at most limit turns from before
// the given one on; a zero turn begins with the newest. It returns nothing of
// people who do not consent.
func (s *Service) List(ctx context.Context, in Scope, before Turn, limit int) ([]Turn, error) {
	if in.Empty() {
		return nil, fmt.Errorf("list memories: %w", ErrEmptyScope)
	}
	at, id := before.At, before.ID
	if at.IsZero() {
		at, id = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	}
	turns, err := s.cfg.Store.MemoryTurnsOf(ctx, in, at, id, min(max(limit, 1), maxCandidates))
	if err != nil {
		return nil, err
	}
	allowed := map[store.PersonID]bool{{}: true}
	for _, t := range turns {
		if _, asked := allowed[t.Scope.Person]; asked {
			continue
		}
		scopes, err := s.cfg.Store.ConsentScopes(ctx, t.Scope.Person)
		if err != nil {
			return nil, err
		}
		allowed[t.Scope.Person] = scopes[people.ScopeMemory]
	}
	return slices.DeleteFunc(turns, func(t Turn) bool { return !allowed[t.Scope.Person] }), nil
}

// lock takes the locks of the owners of turns, then reads the turns.
func (s *Service) lock(ctx context.Context, tx store.Tx, ids []uuid.UUID, want func(Turn) bool) ([]Turn, error) {
	found, err := s.cfg.Store.MemoryTurns(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(t Turn) bool { return !want(t) })
	if err := s.lockAll(ctx, tx, scopesOf(found)); err != nil {
		return nil, err
	}
	found, err = s.cfg.Store.LockMemoryTurns(ctx, tx, ids)
	return slices.DeleteFunc(found, func(t Turn) bool { return !want(t) }), err
}

// lockAll takes the locks of all owners in scopes: those who share a project
// count its words together. Everybody takes them in one order, people first, then
// sessions, then projects, so that nobody waits in a circle.
func (s *Service) lockAll(ctx context.Context, tx store.Tx, scopes []Scope) error {
	var people, sessions, projects []uuid.UUID
	for _, in := range scopes {
		people, sessions, projects = append(people, in.Person.UUID), append(sessions, in.Session), append(projects, in.Project)
	}
	for _, owners := range [][]uuid.UUID{people, sessions, projects} {
		slices.SortFunc(owners, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		for _, owner := range slices.Compact(owners) {
			if owner == uuid.Nil {
				continue
			}
			if err := s.cfg.Store.LockMemory(ctx, tx, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

func scopesOf(turns []Turn) []Scope {
	scopes := make([]Scope, len(turns))
	for i, t := range turns {
		scopes[i] = t.Scope
	}
	return scopes
}

// rebuildAll makes the windows anew that turns are or were in.
func (s *Service) rebuildAll(ctx context.Context, tx store.Tx, turns []Turn) ([]uuid.UUID, error) {
	var changed []uuid.UUID
	byPerson := map[store.PersonID]stretches{}
	for _, t := range turns {
		if byPerson[t.Scope.Person] == nil {
			byPerson[t.Scope.Person] = stretches{}
		}
		byPerson[t.Scope.Person].add(t)
	}
	for person, touched := range byPerson {
		frame, err := s.cfg.Store.FrameOf(ctx, tx, person)
		if err != nil {
			return nil, err
		}
		windows, err := s.rebuild(ctx, tx, frame, touched)
		if err != nil {
			return nil, err
		}
		changed = append(changed, windows...)
	}
	return changed, nil
}

// sees reports whether a scope, as a filter, finds what owner owns.
func sees(in, owner Scope) bool {
	for _, a := range in.Owners() {
		if slices.Contains(owner.Owners(), a) {
			return true
		}
	}
	return false
}
