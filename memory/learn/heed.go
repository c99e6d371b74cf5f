package learn

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

// Heed keeps at once what somebody on a call says is not to be kept or raised, as
// far as they name it: else it could come up again before the call is over. What
// [Learner.Learn] hears in the same words is not kept twice; to lift a limit, or
// to say what was only pointed at, is left to it. Where nothing is asked for, and
// of somebody who does not consent to being remembered, it does nothing.
func (l *Learner) Heed(ctx context.Context, c calls.Call, words string, at time.Time) error {
	return l.heed(ctx, spokenIn(c), words, at)
}

// HeedWriting is [Learner.Heed] for what a person writes in a session. What is
// never to be kept is only not raised until [Learner.LearnWriting] has read the
// words that ask for it, since they would not be kept themselves.
func (l *Learner) HeedWriting(ctx context.Context, person store.PersonID, session uuid.UUID, words string, at time.Time) error {
	return l.heed(ctx, writtenIn(memories.Writing{Session: session, PersonID: person}), words, at)
}

func (l *Learner) heed(ctx context.Context, of source, words string, at time.Time) error {
	line := calls.Utterance{Role: calls.RoleUser, Text: words, At: at}
	asked := slices.DeleteFunc(listen([]calls.Utterance{line}).limits, func(r limitRequest) bool { return r.that || r.lift })
	if len(asked) == 0 || !of.person.Known() {
		return nil
	}
	who, err := l.cfg.Store.Person(ctx, of.person)
	if err != nil {
		return err
	}
	s := &lesson{Learner: l, of: of, who: who, lines: []calls.Utterance{line}}
	err = l.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		if err := l.cfg.Store.LockMemory(ctx, tx, of.person.UUID); err != nil {
			return err
		}
		frame, err := l.cfg.Store.MemoryFrame(ctx, tx, of.person)
		if err != nil || !frame.Consented {
			return err
		}
		for _, r := range asked {
			if of.written() && r.rule == memories.NeverStore {
				r.rule = memories.NeverRaise
			}
			if err := s.keepLimit(ctx, tx, r); err != nil {
				return err
			}
		}
		return l.cfg.Store.TouchPerson(ctx, tx, of.person)
	})
	if err != nil {
		return fmt.Errorf("heed %s: %w", of.name, err)
	}
	if l.cfg.Learnt != nil {
		l.cfg.Learnt(of.person)
	}
	return nil
}
