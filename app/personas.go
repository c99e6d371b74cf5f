package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/general"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
)

// persona is one thing that nAIber can be: it answers turns, and does what
// follows the call.
type persona interface {
	orchestration.Persona
	jobs.Finisher
}

// register makes a persona what a type of call is carried by. A type that has
// none cannot be asked for.
func (a *App) register(t store.CallType, p persona) { a.replies[t], a.finishers[t] = p, p }

func (a *App) makePersonas(context.Context) (err error) {
	a.profile = memory.NewProfile(memory.Config{Source: a.store, Consents: a.store})
	a.general, err = general.New(general.Config{
		Model: a.model, Recaller: a.profile, Calls: a.store, Keeper: a.store, OptOuts: a.store,
		Learnt: a.profile.Invalidate, RAGEnabled: a.cfg.RAG.Enabled, Deadline: a.cfg.RAG.Deadline, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.register(store.CallGeneral, a.general)
	questions, err := packs.Load()
	if err != nil {
		return fmt.Errorf("questions of health checks: %w", err)
	}
	a.health, err = health.New(health.Config{
		Model: a.model, Packs: questions, Checkpoints: a.checkpoints, Store: a.store,
		MaxRetry: a.cfg.Health.MaxRetry, ResumeWindow: a.cfg.Health.ResumeWindow,
		WordsDeadline: a.cfg.Health.WordsDeadline, ReadDeadline: a.cfg.Health.ReadDeadline,
		Log: a.log, Metrics: a.metrics,
	})
	if err != nil {
		return err
	}
	a.register(store.CallHealthCheck, a.health)
	return nil
}

// inboundType says what the call of a person who phones us is about: a health
// check, where one was broken off not long ago.
func (a *App) inboundType(ctx context.Context, p store.Person) store.CallType {
	open, err := a.health.Open(ctx, p)
	if err != nil {
		a.log.WarnContext(ctx, "caller is taken for one who wants company", slog.String("person_id", p.ID.String()), slog.Any("err", err))
	}
	if open {
		return store.CallHealthCheck
	}
	return store.CallGeneral
}
