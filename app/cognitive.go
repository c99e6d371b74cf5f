package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/naiber/naiber/personas/cognitive"
	"github.com/naiber/naiber/personas/cognitive/report"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/cognition"
)

// makeCognitive makes the cognitive check. Its threads are stored in PostgreSQL alone, and it
// uses no model. Nothing is learned from such a call: answers to tasks say nothing about a
// person's life.
func (a *App) makeCognitive(context.Context) (err error) {
	if a.tasks, err = tasks.Load(); err != nil {
		return fmt.Errorf("tasks of cognitive checks: %w", err)
	}
	threads, err := checkpoint.New(a.store, checkpoint.Config{Keep: a.cfg.Checkpoints.Keep, TTL: a.cfg.Checkpoints.TTL, Log: a.log})
	if err != nil {
		return err
	}
	a.onStopDo(threads.Close)
	persona, err := cognitive.New(cognitive.Config{Tasks: a.tasks, Checkpoints: threads, Store: a.store, Pace: a.opts.Pace, Log: a.log, Metrics: a.metrics})
	if err != nil {
		return err
	}
	a.register(calls.CallCognitive, persona, persona.Finish, a.coolDown)
	return nil
}

// writeCognitiveReport writes the report of a person's checks, in the person's time zone. It
// returns [store.ErrNotFound] for an unknown person.
func (a *App) writeCognitiveReport(ctx context.Context, w io.Writer, id string) error {
	pid, err := store.ParsePersonID(id)
	if err != nil {
		return store.ErrNotFound
	}
	p, err := a.store.Person(ctx, pid)
	if err != nil {
		return err
	}
	list, err := a.store.CognitiveChecks(ctx, pid, cognition.Query{Limit: cognition.Lifetime})
	if err != nil {
		return err
	}
	now := time.Now().In(p.Location())
	return report.HTML(w, report.Build(report.Person{Name: p.Name, BirthDate: p.BirthDate}, list, a.tasks.Tasks(p.Language), now))
}
