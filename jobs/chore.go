package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

const queueChores = "chores"

// choreTries is the maximum number of tries of one round of a chore; the next round comes
// anyway.
const choreTries = 3

// Chore is a periodic housekeeping task, run by one of all processes.
type Chore struct {
	Name  string        // unique; must not change
	Every time.Duration // also run at startup, unless it has run in the same period
	Do    func(ctx context.Context) error
}

// choreArgs is a job for one round of a chore.
type choreArgs struct {
	Name string `json:"name"`
}

// Kind returns the job's name in the queue.
func (choreArgs) Kind() string { return "chore" }

// workChore runs one round of a chore.
func (j *Jobs) workChore(ctx context.Context, job *river.Job[choreArgs]) error {
	i := slices.IndexFunc(j.cfg.Chores, func(c Chore) bool { return c.Name == job.Args.Name })
	if i < 0 { // scheduled by a newer or an older version
		return river.JobCancel(fmt.Errorf("there is no chore %q here", job.Args.Name))
	}
	began := time.Now()
	if err := j.cfg.Chores[i].Do(ctx); err != nil {
		return fmt.Errorf("chore %s: %w", job.Args.Name, err)
	}
	elapsed := time.Since(began)
	j.metrics.done(job.Kind, "completed", elapsed)
	j.log.DebugContext(ctx, "chore done", "job_id", job.ID, "kind", job.Args.Name, "elapsed_ms", elapsed.Milliseconds())
	return nil
}

// periodic returns the periodic job that runs the chore.
func (c Chore) periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(c.Every), func() (river.JobArgs, *river.InsertOpts) {
		return choreArgs{Name: c.Name}, &river.InsertOpts{
			Queue: queueChores, MaxAttempts: choreTries, UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: c.Every},
		}
	}, &river.PeriodicJobOpts{ID: c.Name, RunOnStart: true})
}
