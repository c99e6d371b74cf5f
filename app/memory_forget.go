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

// forgetter forgets what a person asked to be forgotten.
type forgetter struct{ service *service.Service }

var _ learn.Forgetter = forgetter{}

// Forget forgets what a request names. What is forgotten already is no error.
func (f forgetter) Forget(ctx context.Context, r learn.ForgetRequest) error {
	for _, part := range forgetParts(r) {
		part.Person, part.By = r.Person, "person"
		if _, err := f.service.Forget(ctx, part); err != nil && (len(part.Memories) == 0 || !errors.Is(err, store.ErrNotFound)) {
			return err
		}
	}
	return nil
}

// forgetParts splits a request: into all; or into a day, and the lines that it
// names with what was said about its topic before the request. The turns of
// lines are forgotten with them. Without lines, each turn is a request of its
// own, because it may be gone already.
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

// forgot drops this process's copies of what is known about a person, or about
// everybody for the zero id.
func (a *App) forgot(id store.PersonID) {
	a.profile.Invalidate(id)
	if a.withdrawn != nil {
		a.withdrawn.touch(id)
	}
	a.recalls.Forgotten(id)
}

const (
	// eraseEvery is how often vectors that could not be deleted at once are
	// deleted.
	eraseEvery = time.Minute
	// retentionEvery is how often memories past their retention are looked for.
	retentionEvery = 6 * time.Hour
)

// memoryChores returns the housekeeping of memory.
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

// sweepMemory forgets what was said more than Memory.RetentionDays ago.
func (a *App) sweepMemory(ctx context.Context) error {
	n, err := a.memory.Sweep(ctx, time.Now().AddDate(0, 0, -a.cfg.Memory.RetentionDays))
	if n > 0 {
		a.log.InfoContext(ctx, "old memories forgotten", "count", n)
	}
	return err
}
