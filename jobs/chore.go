package jobs

import (
	"context"
	"fmt"
	"log/slog"
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

type choreWorker struct {
	river.WorkerDefaults[choreArgs]

	chores  map[string]Chore
	log     *slog.Logger
	metrics *metrics
}

// Work does one round of a chore.
func (w *choreWorker) Work(ctx context.Context, job *river.Job[choreArgs]) error {
	chore, ok := w.chores[job.Args.Name]
	if !ok { // it was asked for by a newer or an older version
		return river.JobCancel(fmt.Errorf("there is no chore %q here", job.Args.Name))
	}
	began := time.Now()
	if err := chore.Do(ctx); err != nil {
		return fmt.Errorf("chore %s: %w", chore.Name, err)
	}
	elapsed := time.Since(began)
	w.metrics.done(job.Kind, "completed", elapsed)
	w.log.DebugContext(ctx, "chore done", "job_id", job.ID, "kind", chore.Name, "elapsed_ms", elapsed.Milliseconds())
	return nil
}

// addChores registers the chores' worker and returns their schedule.
func addChores(workers *river.Workers, chores []Chore, log *slog.Logger, m *metrics) []*river.PeriodicJob {
	w := &choreWorker{chores: make(map[string]Chore, len(chores)), log: log, metrics: m}
	river.AddWorker(workers, w)
	var schedule []*river.PeriodicJob
	for _, chore := range chores {
		w.chores[chore.Name] = chore
		schedule = append(schedule, river.NewPeriodicJob(river.PeriodicInterval(chore.Every),
			func() (river.JobArgs, *river.InsertOpts) {
				return choreArgs{Name: chore.Name}, &river.InsertOpts{
					Queue: queueChores, MaxAttempts: choreTries,
					UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: chore.Every},
				}
			}, &river.PeriodicJobOpts{ID: chore.Name, RunOnStart: true}))
	}
	return schedule
}
