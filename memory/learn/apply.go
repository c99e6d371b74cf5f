package learn

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// apply writes the decided changes as far as they still hold inside tx: forgotten turns are
// no longer sources, topics that must not be kept are left out, and facts that are closed
// or gone are not closed again.
func (s *lesson) apply(ctx context.Context, tx store.Tx, changes []change) error {
	changes, err := keepable(ctx, s, tx, changes, true, func(c change) (string, []uuid.UUID) { return c.Text + "\n" + c.Topic, c.turns })
	if err != nil || len(changes) == 0 {
		return err
	}
	open, err := s.open(ctx, tx, changes)
	if err != nil {
		return err
	}
	var touched []uuid.UUID
	for _, c := range changes {
		c.targets = slices.DeleteFunc(slices.Clone(c.targets), func(f memories.Fact) bool { return !open[f.ID] })
		if err := s.put(ctx, tx, c, open); err != nil {
			return err
		}
		touched = append(touched, c.turns...)
		s.metrics.learned.WithLabelValues("fact").Inc()
	}
	return s.cfg.Memory.Refresh(ctx, tx, touched...)
}

// open returns which of the facts to be ended or confirmed are open. New facts are added to
// the map when they are written.
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

// put writes one change: it confirms an old fact, or adds a new one and closes those that
// it ends.
func (s *lesson) put(ctx context.Context, tx store.Tx, c change, open map[uuid.UUID]bool) error {
	if c.verdict == Pass && len(c.targets) > 0 {
		return s.confirm(ctx, tx, c)
	}
	f := c.Fact
	var end []memories.Fact
	for _, old := range c.targets {
		// A fact learned from a later call is not ended by an earlier call that is read
		// only now: the new fact is then the historical one.
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
		return err
	}
	open[f.ID] = f.ClosedAt == nil
	for _, old := range end {
		if _, err := s.cfg.Store.CloseMemoryFact(ctx, tx, c.PersonID, old.ID, f.ID, f.LearnedAt, until(f)); err != nil {
			return err
		}
		open[old.ID] = false
		if err := s.unnote(ctx, tx, old, f); err != nil {
			return err
		}
	}
	return nil
}

// confirm records that an old fact was said again. If it was said later, and not about a
// time that is over, the fact holds again.
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
