package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/memory/limits"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/general"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// register makes p the persona of calls of type t, and after the work that
// follows such a call. A type without a persona cannot be requested.
func (a *App) register(t calls.CallType, p orchestration.Persona, after ...jobs.Finisher) {
	all := inOrder(after)
	a.replies[t], a.finishers[t] = p, func(ctx context.Context, c calls.Call) error {
		if c.Direction == calls.Outbound && c.Withheld() {
			return nil // no persona heard a word: what was said is not known to be the person's
		}
		return all(ctx, c)
	}
}

// inOrder returns a finisher that calls parts in order. A failure does not
// prevent the later ones: the job is retried, and what is done is not done
// again.
func inOrder(parts []jobs.Finisher) jobs.Finisher {
	return func(ctx context.Context, c calls.Call) error {
		var errs []error
		for _, part := range parts {
			errs = append(errs, part(ctx, c))
		}
		return errors.Join(errs...)
	}
}

// heedWithin bounds how long a turn waits until a wish in it that something not
// be raised is stored.
const heedWithin = 500 * time.Millisecond

// heed returns middleware that stores a person's wish that something not be
// kept or raised, before the search of the same turn can bring it up. If that
// fails, learning after the call makes up for it.
func (a *App) heed(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if t.Kind == calls.TurnSpeech && !t.Late {
			// Store it even if the person speaks on: the turn may not be sent
			// again.
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), heedWithin)
			err := a.learner.Heed(within, t.Line.Call, t.Heard, t.At)
			cancel()
			if err != nil {
				s.Degraded("limit_not_kept")
				a.log.WarnContext(ctx, "limit is left to what follows the call", "call_id", t.Line.Call.ID, "err", err)
			}
		}
		return next.Reply(ctx, t, s)
	})
}

// coolDown sets limits on the illnesses that a call mentioned, so that nAIber
// does not raise them again until [limits.DefaultCoolDown] after the call's
// end.
func (a *App) coolDown(ctx context.Context, c calls.Call) error {
	if !c.PersonID.Known() || c.EndedAt == nil {
		return nil
	}
	lines, err := a.store.Transcript(ctx, c.ID)
	if err != nil {
		return err
	}
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	return a.memory.CoolDown(ctx, c.PersonID, texts, c.EndedAt.Add(limits.DefaultCoolDown))
}

// coolDownWriting sets the same limits as coolDown for what a person wrote.
func (a *App) coolDownWriting(ctx context.Context, w memories.Writing) error {
	if !w.PersonID.Known() {
		return nil
	}
	turns, err := a.store.MemoryWriting(ctx, w, 0)
	if err != nil {
		return err
	}
	var texts []string
	for _, t := range turns {
		texts = append(texts, t.Text)
	}
	return a.memory.CoolDown(ctx, w.PersonID, texts, w.Through.Add(limits.DefaultCoolDown))
}

// finishWriting runs the work that follows writing; like [inOrder], it does not
// stop at a failure.
func (a *App) finishWriting(ctx context.Context, w memories.Writing) error {
	return errors.Join(a.learner.LearnWriting(ctx, w), a.coolDownWriting(ctx, w))
}

func (a *App) makePersonas(context.Context) (err error) {
	if err = errors.Join(a.makeSafety(), a.makeWishes()); err != nil {
		return err
	}
	if a.cfg.RAG.Enabled {
		a.recalls = recall.New(recall.Config{
			Source: a.recall, Deadline: a.cfg.RAG.Deadline, TopicThreshold: a.cfg.RAG.TopicThreshold,
			HighlightsFor: a.cfg.RAG.HighlightsFor, Log: a.log,
		})
		a.onStopDo(a.recalls.Close)
	}
	a.general, err = general.New(general.Config{
		Model: a.model, Recall: a.recalls, Limits: a.recall, Calls: a.store, Keeper: a.store,
		Learnt: a.profile.Invalidate, Log: a.log,
	})
	if err != nil {
		return err
	}
	// Learning comes first: a subject that the person asked to be forgotten is
	// no topic.
	a.register(calls.CallGeneral, a.general, a.learner.Learn, a.general.Finish, a.coolDown)
	if a.packs, err = packs.Load(); err != nil {
		return fmt.Errorf("questions of health checks: %w", err)
	}
	a.health, err = health.New(health.Config{
		Model: a.model, Recall: a.recalls, Limits: a.recall, Packs: a.packs, Checkpoints: a.checkpoints, Store: a.store,
		MaxRetry: a.cfg.Health.MaxRetry, ResumeWindow: a.cfg.Health.ResumeWindow,
		WordsDeadline: a.cfg.Health.WordsDeadline, ReadDeadline: a.cfg.Health.ReadDeadline,
		Log: a.log, Metrics: a.metrics,
	})
	if err != nil {
		return err
	}
	ending := a.health.Finish
	if !a.cfg.Redis.URL.Empty() {
		ending = afterRedis(a.checkpoints.Ping, ending)
	}
	a.register(calls.CallHealthCheck, a.health, ending, a.learner.Learn, a.coolDown)
	a.withdrawn = newWithdrawn(a)
	a.follower.OnTouch(a.forgot) // the command line forgets in another process
	return nil
}

// lastCalls is how many of a person's latest calls are examined.
const lastCalls = 5

// runningCheck returns the state so far of a person's health check that is
// under way. The second result is false if there is none.
func (a *App) runningCheck(ctx context.Context, id store.PersonID) (checks.Check, bool, error) {
	callList, err := a.store.Calls(ctx, calls.CallFilter{PersonID: id, Limit: lastCalls})
	if err != nil {
		return checks.Check{}, false, err
	}
	for _, c := range callList {
		if c.Live() && c.Type == calls.CallHealthCheck {
			return a.health.Running(ctx, c)
		}
	}
	return checks.Check{}, false, nil
}

// inboundType returns the type of a call that a person makes to us: a health
// check if one was broken off recently, else a general call.
func (a *App) inboundType(ctx context.Context, p people.Person) calls.CallType {
	open, err := a.health.Open(ctx, p)
	if err != nil {
		a.log.WarnContext(ctx, "caller is taken for one who wants company", slog.String("person_id", p.ID.String()), slog.Any("err", err))
	}
	if open {
		return calls.CallHealthCheck
	}
	return calls.CallGeneral
}
