package jobs

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
)

const (
	// queueAlerts is a separate queue: neither a model nor post-call work may delay an
	// alert.
	queueAlerts = "alerts"
	// alertsAtOnce is how many steps and notices a process handles concurrently.
	alertsAtOnce = 20
	// alertTimeout limits one try. It exceeds the limit of a channel.
	alertTimeout = time.Minute
)

// Escalation notifies people of alerts. *escalation.Escalation implements it.
type Escalation interface {
	// Step takes a step of an alert's ladder.
	Step(ctx context.Context, d alerts.Due) error
	// Send sends a notice.
	Send(ctx context.Context, notice uuid.UUID) error
	// Sweep does overdue work.
	Sweep(ctx context.Context) error
}

// EscalateArgs is a job that takes a step of an alert's ladder.
type EscalateArgs struct {
	Alert uuid.UUID `json:"alert" river:"unique"`
	Run   int       `json:"run" river:"unique"`
	Step  int       `json:"step" river:"unique"`
}

// Kind returns the job's name in the queue.
func (EscalateArgs) Kind() string { return "escalate" }

// NoticeArgs is a job that sends a notice of an alert.
type NoticeArgs struct {
	Notice uuid.UUID `json:"notice" river:"unique"`
}

// Kind returns the job's name in the queue.
func (NoticeArgs) Kind() string { return "notice" }

// ScheduleEscalation inserts the job that takes a step of an alert's ladder at a time, zero
// for now, inside tx.
func (j *Jobs) ScheduleEscalation(ctx context.Context, tx store.Tx, d alerts.Due, at time.Time) error {
	return j.insert(ctx, tx, EscalateArgs{Alert: d.ID, Run: d.Run, Step: d.Step}, queueAlerts, at)
}

// ScheduleNotice inserts the job that sends a notice at a time, zero for now, inside tx.
func (j *Jobs) ScheduleNotice(ctx context.Context, tx store.Tx, id uuid.UUID, at time.Time) error {
	return j.insert(ctx, tx, NoticeArgs{Notice: id}, queueAlerts, at)
}

// alertWorker works on one kind of job of the queue.
type alertWorker[T river.JobArgs] struct {
	river.WorkerDefaults[T]

	j  *Jobs
	do func(ctx context.Context, e Escalation, args T) error
}

func (alertWorker[T]) Timeout(*river.Job[T]) time.Duration { return alertTimeout }

// NextRetry returns a time sooner than for other jobs, since an alert may be an emergency.
func (alertWorker[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(time.Duration(job.Attempt) * 5 * time.Second)
}

func (w alertWorker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	if w.j.cfg.Escalation == nil {
		return errors.New("nobody is told of alerts here")
	}
	began := time.Now()
	err := w.do(ctx, w.j.cfg.Escalation, job.Args)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, alerts.ErrPassed):
		return nil // forgotten, or done by another process
	case err == nil:
		w.j.metrics.done(job.Kind, "completed", time.Since(began))
	}
	return err
}

func (j *Jobs) addAlertWorkers(workers *river.Workers) {
	river.AddWorker(workers, alertWorker[EscalateArgs]{j: j, do: func(ctx context.Context, e Escalation, a EscalateArgs) error {
		return e.Step(ctx, alerts.Due{ID: a.Alert, Run: a.Run, Step: a.Step})
	}})
	river.AddWorker(workers, alertWorker[NoticeArgs]{j: j, do: func(ctx context.Context, e Escalation, a NoticeArgs) error { return e.Send(ctx, a.Notice) }})
}

// startSweeping starts sweeping periodically until [Jobs.Stop], in each process: the jobs
// of a dead process are rescued much later. It is not a job itself, so a paused or stuck
// queue cannot delay an alert for long.
func (j *Jobs) startSweeping(ctx context.Context) {
	if j.cfg.Escalation == nil {
		return
	}
	j.loops.Go(func() {
		for tick := time.Tick(j.cfg.SweepAlerts); ; {
			j.sweepAlerts(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
		}
	})
}

// SweptAt returns when this process last swept alerts successfully; zero means never.
func (j *Jobs) SweptAt() time.Time {
	if at := j.swept.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

func (j *Jobs) sweepAlerts(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil { // it runs outside of a job that would recover
			j.log.ErrorContext(ctx, "sweep of alerts panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, alertTimeout)
	defer cancel()
	err := j.cfg.Escalation.Sweep(ctx)
	switch {
	case err == nil:
		j.swept.Store(time.Now().UnixNano())
	case !errors.Is(ctx.Err(), context.Canceled):
		j.log.ErrorContext(ctx, "sweep of alerts failed", "err", err)
	}
}
