// Package keep stores what was said, word for word, in windows for search.
package keep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// maxListed is the maximum number of turns that [Keeper.List] returns.
const maxListed = 1000

// Config holds the dependencies of a [Keeper]. All fields are required.
type Config struct {
	Store   *store.Store
	Index   *index.Index
	Metrics *memory.Metrics
}

// Keeper stores turns and the windows around them. It may be used concurrently.
type Keeper struct{ cfg Config }

// New returns a Keeper.
func New(cfg Config) *Keeper { return &Keeper{cfg} }

// Kept reports what happened to turns.
type Kept struct {
	IDs       []uuid.UUID // of all, in the order given; zero for a turn that was left out
	Added     int
	Replaced  int
	Unchanged int
	// Left counts turns that were not kept: about what the person does not want stored, or
	// forgotten without the caller's knowledge.
	Left int
}

// Keep stores turns word for word: all of them, or none and an error. A turn that exists
// already, by its id or its source's key, is replaced if it says something else, and
// otherwise left alone; its place stays. A turn without a place is put after the last of
// its conversation.
//
// It returns an error wrapping [memory.ErrNoConsent] if a turn belongs to a person who does
// not allow being remembered. Turns about a topic that must never be stored are left out,
// and so are the answers to questions about it.
func (k *Keeper) Keep(ctx context.Context, turns []memories.Turn) (Kept, error) {
	ready := make([]memories.Turn, len(turns))
	for i, t := range turns {
		var err error
		if ready[i], err = memory.Prepare(t); err != nil {
			return Kept{}, fmt.Errorf("keep turn %d of %d: %w", i+1, len(turns), err)
		}
	}
	var kept Kept
	var changed []uuid.UUID
	err := k.cfg.Store.InTx(ctx, func(tx store.Tx) (err error) {
		kept, changed, err = k.KeepTx(ctx, tx, ready)
		return err
	})
	if err != nil {
		return Kept{}, fmt.Errorf("keep %d turns: %w", len(turns), err)
	}
	k.cfg.Metrics.Kept.Add(float64(kept.Added + kept.Replaced))
	k.cfg.Index.Soon(ctx, changed)
	return kept, nil
}

// KeepTx stores prepared turns inside tx. It also returns the windows that have changed.
func (k *Keeper) KeepTx(ctx context.Context, tx store.Tx, ready []memories.Turn) (kept Kept, changed []uuid.UUID, err error) {
	if err := k.LockAll(ctx, tx, scopesOf(ready)); err != nil {
		return Kept{}, nil, err
	}
	left := map[uuid.UUID]bool{}
	for _, group := range memory.ByScope(ready) {
		w := keeping{Keeper: k, tx: tx, in: group[0].Scope, kept: &kept, left: left}
		windows, err := w.keep(ctx, group)
		if err != nil {
			return Kept{}, nil, err
		}
		changed = append(changed, windows...)
	}
	for _, t := range ready {
		id := t.ID
		if left[id] {
			id = uuid.Nil
		}
		kept.IDs = append(kept.IDs, id)
	}
	return kept, changed, nil
}

// keeping stores turns of one scope in one transaction.
type keeping struct {
	*Keeper
	tx   store.Tx
	in   memories.Scope
	kept *Kept
	left map[uuid.UUID]bool // turns that were left out
}

// keep stores the turns and returns the windows that have changed.
func (w keeping) keep(ctx context.Context, turns []memories.Turn) ([]uuid.UUID, error) {
	frame, err := w.cfg.Store.FrameOf(ctx, w.tx, w.in.Person)
	if err != nil {
		return nil, err
	}
	if !frame.Consented {
		return nil, fmt.Errorf("remember %s: %w", w.in.Person, memory.ErrNoConsent)
	}
	for i, t := range turns {
		if t.Name == "" && t.Speaker == calls.RoleUser {
			turns[i].Name = frame.Name
		}
		if t.Name == "" && t.Speaker == calls.RoleAssistant {
			turns[i].Name = memory.AssistantName
		}
	}
	if turns, err = w.allowed(ctx, frame, turns); err != nil {
		return nil, err
	}
	if turns, err = w.withoutTombstones(ctx, turns); err != nil {
		return nil, err
	}
	touched, err := w.write(ctx, turns)
	if err != nil {
		return nil, err
	}
	return w.rebuild(ctx, w.tx, frame, touched)
}

// allowed leaves out what the person does not want stored.
func (w keeping) allowed(ctx context.Context, frame memories.Frame, turns []memories.Turn) ([]memories.Turn, error) {
	if !w.in.Person.Known() {
		return turns, nil
	}
	topics, err := w.cfg.Store.MemoryLimitTopics(ctx, w.tx, []store.PersonID{w.in.Person}, time.Now(), memories.NeverStore)
	if err != nil || len(topics) == 0 {
		return turns, err
	}
	texts := make([]string, len(turns))
	for i, t := range turns {
		texts[i] = t.Text
	}
	met, err := w.cfg.Store.MatchTopics(ctx, w.tx, frame.Config, texts, topics)
	if err != nil {
		return nil, err
	}
	var keep []memories.Turn
	for i, t := range turns {
		if met[i] || i > 0 && met[i-1] && memory.Answers(t, turns[i-1]) {
			w.kept.Left++
			w.left[t.ID] = true
			continue
		}
		keep = append(keep, t)
	}
	return keep, nil
}

// withoutTombstones leaves out turns of calls and chats that were forgotten. A turn from
// another source stays, even if it was forgotten.
func (w keeping) withoutTombstones(ctx context.Context, turns []memories.Turn) ([]memories.Turn, error) {
	var ids []uuid.UUID
	for _, t := range turns {
		if t.Source == memories.FromCall || t.Source == memories.FromChat {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return turns, nil
	}
	tombstones, err := w.cfg.Store.MemoryTombstones(ctx, w.tx, ids)
	if err != nil || len(tombstones) == 0 {
		return turns, err
	}
	return slices.DeleteFunc(turns, func(t memories.Turn) bool {
		gone := slices.Contains(tombstones, t.ID)
		if gone {
			w.kept.Left++
			w.left[t.ID] = true
		}
		return gone
	}), nil
}
