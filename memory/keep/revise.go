package keep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// Refresh rebuilds the windows that turns are in, after a change to what was learned from
// them. It must run in the transaction that made the change.
func (k *Keeper) Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error {
	seen, err := k.Lock(ctx, tx, turns, func(memories.Turn) bool { return true })
	if err == nil {
		_, err = k.RebuildAll(ctx, tx, seen)
	}
	if err != nil {
		return fmt.Errorf("refresh windows of %d turns: %w", len(turns), err)
	}
	return nil
}

// Move makes what was said in a session visible to another project, or to none if project
// is zero. If that is the case already, the cost does not depend on the length of the
// session.
func (k *Keeper) Move(ctx context.Context, session, project uuid.UUID) error {
	db := k.cfg.Store
	return db.InTx(ctx, func(tx store.Tx) error {
		elsewhere, err := db.MemorySessionElsewhere(ctx, tx, session, project)
		if err != nil || !elsewhere {
			return err
		}
		scopes, err := db.MemoryScopesOf(ctx, tx, memories.Scope{Session: session})
		if err == nil {
			err = k.LockAll(ctx, tx, append(scopes, memories.Scope{Session: session, Project: project}))
		}
		if err != nil {
			return err
		}
		return db.MoveMemorySession(ctx, tx, session, project)
	})
}

// List returns the turns that a scope sees, newest first, at most limit turns before the
// given one; a zero turn starts with the newest. It leaves out the turns of people who do
// not consent.
func (k *Keeper) List(ctx context.Context, in memories.Scope, before memories.Turn, limit int) ([]memories.Turn, error) {
	if in.Empty() {
		return nil, fmt.Errorf("list memories: %w", memory.ErrEmptyScope)
	}
	at, id := before.At, before.ID
	if at.IsZero() {
		at, id = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	}
	turns, err := k.cfg.Store.MemoryTurnsOf(ctx, in, at, id, min(max(limit, 1), maxListed))
	if err != nil {
		return nil, err
	}
	allowed := map[store.PersonID]bool{{}: true}
	for _, t := range turns {
		if _, asked := allowed[t.Scope.Person]; asked {
			continue
		}
		scopes, err := k.cfg.Store.ConsentScopes(ctx, t.Scope.Person)
		if err != nil {
			return nil, err
		}
		allowed[t.Scope.Person] = scopes[people.ScopeMemory]
	}
	return slices.DeleteFunc(turns, func(t memories.Turn) bool { return !allowed[t.Scope.Person] }), nil
}

// Lock locks the owners of the turns that want accepts, then reads and locks these turns.
func (k *Keeper) Lock(ctx context.Context, tx store.Tx, ids []uuid.UUID, want func(memories.Turn) bool) ([]memories.Turn, error) {
	found, err := k.cfg.Store.MemoryTurns(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(t memories.Turn) bool { return !want(t) })
	if err := k.LockAll(ctx, tx, scopesOf(found)); err != nil {
		return nil, err
	}
	found, err = k.cfg.Store.LockMemoryTurns(ctx, tx, ids)
	return slices.DeleteFunc(found, func(t memories.Turn) bool { return !want(t) }), err
}

// LockAll locks all owners in scopes, since the scopes of a project share its word counts.
// To avoid deadlocks, the order is always the same: people, then sessions, then projects.
func (k *Keeper) LockAll(ctx context.Context, tx store.Tx, scopes []memories.Scope) error {
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
			if err := k.cfg.Store.LockMemory(ctx, tx, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

func scopesOf(turns []memories.Turn) []memories.Scope {
	scopes := make([]memories.Scope, len(turns))
	for i, t := range turns {
		scopes[i] = t.Scope
	}
	return scopes
}

// RebuildAll rebuilds the windows that turns are or were in, and returns the ids of those
// that may have changed.
func (k *Keeper) RebuildAll(ctx context.Context, tx store.Tx, turns []memories.Turn) ([]uuid.UUID, error) {
	var changed []uuid.UUID
	byPerson := map[store.PersonID]stretches{}
	for _, t := range turns {
		if byPerson[t.Scope.Person] == nil {
			byPerson[t.Scope.Person] = stretches{}
		}
		byPerson[t.Scope.Person].add(t)
	}
	for person, touched := range byPerson {
		frame, err := k.cfg.Store.FrameOf(ctx, tx, person)
		if err != nil {
			return nil, err
		}
		windows, err := k.rebuild(ctx, tx, frame, touched)
		if err != nil {
			return nil, err
		}
		changed = append(changed, windows...)
	}
	return changed, nil
}
