// Package limits stores what a person does not want stored or brought up.
package limits

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// Limits sets limits. It may be used concurrently.
type Limits struct {
	store  *store.Store
	forgot func(store.PersonID)
}

// New returns Limits. It calls forgot when cached copies of what is known about a person
// must be dropped.
func New(db *store.Store, forgot func(store.PersonID)) *Limits { return &Limits{db, forgot} }

// maxLimits is the maximum number of limits of one person.
const maxLimits = 200

// Rules are the valid rules of a limit.
var Rules = []string{string(memories.NeverStore), string(memories.NeverRaise), string(memories.CoolDown)}

// SetLimit stores a limit of a person, replacing one with the same topic and rule. What was
// stored before a never_store stays, but is no longer recalled; only forgetting deletes it.
// An error wraps [memory.ErrInvalid] if the limit is not valid.
func (x *Limits) SetLimit(ctx context.Context, l memories.Limit) (memories.Limit, error) {
	var err error
	if l.Topic, err = memory.CheckTopic(l.Topic); err != nil {
		return memories.Limit{}, fmt.Errorf("limit: %w", err)
	}
	switch {
	case !slices.Contains(Rules, string(l.Rule)):
		return memories.Limit{}, fmt.Errorf("limit with rule %q, which is none of %s: %w", l.Rule, strings.Join(Rules, ", "), memory.ErrInvalid)
	case l.Rule == memories.CoolDown && l.Until == nil:
		return memories.Limit{}, fmt.Errorf("a cool-down without an end: %w", memory.ErrInvalid)
	case l.Until != nil && !l.Until.After(time.Now()):
		return memories.Limit{}, fmt.Errorf("a limit that has ended: %w", memory.ErrInvalid)
	case strings.TrimSpace(l.By) == "":
		return memories.Limit{}, fmt.Errorf("a limit that nobody sets: %w", memory.ErrInvalid)
	}
	var kept memories.Limit
	err = x.store.InTx(ctx, func(tx store.Tx) error {
		if err := x.store.LockMemory(ctx, tx, l.PersonID.UUID); err != nil {
			return err
		}
		have, err := x.store.ListLimits(ctx, tx, l.PersonID, time.Now())
		if err != nil {
			return err
		}
		if len(have) >= maxLimits {
			return fmt.Errorf("more than %d limits: %w", maxLimits, memory.ErrInvalid)
		}
		if kept, err = x.store.ReplaceMemoryLimit(ctx, tx, l); err != nil {
			return err
		}
		return x.store.TouchPerson(ctx, tx, l.PersonID)
	})
	if err == nil {
		x.forgot(l.PersonID)
	}
	return kept, err
}

// DefaultCoolDown is how long a chronic illness is not raised again after it was mentioned.
const DefaultCoolDown = 7 * 24 * time.Hour

// CoolDown limits each of a person's chronic illnesses on record that one of the texts
// mentions: nAIber must not raise it before until. The person may, at any time. Limits set
// by others stay as they are. It should be called at the end of a call, and stores nothing
// for people who do not consent.
func (x *Limits) CoolDown(ctx context.Context, person store.PersonID, texts []string, until time.Time) error {
	p, err := x.store.Person(ctx, person)
	if err != nil || len(p.Conditions) == 0 || len(texts) == 0 || !until.After(time.Now()) {
		return err
	}
	frame, err := x.store.MemoryFrame(ctx, nil, person)
	if err != nil || !frame.Consented {
		return err
	}
	var topics []string
	for _, condition := range p.Conditions {
		topic, err := memory.CheckTopic(illness(condition, frame.Config))
		if err != nil {
			continue // too long to be a name
		}
		met, err := x.store.MatchTopics(ctx, nil, frame.Config, texts, []string{topic})
		if err != nil {
			return err
		}
		if slices.Contains(met, true) {
			topics = append(topics, topic)
		}
	}
	if len(topics) == 0 {
		return nil
	}
	return x.coolDown(ctx, person, topics, until)
}

func (x *Limits) coolDown(ctx context.Context, person store.PersonID, topics []string, until time.Time) error {
	err := x.store.InTx(ctx, func(tx store.Tx) error {
		if err := x.store.LockMemory(ctx, tx, person.UUID); err != nil {
			return err
		}
		frame, err := x.store.MemoryFrame(ctx, tx, person)
		if err != nil || !frame.Consented {
			return err
		}
		for _, topic := range topics {
			limit := memories.Limit{PersonID: person, Topic: topic, Rule: memories.CoolDown, Until: &until, By: "naiber", How: "a chronic illness was spoken of"}
			if err := x.store.ProlongMemoryLimit(ctx, tx, limit); err != nil {
				return err
			}
		}
		return x.store.TouchPerson(ctx, tx, person)
	})
	if err == nil {
		x.forgot(person)
	}
	return err
}
