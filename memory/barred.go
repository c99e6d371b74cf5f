package memory

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// spareWindows is how many windows are read beyond one for each turn that is
// wanted: windows overlap, and some of them may be barred. Where so many are that
// too little is left, furtherRead times as many are read.
const (
	spareWindows = 5
	furtherRead  = 3
)

// turns returns the turns of the best windows that may be recalled.
func (s *Service) turns(ctx context.Context, q Query, set Settings, frame store.MemoryFrame, ranked []ranking) ([]Hit, error) {
	for n := set.Limit + spareWindows; ; n *= furtherRead {
		best := ranked[:min(n, len(ranked))]
		hits, short, err := s.among(ctx, q, set, frame, best)
		if err != nil || !short || len(best) == len(ranked) {
			return hits, err
		}
	}
}

// among returns the turns of windows, the best first, that may be recalled. It is
// short where what is left out leaves fewer than are wanted.
func (s *Service) among(ctx context.Context, q Query, set Settings, frame store.MemoryFrame, best []ranking) (found []Hit, short bool, err error) {
	if len(best) == 0 {
		return nil, false, nil
	}
	ids, rank := make([]uuid.UUID, 0, len(best)), make(map[uuid.UUID]ranking, len(best))
	for _, r := range best {
		ids = append(ids, r.id)
		rank[r.id] = r
	}
	windows, err := s.cfg.Store.MemoryWindowTurns(ctx, q.Scope, ids)
	if err != nil {
		return nil, false, err
	}
	turns, people := saidIn(q.Scope, windows)
	over := outdated{}
	if len(people) > 0 {
		var old []store.OutdatedTurn
		var oldErr error
		var wait sync.WaitGroup
		wait.Go(func() {
			oldErr = survive.Try(s.cfg.Log, "outdated", func() (err error) {
				old, err = s.cfg.Store.OutdatedTurns(ctx, q.Scope, slices.Collect(maps.Keys(turns)), q.Now)
				return err
			})
		})
		un, err := unraisableFor(ctx, s.cfg.Store, people, frame.Config, q.Text, q.Now)
		wait.Wait()
		if err := errors.Join(err, oldErr); err != nil {
			return nil, false, err
		}
		over = outdate(old)
		barred, err := s.barred(ctx, q, set, frame, windows, turns, un, over)
		if err != nil {
			return nil, false, err
		}
		q.Exclude = append(barred, q.Exclude...)
	}
	all := len(turns)
	for _, id := range q.Exclude {
		delete(turns, id)
	}
	short = len(turns) < all && len(turns) < set.Limit
	return collapse(windows, rank, over, q, set), short, nil
}

// saidIn returns what the turns of windows say, and whose limits count: those of
// the person of the scope, and of whoever said it.
func saidIn(in Scope, windows []store.WindowTurns) (turns map[uuid.UUID]string, people []store.PersonID) {
	turns = map[uuid.UUID]string{}
	add := func(p store.PersonID) {
		if p.Known() && !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	add(in.Person)
	for _, w := range windows {
		for _, t := range w.Turns {
			add(t.Scope.Person)
			turns[t.ID] = t.Text
		}
	}
	return turns, people
}

// barred returns the turns that may not be recalled: those that speak of a topic
// which may not come up, by its words, its names and its meaning, and the answers
// to questions about it. What took the place of outdated facts and speaks of
// such a topic is taken out of over.
func (s *Service) barred(ctx context.Context, q Query, set Settings, frame store.MemoryFrame, windows []store.WindowTurns,
	turns map[uuid.UUID]string, un unraisable, over outdated,
) ([]uuid.UUID, error) {
	if len(un.topics) == 0 {
		return nil, nil
	}
	ids := slices.Collect(maps.Keys(turns))
	questions, err := s.cfg.Store.MemoryQuestions(ctx, ids)
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		texts = append(texts, turns[id], questions[id])
	}
	facts := over.facts()
	for _, f := range facts {
		texts = append(texts, f.Text)
	}
	met, err := s.cfg.Store.MatchTopics(ctx, nil, frame.Config, texts, un.all())
	if err != nil {
		return nil, err
	}
	alike := s.alike(ctx, q.Scope, set, un.topics)
	out := onlyAlike(windows, alike)
	for i, id := range ids {
		if met[2*i] || met[2*i+1] {
			out = append(out, id)
		}
	}
	for i, f := range facts {
		told := slices.ContainsFunc(f.Turns, func(id uuid.UUID) bool { return slices.Contains(out, id) })
		if met[2*len(ids)+i] || alike[f.ID] || told {
			over.silence(f.ID)
		}
	}
	return out, nil
}
