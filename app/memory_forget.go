package app

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
)

// forgetter obeys what a person asked to be forgotten.
type forgetter struct{ service *service.Service }

var _ learn.Forgetter = forgetter{}

// Forget forgets what a request names. What is gone already stays so.
func (f forgetter) Forget(ctx context.Context, r learn.ForgetRequest) error {
	for _, part := range forgetParts(r) {
		part.Person, part.By = r.Person, "person"
		if _, err := f.service.Forget(ctx, part); err != nil && (len(part.Memories) == 0 || !errors.Is(err, store.ErrNotFound)) {
			return err
		}
	}
	return nil
}

// forgetParts are what a request comes to: all; or a day, the lines that it names
// and what was said about its topic until it was asked. The turns of lines go with
// these; where there are none, each turn is by itself, for it may be gone.
func forgetParts(r learn.ForgetRequest) []forget.Request {
	if r.All {
		return []forget.Request{{All: true}}
	}
	var parts []forget.Request
	if r.Day != "" {
		parts = append(parts, forget.Request{Day: r.Day})
	}
	if r.Topic != "" || len(r.Utterances) > 0 {
		parts = append(parts, forget.Request{Lines: r.Utterances, Topic: r.Topic, Until: r.At})
	}
	if len(r.Utterances) == 0 {
		for _, id := range r.Turns {
			parts = append(parts, forget.Request{Memories: []uuid.UUID{id}})
		}
	}
	return parts
}

// forgot drops the copies that this process has of what is known about a person,
// or with the zero id about everybody.
func (a *App) forgot(id store.PersonID) {
	a.profile.Invalidate(id)
	if a.withdrawn != nil {
		a.withdrawn.touch(id)
	}
	a.recalls.Forgotten(id)
}

const (
	// eraseEvery is how often vectors are deleted that could not be at once.
	eraseEvery = time.Minute
	// retentionEvery is how often it is looked for what has been kept long enough.
	retentionEvery = 6 * time.Hour
)

// memoryChores are the housekeeping of memory.
func (a *App) memoryChores() []jobs.Chore {
	chores := []jobs.Chore{
		{Name: "erase_memory", Every: eraseEvery, Do: a.eraseMemory},
		{Name: "learn_writing", Every: min(writingEvery, a.cfg.Chat.LearnAfter), Do: a.takeWriting},
	}
	if a.cfg.Memory.RetentionDays > 0 {
		chores = append(chores, jobs.Chore{Name: "sweep_memory", Every: retentionEvery, Do: a.sweepMemory})
	}
	return chores
}

func (a *App) eraseMemory(ctx context.Context) error {
	_, err := a.memory.EraseForgotten(ctx)
	return err
}

// sweepMemory forgets what was said longer ago than it is kept.
func (a *App) sweepMemory(ctx context.Context) error {
	n, err := a.memory.Sweep(ctx, time.Now().AddDate(0, 0, -a.cfg.Memory.RetentionDays))
	if n > 0 {
		a.log.InfoContext(ctx, "old memories forgotten", "count", n)
	}
	return err
}
