package keep

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// stretch is a part of one conversation with changed turns.
type stretch struct {
	in           memories.Scope
	conversation string
	first, last  int // places of the turns
}

// stretches joins the changed places of each conversation to one stretch.
type stretches map[place]*stretch

// place identifies one conversation in its scope.
type place struct {
	in           memories.Scope
	conversation string
}

func (m stretches) add(t memories.Turn) {
	key := place{t.Scope, t.Conversation}
	if p := m[key]; p != nil {
		p.first, p.last = min(p.first, t.Seq), max(p.last, t.Seq)
		return
	}
	m[key] = &stretch{in: t.Scope, conversation: t.Conversation, first: t.Seq, last: t.Seq}
}

// write inserts new turns and replaces changed ones.
func (w keeping) write(ctx context.Context, turns []memories.Turn) (stretches, error) {
	have, err := w.have(ctx, turns)
	if err != nil {
		return nil, err
	}
	seqs, err := w.seqs(ctx, turns)
	if err != nil {
		return nil, err
	}
	touched := stretches{}
	var fresh []memories.Turn
	index := map[uuid.UUID]int{} // in fresh
	for _, t := range turns {
		if i, twice := index[t.ID]; twice { // twice in one batch: the later one counts
			t.Conversation, t.Seq = fresh[i].Conversation, fresh[i].Seq
			fresh[i] = t
			continue
		}
		old, known := have[t.ID]
		switch {
		case !known:
			if t.Seq == 0 {
				t.Seq = seqs[t.Conversation] + 1
			}
			seqs[t.Conversation] = max(seqs[t.Conversation], t.Seq)
			index[t.ID] = len(fresh)
			fresh = append(fresh, t)
			touched.add(t)
		case old.Scope.Owners()[0] != t.Scope.Owners()[0]:
			return nil, fmt.Errorf("turn %s: %w", t.ID, memory.ErrOtherOwner)
		case same(old, t):
			w.kept.Unchanged++
		default:
			if err := w.cfg.Store.ReplaceMemoryTurn(ctx, w.tx, t); err != nil {
				return nil, err
			}
			w.kept.Replaced++
			old.Text, old.Name, old.At, old.Speaker = t.Text, t.Name, t.At, t.Speaker
			have[t.ID] = old
			touched.add(old) // with its stored scope: its session may have moved to another project since
		}
	}
	w.kept.Added += len(fresh)
	for batch := range slices.Chunk(fresh, 1000) {
		if err := w.cfg.Store.InsertMemoryTurns(ctx, w.tx, w.in, batch); err != nil {
			return nil, err
		}
	}
	return touched, nil
}

func same(a, b memories.Turn) bool {
	return a.Text == b.Text && a.Name == b.Name && a.At.Equal(b.At) && a.Speaker == b.Speaker
}

// have returns those of the turns that are stored already, by id.
func (w keeping) have(ctx context.Context, turns []memories.Turn) (map[uuid.UUID]memories.Turn, error) {
	found, err := w.cfg.Store.LockMemoryTurns(ctx, w.tx, memory.IDs(turns))
	have := make(map[uuid.UUID]memories.Turn, len(found))
	for _, t := range found {
		have[t.ID] = t
	}
	return have, err
}

// seqs returns the last place used in each conversation of the turns.
func (w keeping) seqs(ctx context.Context, turns []memories.Turn) (map[string]int, error) {
	var names []string
	for _, t := range turns {
		names = append(names, t.Conversation)
	}
	slices.Sort(names)
	return w.cfg.Store.MemorySeqs(ctx, w.tx, w.in.Owners()[0], slices.Compact(names))
}

// rebuild rebuilds the windows that touched turns are in, and returns the ids of those that
// may have changed.
func (k *Keeper) rebuild(ctx context.Context, tx store.Tx, frame memories.Frame, touched stretches) ([]uuid.UUID, error) {
	var changed []uuid.UUID
	windows := map[memories.Scope][]memories.Window{}
	for _, p := range touched {
		turns, err := k.cfg.Store.MemoryTurnsAround(ctx, tx, p.in, p.conversation, p.first, p.last)
		if err != nil {
			return nil, err
		}
		learned, err := k.cfg.Store.MemoryFactTexts(ctx, tx, memory.IDs(turns))
		if err != nil {
			return nil, err
		}
		for _, c := range cut(turns, p.first) {
			windows[p.in] = append(windows[p.in], window(c, frame.Location, learned))
			changed = append(changed, c[len(c)-1].ID)
		}
	}
	// Use few statements: each changes the word counts over all windows, and a row that
	// changes often in one transaction gets slower each time.
	for in, all := range windows {
		for batch := range slices.Chunk(all, 2000) {
			if _, err := k.cfg.Store.SaveMemoryWindows(ctx, tx, in, frame.Config, batch); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}
