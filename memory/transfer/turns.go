package transfer

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// flush stores the turns read so far. If they cannot be stored together, it stores them one
// by one to find the line to blame.
func (im *importer) flush(ctx context.Context) error {
	turns := im.turns
	im.turns = nil
	if len(turns) == 0 {
		return nil
	}
	turns, err := im.unforgotten(ctx, turns)
	if err != nil {
		return err
	}
	if err := im.bind(ctx, turns); err != nil {
		return err
	}
	err = im.keep(ctx, turns...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, t := range turns {
		if err := im.keep(ctx, t); err != nil {
			if ctx.Err() != nil {
				return err
			}
			if err := im.bad(t.line, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *importer) keep(ctx context.Context, turns ...numbered[memories.Turn]) error {
	ready := make([]memories.Turn, len(turns))
	for i, t := range turns {
		ready[i] = t.of
	}
	return im.cfg.Store.Within(ctx, im.tx, func(tx store.Tx) error {
		kept, _, err := im.cfg.Keeper.KeepTx(ctx, tx, ready)
		if err != nil {
			return err
		}
		im.out.Added += kept.Added
		im.out.Replaced += kept.Replaced
		im.out.Unchanged += kept.Unchanged
		im.out.Left += kept.Left
		return nil
	})
}

// unforgotten removes and counts the turns that were forgotten here.
func (im *importer) unforgotten(ctx context.Context, turns []numbered[memories.Turn]) ([]numbered[memories.Turn], error) {
	ids := make([]uuid.UUID, len(turns))
	for i, t := range turns {
		ids[i] = t.of.ID
	}
	tombstones, err := im.tombstones(ctx, ids)
	if err != nil || len(tombstones) == 0 {
		return turns, err
	}
	return slices.DeleteFunc(turns, func(t numbered[memories.Turn]) bool {
		if tombstones[t.of.ID] {
			im.out.Forgotten++
			im.gone = append(im.gone, t.of)
		}
		return tombstones[t.of.ID]
	}), nil
}

// tombstones returns which of the ids have a tombstone.
func (im *importer) tombstones(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	found, err := im.cfg.Store.MemoryTombstones(ctx, im.tx, ids)
	tombstones := make(map[uuid.UUID]bool, len(found))
	for _, id := range found {
		tombstones[id] = true
	}
	return tombstones, err
}

// bind removes from turns the calls, sessions and projects that are not the person's here:
// a file must not affect what others see.
func (im *importer) bind(ctx context.Context, turns []numbered[memories.Turn]) error {
	var calls, sessions []uuid.UUID
	for _, t := range turns {
		if t.of.CallID.UUID != uuid.Nil {
			calls = append(calls, t.of.CallID.UUID)
		}
		if t.of.Scope.Session != uuid.Nil {
			sessions = append(sessions, t.of.Scope.Session)
		}
	}
	known, err := im.cfg.Store.KnownCalls(ctx, im.tx, im.person, memory.Unique(calls))
	if err != nil {
		return err
	}
	own := map[uuid.UUID]bool{}
	for _, id := range known {
		own[id] = true
	}
	project, err := im.cfg.Store.KnownSessions(ctx, im.tx, im.person, memory.Unique(sessions))
	if err != nil {
		return err
	}
	for i := range turns {
		t := &turns[i].of
		if !own[t.CallID.UUID] {
			t.CallID = store.CallID{}
		}
		p, is := project[t.Scope.Session]
		if !is {
			t.Scope.Session = uuid.Nil
		}
		t.Scope.Project = p
	}
	return nil
}
