package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

const queueWriting = "writing"

// WritingArgs is a job for what follows a stretch of writing: one for each.
type WritingArgs struct {
	Session  uuid.UUID `json:"session" river:"unique"`
	PersonID uuid.UUID `json:"personId"`
	After    time.Time `json:"after"`
	Through  time.Time `json:"through" river:"unique"`
}

// Kind names the job in the queue.
func (WritingArgs) Kind() string { return "writing" }

// ScheduleWriting inserts the job of a stretch inside tx.
func (j *Jobs) ScheduleWriting(ctx context.Context, tx store.Tx, w memories.Writing) error {
	args := WritingArgs{Session: w.Session, PersonID: w.PersonID.UUID, After: w.After.UTC(), Through: w.Through.UTC()}
	_, err := j.client.InsertTx(ctx, tx.Driver(), args, &river.InsertOpts{Queue: queueWriting, UniqueOpts: river.UniqueOpts{ByArgs: true}})
	if err != nil {
		return fmt.Errorf("insert job of session %s: %w", w.Session, err)
	}
	return nil
}

type writingWorker struct {
	river.WorkerDefaults[WritingArgs]

	store   *store.Store
	learn   func(ctx context.Context, w memories.Writing) error
	limit   store.Limit
	log     *slog.Logger
	metrics *metrics
}

// Work does what follows the writing, as often as post-call work may begin.
func (w *writingWorker) Work(ctx context.Context, job *river.Job[WritingArgs]) error {
	if w.learn == nil {
		return river.JobCancel(errors.New("nobody learns from what is written"))
	}
	release, wait, err := w.store.Admit(ctx, queueWriting, w.limit, time.Now())
	if err != nil {
		return err
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	defer release()
	began, a := time.Now(), job.Args
	err = w.learn(ctx, memories.Writing{Session: a.Session, PersonID: store.PersonID{UUID: a.PersonID}, After: a.After, Through: a.Through})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return river.JobCancel(fmt.Errorf("what was written is forgotten: %w", err))
	case err != nil:
		return err
	}
	elapsed := time.Since(began)
	w.metrics.done(job.Kind, "completed", elapsed)
	w.log.InfoContext(ctx, "learned from writing", "session", a.Session, "job_id", job.ID, "attempt", job.Attempt, "elapsed_ms", elapsed.Milliseconds())
	return nil
}
