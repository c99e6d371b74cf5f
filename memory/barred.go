package memory

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// spareWindows is how many windows are read beyond one for each turn that is
// wanted: windows overlap, and some of them may be barred.
const spareWindows = 5

// turns returns the turns of the best windows that may be recalled.
func (s *Service) turns(ctx context.Context, q Query, set Settings, frame store.MemoryFrame, ranked []ranking) ([]Hit, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	ids, rank := []uuid.UUID{}, map[uuid.UUID]ranking{}
	for _, r := range ranked[:min(len(ranked), set.Limit+spareWindows)] {
		ids = append(ids, r.id)
		rank[r.id] = r
	}
	windows, err := s.cfg.Store.MemoryWindowTurns(ctx, q.Scope, ids)
	if err != nil {
		return nil, err
	}
	barred, err := s.barred(ctx, q, set, frame, windows)
	if err != nil {
		return nil, err
	}
	return collapse(windows, rank, append(barred, q.Exclude...), set.Limit, set.Budget), nil
}

// barred returns the turns that may not be recalled: those that speak of a topic
// which the person of the scope, or whoever said it, does not want stored or
// raised, by its words, its names and its meaning, and the answers to questions
// about it.
func (s *Service) barred(ctx context.Context, q Query, set Settings, frame store.MemoryFrame, windows []store.WindowTurns) ([]uuid.UUID, error) {
	var people []store.PersonID
	turns := map[uuid.UUID]string{}
	add := func(p store.PersonID) {
		if p.Known() && !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	add(q.Scope.Person)
	for _, w := range windows {
		for _, t := range w.Turns {
			add(t.Scope.Person)
			turns[t.ID] = t.Text
		}
	}
	if len(people) == 0 {
		return nil, nil
	}
	un, err := s.unraisable(ctx, people, frame.Config, q.Text, q.Now)
	if err != nil || len(un.topics) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, 0, len(turns))
	for id := range turns {
		ids = append(ids, id)
	}
	questions, err := s.cfg.Store.MemoryQuestions(ctx, ids)
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		texts = append(texts, turns[id], questions[id])
	}
	met, err := s.cfg.Store.MatchTopics(ctx, nil, frame.Config, texts, un.all())
	out := onlyAlike(windows, s.alike(ctx, q.Scope, set, un.topics))
	for i, id := range ids {
		if met != nil && (met[2*i] || met[2*i+1]) {
			out = append(out, id)
		}
	}
	return out, err
}
