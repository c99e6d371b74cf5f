package app

import (
	"context"
	"time"

	"github.com/naiber/naiber/store"
)

const (
	// writingEvery is how often new writing is looked for, or more often if
	// Chat.LearnAfter is shorter.
	writingEvery = time.Minute
	// writingPage is how many sessions are taken at once.
	writingPage = 100
)

// takeWriting schedules a job to learn from each session in which people have
// stopped writing for Chat.LearnAfter.
func (a *App) takeWriting(ctx context.Context) error {
	due, err := a.store.WritingDue(ctx, time.Now().Add(-a.cfg.Chat.LearnAfter), writingPage)
	if err != nil {
		return err
	}
	for _, w := range due {
		err := a.store.InTx(ctx, func(tx store.Tx) error {
			ours, err := a.store.TakeWriting(ctx, tx, w)
			if err != nil || !ours {
				return err
			}
			return a.jobs.ScheduleWriting(ctx, tx, w)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
