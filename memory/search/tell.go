package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
)

// spareWindows is how many windows are looked at beyond one for each turn that is
// wanted: windows overlap, and some of them may be barred. Where so many are that
// too little is left, furtherRead times as many are.
const (
	spareWindows = 5
	furtherRead  = 3
)

// tell fills in what was found and may be told: the turns of the best windows, the
// graph and what is known.
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
				read = min(furtherRead*look, len(ranked)) // what is barred must not cost another round trip
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

// joined is what was read, with what was read further on.
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

// hits are the turns of the best windows that may be recalled. They are short where
// what is left out leaves fewer than are wanted.
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
	q := r.q
	q.Exclude = append(barred(windows, told.Barred, near.alike, over), q.Exclude...)
	all := len(turns)
	for _, id := range q.Exclude {
		delete(turns, id)
	}
	return collapse(windows, rank, over, q, r.set), len(turns) < all && len(turns) < r.set.Limit
}

// barred returns the turns that may not be recalled: those that speak of a topic
// which may not come up, by its words, its names and its meaning, and the answers
// to questions about it. What took the place of outdated facts and speaks of
// such a topic is taken out of over.
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

// onlyAlike returns the turns all of whose windows are alike to a topic: what
// also stands in another one is only near to what is.
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
