package forget

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// forgetting is one request to forget, in one transaction.
type forgetting struct {
	*Forgetter

	tx    store.Tx
	r     Request
	in    memories.Scope
	frame memories.Frame
	out   Forgotten
}

func (o *forgetting) forget(ctx context.Context) error {
	db := o.cfg.Store
	if err := db.LockMemory(ctx, o.tx, o.r.Person.UUID); err != nil {
		return err
	}
	var err error
	if o.frame, err = db.MemoryFrame(ctx, o.tx, o.r.Person); err != nil {
		return err
	}
	var names []string
	if o.r.Topic != "" {
		if names, err = db.MemoryTopicNames(ctx, o.tx, []store.PersonID{o.r.Person}, o.frame.Config, []string{o.r.Topic}); err != nil {
			return err
		}
	}
	o.out.scope = o.r.scope(o.frame, names, time.Now())
	if err := o.note(ctx); err != nil {
		return err
	}
	if err := o.choose(ctx); err != nil {
		return err
	}
	lines, err := o.spoken(ctx)
	if err != nil {
		return err
	}
	if err := o.forgetLearned(ctx); err != nil {
		return err
	}
	if err := o.forgetWords(ctx, lines); err != nil {
		return err
	}
	// TouchPerson must precede the discussions, in the same order as when an action of one
	// is confirmed.
	if err := db.TouchPerson(ctx, o.tx, o.r.Person); err != nil {
		return err
	}
	if err := o.forgetDiscussions(ctx); err != nil {
		return err
	}
	if err := o.forgetRepairs(ctx); err != nil {
		return err
	}
	if o.r.All { // a memorized PIN comes from the person's own life
		if err := db.ForgetPIN(ctx, o.tx, o.r.Person); err != nil {
			return err
		}
	}
	if err := db.AddMemoryTombstones(ctx, o.tx, o.r.Person, o.out.ids); err != nil {
		return err
	}
	return db.AskErasure(ctx, o.tx, o.r.Person)
}

// note makes health checks drop the words still waiting in their threads: since these are
// in no table, it is unknown which of them the request means.
func (o *forgetting) note(ctx context.Context) error {
	if o.r.byIDs() {
		return nil
	}
	o.out.noted = o.out.scope.Until
	if now := time.Now().Add(lateness); now.Before(o.out.noted) {
		o.out.noted = now
	}
	return o.cfg.Store.NoteForgotten(ctx, o.tx, o.r.Person, o.out.noted)
}

// choose finds the turns and facts that the request means.
func (o *forgetting) choose(ctx context.Context) error {
	db := o.cfg.Store
	var err error
	switch o.r.kind() {
	case "turns":
		o.out.ids = slices.Clone(o.r.Memories)
	case "fact":
		found, err := db.MemoryFacts(ctx, o.tx, o.r.Person, []uuid.UUID{o.r.Fact})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("fact %s: %w", o.r.Fact, store.ErrNotFound)
		}
		o.out.facts = []uuid.UUID{o.r.Fact}
		if !o.r.KeepWords {
			if o.out.ids, err = db.MemoryFactSources(ctx, o.tx, o.out.facts); err != nil {
				return err
			}
		}
	default:
		if o.out.ids, err = db.MemoryTurnsIn(ctx, o.tx, o.out.scope); err != nil {
			return err
		}
		if o.r.Topic != "" || o.r.All {
			o.out.facts, err = db.MemoryFactsIn(ctx, o.tx, o.out.scope)
		}
	}
	return err
}

// spoken finds the transcript lines that the request means, and adds the ids of the turns
// that they are stored as, or may be stored as later.
func (o *forgetting) spoken(ctx context.Context) ([]memories.SpokenLine, error) {
	db := o.cfg.Store
	turns, err := db.LockMemoryTurns(ctx, o.tx, o.out.ids)
	if err != nil {
		return nil, err
	}
	there := map[uuid.UUID]bool{}
	numbers := slices.Clone(o.r.Lines)
	for _, t := range turns {
		if !sees(o.in, t.Scope) {
			continue
		}
		there[t.ID] = true
		if call, line, ok := memory.LineOf(t); ok {
			o.out.calls = append(o.out.calls, call.UUID)
			numbers = append(numbers, line)
		}
		if episode, ok := memory.EpisodeOf(t.SourceKey); ok && t.Source == memories.FromChat {
			o.out.episodes = append(o.out.episodes, episode)
		}
		if len(o.out.texts) < maxProbes {
			o.out.texts = append(o.out.texts, t.Text)
		}
	}
	for _, id := range o.r.Memories {
		if !there[id] {
			return nil, fmt.Errorf("memory %s: %w", id, store.ErrNotFound)
		}
	}
	lines, err := db.SpokenLinesByID(ctx, o.tx, o.r.Person, numbers)
	if err != nil {
		return nil, err
	}
	if !o.r.byIDs() {
		more, err := db.SpokenLines(ctx, o.tx, o.out.scope)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	o.out.worded = slices.Clone(o.out.calls)
	for _, l := range lines {
		if l.Text != "" {
			o.out.worded = append(o.out.worded, l.Call.UUID)
		}
		o.out.lines = append(o.out.lines, l.ID)
		o.out.calls = append(o.out.calls, l.Call.UUID)
		o.out.ids = append(o.out.ids, memory.TurnID(o.in, memories.FromCall, memory.CallKey(l.Call, l.ID)))
	}
	o.out.ids, o.out.calls = memory.Unique(o.out.ids), memory.Unique(o.out.calls)
	slices.Sort(o.out.lines)
	o.out.lines = slices.Compact(o.out.lines)
	return lines, nil
}
