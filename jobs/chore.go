package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

const queueChores = "chores"

// choreTries is how often a chore is tried; its next round comes anyway.
const choreTries = 3

// Chore is housekeeping that is done every so often by one of all processes.
type Chore struct {
	Name  string        // what tells it from others; it must not change
	Every time.Duration // also done once at a start, unless it was in the same period
	Do    func(ctx context.Context) error
}

// choreArgs is a job for one round of a chore.
type choreArgs struct {
	Name string `json:"name"`
}

// Kind names the job in the queue.
func (choreArgs) Kind() string { return "chore" }

// workChore does one round of a chore.
func (j *Jobs) workChore(ctx context.Context, job *river.Job[choreArgs]) error {
	i := slices.IndexFunc(j.cfg.Chores, func(c Chore) bool { return c.Name == job.Args.Name })
	if i < 0 { // it was asked for by a newer or an older version
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

// periodic is when the chore is done.
func (c Chore) periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(c.Every), func() (river.JobArgs, *river.InsertOpts) {
		return choreArgs{Name: c.Name}, &river.InsertOpts{
			Queue: queueChores, MaxAttempts: choreTries, UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: c.Every},
		}
	}, &river.PeriodicJobOpts{ID: c.Name, RunOnStart: true})
}
