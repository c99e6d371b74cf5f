package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// forgetLearned deletes the turns and facts that are meant, what was learned from
// them, and makes the windows around anew.
func (o *forgetting) forgetLearned(ctx context.Context) error {
	db := o.cfg.Store
	refresh, err := db.MemoryFactSources(ctx, o.tx, o.out.facts)
	if err != nil {
		return err
	}
	if !o.r.byIDs() {
		entities, promises, summaries, err := db.ForgetGraph(ctx, o.tx, o.out.scope, o.r.All)
		if err != nil {
			return err
		}
		o.out.Entities, o.out.Promises, o.out.Summaries = entities, promises, summaries
	}
	if len(o.out.facts) > 0 {
		since, err := o.learnedAt(ctx)
		if err != nil {
			return err
		}
		if o.out.Facts, err = db.ForgetMemoryFacts(ctx, o.tx, o.out.facts); err != nil {
			return err
		}
		// A summary may say what a fact says, in other words.
		gone, err := db.ForgetFromTurns(ctx, o.tx, o.frame.Config, []uuid.UUID{o.r.Person.UUID}, nil, since)
		if err != nil {
			return err
		}
		o.out.Summaries += gone.Summaries
	}
	n, gone, _, err := o.deleteTurns(ctx, o.tx, o.in, o.out.ids)
	if err != nil {
		return err
	}
	o.out.Turns = n
	o.out.Facts += len(gone.Facts)
	o.out.facts = append(o.out.facts, gone.Facts...)
	o.out.Entities += gone.Entities
	o.out.Promises += gone.Promises
	o.out.Summaries += gone.Summaries
	if len(refresh) == 0 {
		return nil
	}
	return o.Refresh(ctx, o.tx, refresh...)
}

// learnedAt is when the first of the facts was learned.
func (o *forgetting) learnedAt(ctx context.Context) (time.Time, error) {
	facts, err := o.cfg.Store.MemoryFacts(ctx, o.tx, o.r.Person, o.out.facts)
	since := time.Now()
	for _, f := range facts {
		if f.LearnedAt.Before(since) {
			since = f.LearnedAt
		}
	}
	return since, err
}

// deleteTurns deletes turns that a scope sees, with what was learned from them
// and does not stand without them. It returns as well the windows whose vectors
// are to be brought in line.
func (s *Service) deleteTurns(ctx context.Context, tx store.Tx, in Scope, ids []uuid.UUID) (int, memories.ForgottenFrom, []uuid.UUID, error) {
	var none memories.ForgottenFrom
	seen, err := s.lock(ctx, tx, ids, func(t Turn) bool { return sees(in, t.Scope) })
	if err != nil || len(seen) == 0 {
		return 0, none, nil, err
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
		return 0, none, nil, err
	}
	lost, err := s.cfg.Store.ForgetFromTurns(ctx, tx, frame.Config, unique(owners), gone, since)
	if err != nil {
		return 0, none, nil, err
	}
	// All windows at once: to go one by one with their turns takes far longer.
	if err := s.cfg.Store.DeleteMemoryWindows(ctx, tx, gone); err != nil {
		return 0, none, nil, err
	}
	if err := s.cfg.Store.DeleteMemoryTurns(ctx, tx, gone); err != nil {
		return 0, none, nil, err
	}
	// The windows of those that stay no longer have the facts that went.
	left, err := s.cfg.Store.LockMemoryTurns(ctx, tx, lost.Sources)
	if err != nil {
		return 0, none, nil, err
	}
	changed, err := s.rebuildAll(ctx, tx, append(seen, left...))
	return len(gone), lost, append(changed, gone...), err
}
