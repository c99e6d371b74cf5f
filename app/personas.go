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

// register makes a persona what a type of call is carried by, and says what
// follows such a call. A type that has none cannot be asked for.
func (a *App) register(t calls.CallType, p orchestration.Persona, after ...jobs.Finisher) {
	all := inOrder(after)
	a.replies[t], a.finishers[t] = p, func(ctx context.Context, c calls.Call) error {
		if c.Direction == calls.Outbound && c.Withheld() {
			return nil // no persona has heard a word: what was said is not the person's
		}
		return all(ctx, c)
	}
}

// inOrder does all that follows a call, in order. One part that fails does not
// keep the others from being done: the job comes back, and what is done is not
// done again.
func inOrder(parts []jobs.Finisher) jobs.Finisher {
	return func(ctx context.Context, c calls.Call) error {
		var errs []error
		for _, part := range parts {
			errs = append(errs, part(ctx, c))
		}
		return errors.Join(errs...)
	}
}

// heedWithin is how long a turn waits for what it asks not to be raised to be kept.
const heedWithin = 500 * time.Millisecond

// heed keeps what a person says in a turn about what is not to be kept or raised
// before the turn's own search can bring it up. Where that fails, what is learned
// after the call makes up for it.
func (a *App) heed(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if t.Kind == calls.TurnSpeech && !t.Late {
			// It is kept even if the person speaks on: the turn may not come again.
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

// coolDown keeps nAIber from coming back too soon to an illness that was spoken of:
// it sets the limits, until a while after the call's end.
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

// coolDownWriting does the same for what was written.
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

// finishWriting does all that follows what was written, as [inOrder] after a call.
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
	// Learning comes first: what the person asked to be forgotten is no topic.
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
	a.follower.OnTouch(a.forgot) // the command line forgets in a process of its own
	return nil
}

// lastCalls is how far back a call that still goes on is looked for.
const lastCalls = 5

// runningCheck is a person's health check that is under way, as far as it has come.
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

// inboundType says what the call of a person who phones us is about: a health
// check, where one was broken off not long ago.
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
