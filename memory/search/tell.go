package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
)

// spareWindows is how many windows are read beyond one for each wanted turn: windows
// overlap, and some may be barred. If too few turns are left, furtherRead times as many are
// read.
const (
	spareWindows = 7
	furtherRead  = 3
)

// tell fills in what was found and may be told: the turns of the best windows, the graph
// and the known texts.
func (r *recall) tell(ctx context.Context, near *nearby, ranked []ranking) error {
	topics, graph := r.All(), graphTexts(r.places.Graph, r.q.Scope.Person)
	var told memories.Told
	met := make([]bool, len(r.q.Known)+len(graph))
	look := r.set.Limit + spareWindows
	for read := 0; ; look *= furtherRead {
		look = min(look, len(ranked))
		if further := look > read; further || read == 0 {
			ask := memories.Read{Scope: r.q.Scope, At: r.q.Now, Config: r.Frame.Config, Topics: topics}
			if read == 0 {
				ask.Texts = slices.Concat(r.q.Known, graph)
			}
			from := read
			if read = look; len(topics) > 0 {
				read = min(furtherRead*look, len(ranked)) // reading past barred windows must not cost another round trip
			}
			for _, w := range ranked[from:read] {
				ask.Windows = append(ask.Windows, w.id)
			}
			more, err := r.cfg.Store.ReadMemory(ctx, ask)
			if err != nil {
				return err
			}
			copy(met, more.Met)
			told = joined(told, more)
		}
		hits, short := r.hits(near, told, ranked[:look])
		if r.found.Hits = hits; !short || look == len(ranked) {
			break
		}
	}
	for i, text := range r.q.Known {
		if !met[i] {
			r.found.Known = append(r.found.Known, text)
		}
	}
	r.found.Graph = raisable(r.places.Graph, met[len(r.q.Known):])
	return nil
}

// joined merges what was read with a further read.
func joined(a, b memories.Told) memories.Told {
	if a.Barred == nil {
		return b
	}
	a.Windows, a.Outdated = append(a.Windows, b.Windows...), append(a.Outdated, b.Outdated...)
	for id := range b.Barred {
		a.Barred[id] = true
	}
	return a
}

// hits returns the turns of the best windows that may be recalled. short reports that
// exclusions left fewer than wanted.
func (r *recall) hits(near *nearby, told memories.Told, best []ranking) (hits []Hit, short bool) {
	if len(best) == 0 {
		return nil, false
	}
	rank := make(map[uuid.UUID]ranking, len(best))
	for _, w := range best {
		rank[w.id] = w
	}
	var windows []memories.WindowTurns
	turns := map[uuid.UUID]bool{}
	for _, w := range told.Windows {
		if _, ok := rank[w.ID]; !ok {
			continue
		}
		windows = append(windows, w)
		for _, t := range w.Turns {
			turns[t.ID] = true
		}
	}
	over := outdate(told.Outdated, turns)
	exclude := append(barred(windows, told.Barred, near.alike, over), r.q.Exclude...)
	all := len(turns)
	for _, id := range exclude {
		delete(turns, id)
	}
	return r.collapse(windows, rank, over, exclude), len(turns) < all && len(turns) < r.set.Limit
}

// barred returns the turns that must not be recalled: those that mention a barred topic, by
// its words, its names or its meaning, and the answers to questions about it. A replacement
// of an outdated fact that mentions such a topic is removed from over.
func barred(windows []memories.WindowTurns, met, alike map[uuid.UUID]bool, over outdated) []uuid.UUID {
	out := onlyAlike(windows, alike)
	for _, w := range windows {
		for _, t := range w.Turns {
			if met[t.ID] {
				out = append(out, t.ID)
			}
		}
	}
	for _, f := range over.facts() {
		told := slices.ContainsFunc(f.Turns, func(id uuid.UUID) bool { return slices.Contains(out, id) })
		if met[f.ID] || alike[f.ID] || told {
			over.silence(f.ID)
		}
	}
	return out
}

// onlyAlike returns the turns whose windows are all close to a topic: a turn that is also
// in another window is only next to such a turn.
func onlyAlike(windows []memories.WindowTurns, alike map[uuid.UUID]bool) []uuid.UUID {
	other := map[uuid.UUID]bool{}
	var out []uuid.UUID
	for _, w := range windows {
		for _, t := range w.Turns {
			if !alike[w.ID] {
				other[t.ID] = true
			} else {
				out = append(out, t.ID)
			}
		}
	}
	return slices.DeleteFunc(out, func(id uuid.UUID) bool { return other[id] })
}
