package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
)

const queueCouncil = "council"

// CouncilArgs is a job that continues a discussion from an event.
type CouncilArgs struct {
	Discussion uuid.UUID `json:"discussion" river:"unique"`
	Seq        int64     `json:"seq" river:"unique"`
}

// Kind returns the job's name in the queue.
func (CouncilArgs) Kind() string { return "council" }

// ScheduleCouncil inserts, inside tx, the job that continues a discussion from its event
// seq.
func (j *Jobs) ScheduleCouncil(ctx context.Context, tx store.Tx, id uuid.UUID, seq int64) error {
	return j.insert(ctx, tx, CouncilArgs{Discussion: id, Seq: seq}, queueCouncil, time.Time{})
}

// councilTimeout limits one try, which takes as long as its speakers. A chore resumes the
// discussions of a dead process, long before the job is rescued.
const councilTimeout = 30 * time.Minute

type councilWorker struct {
	river.WorkerDefaults[CouncilArgs]

	j *Jobs
}

func (councilWorker) Timeout(*river.Job[CouncilArgs]) time.Duration { return councilTimeout }

func (w councilWorker) Work(ctx context.Context, job *river.Job[CouncilArgs]) error {
	if w.j.cfg.Council == nil {
		return river.JobCancel(errors.New("there is no council"))
	}
	began := time.Now()
	err := w.j.cfg.Council(ctx, job.Args.Discussion)
	if errors.Is(err, store.ErrNotFound) {
		return river.JobCancel(fmt.Errorf("the discussion is forgotten: %w", err))
	}
	if err == nil {
		w.j.metrics.done(job.Kind, "completed", time.Since(began))
	}
	return err
}
