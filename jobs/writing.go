package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

const queueWriting = "writing"

// WritingArgs is a job for the work after a stretch of writing: one for each.
type WritingArgs struct {
	Session  uuid.UUID `json:"session" river:"unique"`
	PersonID uuid.UUID `json:"personId"`
	After    time.Time `json:"after"`
	Through  time.Time `json:"through" river:"unique"`
}

// Kind returns the job's name in the queue.
func (WritingArgs) Kind() string { return "writing" }

// ScheduleWriting inserts the job of a stretch, inside tx.
func (j *Jobs) ScheduleWriting(ctx context.Context, tx store.Tx, w memories.Writing) error {
	args := WritingArgs{Session: w.Session, PersonID: w.PersonID.UUID, After: w.After.UTC(), Through: w.Through.UTC()}
	return j.insert(ctx, tx, args, queueWriting, time.Time{})
}

// workWriting calls Config.Writing, subject to the same limits as post-call work.
func (j *Jobs) workWriting(ctx context.Context, job *river.Job[WritingArgs]) error {
	if j.cfg.Writing == nil {
		return river.JobCancel(errors.New("nobody learns from what is written"))
	}
	return j.inTurn(ctx, queueWriting, func() error {
		began, a := time.Now(), job.Args
		err := j.cfg.Writing(ctx, memories.Writing{Session: a.Session, PersonID: store.PersonID{UUID: a.PersonID}, After: a.After, Through: a.Through})
		switch {
		case errors.Is(err, store.ErrNotFound):
			return river.JobCancel(fmt.Errorf("what was written is forgotten: %w", err))
		case err != nil:
			return err
		}
		elapsed := time.Since(began)
		j.metrics.done(job.Kind, "completed", elapsed)
		j.log.InfoContext(ctx, "learned from writing", "session", a.Session, "job_id", job.ID, "attempt", job.Attempt, "elapsed_ms", elapsed.Milliseconds())
		return nil
	})
}
