package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// maxLimits is how many limits one person may have.
const maxLimits = 200

// SetLimit keeps a limit of a person in place of what it says about the same topic
// and rule. What was stored before a never_store stays, but is not recalled any
// more; [Service.Forget] takes it away. An error wraps [ErrInvalid] where the limit
// makes no sense.
func (s *Service) SetLimit(ctx context.Context, l memories.Limit) (memories.Limit, error) {
	var err error
	if l.Topic, err = CheckTopic(l.Topic); err != nil {
		return memories.Limit{}, fmt.Errorf("limit: %w", err)
	}
	switch {
	case !slices.Contains(limitRules, string(l.Rule)):
		return memories.Limit{}, fmt.Errorf("limit with rule %q, which is none of %s: %w", l.Rule, strings.Join(limitRules, ", "), ErrInvalid)
	case l.Rule == memories.CoolDown && l.Until == nil:
		return memories.Limit{}, fmt.Errorf("a cool-down without an end: %w", ErrInvalid)
	case l.Until != nil && !l.Until.After(time.Now()):
		return memories.Limit{}, fmt.Errorf("a limit that has ended: %w", ErrInvalid)
	case strings.TrimSpace(l.By) == "":
		return memories.Limit{}, fmt.Errorf("a limit that nobody sets: %w", ErrInvalid)
	}
	var kept memories.Limit
	err = s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		if err := s.cfg.Store.LockMemory(ctx, tx, l.PersonID.UUID); err != nil {
			return err
		}
		have, err := s.cfg.Store.ListLimits(ctx, tx, l.PersonID, time.Now())
		if err != nil {
			return err
		}
		if len(have) >= maxLimits {
			return fmt.Errorf("more than %d limits: %w", maxLimits, ErrInvalid)
		}
		if kept, err = s.cfg.Store.ReplaceMemoryLimit(ctx, tx, l); err != nil {
			return err
		}
		return s.cfg.Store.TouchPerson(ctx, tx, l.PersonID)
	})
	if err == nil && s.cfg.Forgot != nil {
		s.cfg.Forgot(l.PersonID)
	}
	return kept, err
}

// DefaultCoolDown is how long a chronic illness is not raised again after it was
// spoken of.
const DefaultCoolDown = 7 * 24 * time.Hour

// CoolDown sets, for each of a person's chronic illnesses (those on record) that
// one of the texts speaks of, that nAIber does not raise it again before a time.
// The person may, at any time. What somebody else set stays as it is. It is for
// the end of a call, and keeps nothing of whoever does not consent.
func (s *Service) CoolDown(ctx context.Context, person store.PersonID, texts []string, until time.Time) error {
	p, err := s.cfg.Store.Person(ctx, person)
	if err != nil || len(p.Conditions) == 0 || len(texts) == 0 || !until.After(time.Now()) {
		return err
	}
	frame, err := s.cfg.Store.MemoryFrame(ctx, nil, person)
	if err != nil || !frame.Consented {
		return err
	}
	var topics []string
	for _, condition := range p.Conditions {
		topic, err := CheckTopic(illness(condition, frame.Config))
		if err != nil {
			continue // a story rather than a name
		}
		met, err := s.cfg.Store.MatchTopics(ctx, nil, frame.Config, texts, []string{topic})
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
	return s.coolDown(ctx, person, topics, until)
}

func (s *Service) coolDown(ctx context.Context, person store.PersonID, topics []string, until time.Time) error {
	err := s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		if err := s.cfg.Store.LockMemory(ctx, tx, person.UUID); err != nil {
			return err
		}
		frame, err := s.cfg.Store.MemoryFrame(ctx, tx, person)
		if err != nil || !frame.Consented {
			return err
		}
		for _, topic := range topics {
			limit := memories.Limit{PersonID: person, Topic: topic, Rule: memories.CoolDown, Until: &until, By: "naiber", How: "a chronic illness was spoken of"}
			if err := s.cfg.Store.ProlongMemoryLimit(ctx, tx, limit); err != nil {
				return err
			}
		}
		return s.cfg.Store.TouchPerson(ctx, tx, person)
	})
	if err == nil && s.cfg.Forgot != nil {
		s.cfg.Forgot(person)
	}
	return err
}
