package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Kept says what became of turns.
type Kept struct {
	IDs       []uuid.UUID // of all, in the order given; zero where a turn was left out
	Added     int
	Replaced  int
	Unchanged int
	// Left were not kept: they speak of what the person does not want stored, or
	// were forgotten, and whoever keeps them has not heard of it.
	Left int
}

// Keep keeps turns word for word: all of them, or none and an error. A turn that
// is there already, by its id or its source's key, is replaced where it says
// something else, and otherwise left alone; its place stays. A turn without a
// place comes after the last of its conversation.
//
// It returns an error wrapping [ErrNoConsent] where a turn belongs to a person
// who does not allow being remembered. What speaks of a topic that is never to be
// stored is left out, and so is the answer to a question about it.
func (s *Service) Keep(ctx context.Context, turns []Turn) (Kept, error) {
	ready := make([]Turn, len(turns))
	for i, t := range turns {
		var err error
		if ready[i], err = prepare(t); err != nil {
			return Kept{}, fmt.Errorf("keep turn %d of %d: %w", i+1, len(turns), err)
		}
	}
	var kept Kept
	var changed []uuid.UUID
	err := s.cfg.Store.InTx(ctx, func(tx store.Tx) (err error) {
		kept, changed, err = s.keepTx(ctx, tx, ready)
		return err
	})
	if err != nil {
		return Kept{}, fmt.Errorf("keep %d turns: %w", len(turns), err)
	}
	s.metrics.kept.Add(float64(kept.Added + kept.Replaced))
	s.indexSoon(ctx, changed)
	return kept, nil
}

// keepTx keeps turns that are prepared. It returns as well the windows that have changed.
func (s *Service) keepTx(ctx context.Context, tx store.Tx, ready []Turn) (kept Kept, changed []uuid.UUID, err error) {
	if err := s.lockAll(ctx, tx, scopesOf(ready)); err != nil {
		return Kept{}, nil, err
	}
	left := map[uuid.UUID]bool{}
	for _, group := range byScope(ready) {
		k := keeper{Service: s, tx: tx, in: group[0].Scope, kept: &kept, left: left}
		windows, err := k.keep(ctx, group)
		if err != nil {
			return Kept{}, nil, err
		}
		changed = append(changed, windows...)
	}
	for _, t := range ready {
		id := t.ID
		if left[id] {
			id = uuid.Nil
		}
		kept.IDs = append(kept.IDs, id)
	}
	return kept, changed, nil
}

// keeper keeps turns of one scope in one transaction.
type keeper struct {
	*Service
	tx   store.Tx
	in   Scope
	kept *Kept
	left map[uuid.UUID]bool // turns that were left out
}

// keep returns the windows that have changed.
func (k keeper) keep(ctx context.Context, turns []Turn) ([]uuid.UUID, error) {
	frame, err := k.cfg.Store.FrameOf(ctx, k.tx, k.in.Person)
	if err != nil {
		return nil, err
	}
	if !frame.Consented {
		return nil, fmt.Errorf("remember %s: %w", k.in.Person, ErrNoConsent)
	}
	for i, t := range turns {
		if t.Name == "" && t.Speaker == calls.RoleUser {
			turns[i].Name = frame.Name
		}
		if t.Name == "" && t.Speaker == calls.RoleAssistant {
			turns[i].Name = assistantName
		}
	}
	if turns, err = k.allowed(ctx, frame, turns); err != nil {
		return nil, err
	}
	if turns, err = k.withoutTombstones(ctx, turns); err != nil {
		return nil, err
	}
	touched, err := k.write(ctx, turns)
	if err != nil {
		return nil, err
	}
	return k.rebuild(ctx, k.tx, frame, touched)
}

// allowed leaves out what the person does not want stored.
func (k keeper) allowed(ctx context.Context, frame memories.Frame, turns []Turn) ([]Turn, error) {
	if !k.in.Person.Known() {
		return turns, nil
	}
	topics, err := k.cfg.Store.MemoryLimitTopics(ctx, k.tx, []store.PersonID{k.in.Person}, time.Now(), memories.NeverStore)
	if err != nil || len(topics) == 0 {
		return turns, err
	}
	texts := make([]string, len(turns))
	for i, t := range turns {
		texts[i] = t.Text
	}
	met, err := k.cfg.Store.MatchTopics(ctx, k.tx, frame.Config, texts, topics)
	if err != nil {
		return nil, err
	}
	var keep []Turn
	for i, t := range turns {
		if met[i] || i > 0 && met[i-1] && Answers(t, turns[i-1]) {
			k.kept.Left++
			k.left[t.ID] = true
			continue
		}
		keep = append(keep, t)
	}
	return keep, nil
}

// Answers reports whether a turn is what a person says to what nAIber said before.
func Answers(t, before Turn) bool {
	return before.Speaker == calls.RoleAssistant && t.Speaker == calls.RoleUser && t.Conversation == before.Conversation
}

// withoutTombstones leaves out turns of calls and chats that were forgotten. A turn
// that somebody keeps by hand stays.
func (k keeper) withoutTombstones(ctx context.Context, turns []Turn) ([]Turn, error) {
	var ids []uuid.UUID
	for _, t := range turns {
		if t.Source == memories.FromCall || t.Source == memories.FromChat {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return turns, nil
	}
	tombstones, err := k.cfg.Store.MemoryTombstones(ctx, k.tx, ids)
	if err != nil || len(tombstones) == 0 {
		return turns, err
	}
	return slices.DeleteFunc(turns, func(t Turn) bool {
		gone := slices.Contains(tombstones, t.ID)
		if gone {
			k.kept.Left++
			k.left[t.ID] = true
		}
		return gone
	}), nil
}

// byScope groups turns by whose they are; their order stays.
func byScope(turns []Turn) [][]Turn {
	at := map[Scope]int{}
	var groups [][]Turn
	for _, t := range turns {
		i, ok := at[t.Scope]
		if !ok {
			i = len(groups)
			at[t.Scope] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}
