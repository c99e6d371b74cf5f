package forget

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// forgetLearned deletes the turns and facts that the request means and what was learned
// from them, and rebuilds the windows around them.
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
		// A summary may repeat a fact in other words.
		gone, err := db.ForgetFromTurns(ctx, o.tx, o.frame.Config, []uuid.UUID{o.r.Person.UUID}, nil, since)
		if err != nil {
			return err
		}
		o.out.Summaries += gone.Summaries
	}
	turns, gone, _, err := o.deleteTurns(ctx, o.tx, o.in, o.out.ids)
	if err != nil {
		return err
	}
	o.out.Turns = len(turns)
	o.out.Facts += len(gone.Facts)
	o.out.facts = append(o.out.facts, gone.Facts...)
	o.out.Entities += gone.Entities
	o.out.Promises += gone.Promises
	o.out.Summaries += gone.Summaries
	if len(refresh) == 0 {
		return nil
	}
	return o.cfg.Keeper.Refresh(ctx, o.tx, refresh...)
}

// learnedAt returns when the earliest of the facts was learned, or now if there are none.
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
