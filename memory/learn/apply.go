package learn

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// apply writes what was decided, as far as it still holds inside tx: turns that
// were forgotten are no sources, topics that are not to be kept are left out, and
// facts that are closed or gone are not closed again.
func (s *lesson) apply(ctx context.Context, tx store.Tx, changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	changes, err := s.standing(ctx, tx, changes)
	if err != nil {
		return err
	}
	open, err := s.open(ctx, tx, changes)
	if err != nil {
		return err
	}
	var touched []uuid.UUID
	for _, c := range changes {
		c.targets = slices.DeleteFunc(slices.Clone(c.targets), func(f memories.Fact) bool { return !open[f.ID] })
		turns, err := s.put(ctx, tx, c, open)
		if err != nil {
			return err
		}
		touched = append(touched, turns...)
		s.metrics.learned.WithLabelValues("fact").Inc()
	}
	if len(touched) == 0 {
		return nil
	}
	return s.cfg.Memory.Refresh(ctx, tx, touched...)
}

// standing leaves out what must not be kept, and turns that are gone.
func (s *lesson) standing(ctx context.Context, tx store.Tx, changes []change) ([]change, error) {
	var ids []uuid.UUID
	texts := make([]string, len(changes))
	for i, c := range changes {
		ids = append(ids, c.turns...)
		texts[i] = c.Text + "\n" + c.Topic
	}
	turns, err := s.cfg.Store.LockMemoryTurns(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	own := map[uuid.UUID]bool{} // the turns that there still are, and whether the person's
	for _, t := range turns {
		own[t.ID] = t.Speaker == calls.RoleUser
	}
	barred, err := s.barred(ctx, tx, texts)
	if err != nil {
		return nil, err
	}
	var out []change
	for i, c := range changes {
		c.turns = slices.DeleteFunc(slices.Clone(c.turns), func(id uuid.UUID) bool { _, there := own[id]; return !there })
		switch {
		case barred[i]:
			s.drop("never_store")
		case !slices.ContainsFunc(c.turns, func(id uuid.UUID) bool { return own[id] }):
			s.drop("forgotten")
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// open returns which of the facts that are to be ended or said again are open. The
// new ones become so when they are written.
func (s *lesson) open(ctx context.Context, tx store.Tx, changes []change) (map[uuid.UUID]bool, error) {
	var ids []uuid.UUID
	for _, c := range changes {
		for _, f := range c.targets {
			ids = append(ids, f.ID)
		}
	}
	facts, err := s.cfg.Store.MemoryFacts(ctx, tx, s.of.person, ids)
	open := map[uuid.UUID]bool{}
	for _, f := range facts {
		open[f.ID] = f.ClosedAt == nil
	}
	return open, err
}

// put writes one change and returns the turns that are to be searched anew.
func (s *lesson) put(ctx context.Context, tx store.Tx, c change, open map[uuid.UUID]bool) ([]uuid.UUID, error) {
	if c.verdict == Pass && len(c.targets) > 0 {
		return c.turns, s.confirm(ctx, tx, c)
	}
	f := c.Fact
	var end []memories.Fact
	for _, old := range c.targets {
		// What was learned from a later call is not ended by an earlier one that is
		// only now read: it is this one that is history.
		if old.LearnedAt.After(f.LearnedAt) {
			closed, over := old.LearnedAt, until(old)
			f.ClosedAt, f.ClosedBy, f.ValidTo = &closed, old.ID, &over
			if f.ValidFrom != nil && over.Before(*f.ValidFrom) {
				f.ValidTo = f.ValidFrom
			}
			continue
		}
		end = append(end, old)
	}
	if c.verdict == Replace && len(end) > 0 {
		f.Replaces = end[0].ID
	}
	if err := s.cfg.Store.AddMemoryFact(ctx, tx, f, c.turns, c.upon); err != nil {
		return nil, err
	}
	open[f.ID] = f.ClosedAt == nil
	for _, old := range end {
		if _, err := s.cfg.Store.CloseMemoryFact(ctx, tx, c.PersonID, old.ID, f.ID, f.LearnedAt, until(f)); err != nil {
			return nil, err
		}
		open[old.ID] = false
		if err := s.unnote(ctx, tx, old, f); err != nil {
			return nil, err
		}
	}
	return c.turns, nil
}

// confirm notes that an old fact was said again. Where that was later, and not of
// a time that is over, it holds again.
func (s *lesson) confirm(ctx context.Context, tx store.Tx, c change) error {
	old := c.targets[0]
	if err := s.cfg.Store.SourceMemoryFact(ctx, tx, c.PersonID, old.ID, c.turns); err != nil {
		return err
	}
	if !c.LearnedAt.After(old.LearnedAt) || c.ValidTo != nil && !c.ValidTo.After(c.LearnedAt) {
		return nil
	}
	return s.cfg.Store.ConfirmMemoryFact(ctx, tx, c.PersonID, old.ID, c.LearnedAt, c.ValidTo)
}
