// Package jobs runs deferred work: what follows a call, or a written conversation, stored
// as River jobs in PostgreSQL and run by the same process that carries the calls.
//
// It guarantees that a job exists exactly when the transaction that inserted it was
// committed, that post-call work runs one at a time and no more often than configured
// across all processes, and that a job that gives up stays visible and can be retried. The
// personas define the work.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Finisher does a persona's work after a call of its type. It is called again after a
// failure, so each of its steps must be idempotent.
type Finisher func(ctx context.Context, c calls.Call) error

// Config configures [Jobs]. Zero fields take their defaults.
type Config struct {
	Delay       time.Duration // from a call's end to its post-call work, default 3 s
	PerMinute   int           // jobs of a kind that may start in 60 s, across processes, default 3
	MaxAttempts int           // tries before a job gives up, default 8
	Timeout     time.Duration // of one try, default 2 min
	// CallBackDelay is the pause between a call that was given up and the call back, in
	// which the cause may pass; default 2 min.
	CallBackDelay time.Duration
	// CallBack calls the person of such a call back. It is called again after a failure or,
	// if it returns a positive duration, after that. If nil, no one is called back.
	CallBack func(ctx context.Context, c calls.Call) (again time.Duration, err error)
	SoftStop time.Duration // how long Stop lets a running job continue, default 10 s
	Chores   []Chore       // housekeeping, run by one process; default none
	// Writing does what follows a person's writing. It is called again after a failure. If
	// nil, the jobs are canceled.
	Writing func(ctx context.Context, w memories.Writing) error
	// Council continues a discussion until it waits or ends. If nil, the jobs are canceled.
	Council func(ctx context.Context, discussion uuid.UUID) error
	// Mail sends a mail; last says that it is not tried again. If nil, the jobs fail.
	Mail func(ctx context.Context, id uuid.UUID, last bool) error
	// Dial places the scheduled call of a try of an occurrence. It is called again after a
	// failure. If nil, the jobs are canceled.
	Dial func(ctx context.Context, occurrence uuid.UUID, try int) error
	// Dials is how many calls this process places concurrently; default 4.
	Dials int
	// Escalation notifies people of alerts. If nil, no one is notified.
	Escalation  Escalation
	SweepAlerts time.Duration // interval of the sweeps of alerts, default 15 s
	// Webhook posts a delivery of an event; last says that it is not tried again. If nil,
	// deliveries wait.
	Webhook func(ctx context.Context, delivery uuid.UUID, last bool) error
	// Discussions is how many discussions this process continues concurrently; default 4.
	Discussions int
}

// Jobs is the queue with its workers. It may be used concurrently.
type Jobs struct {
	cfg       Config
	store     *store.Store
	finishers map[calls.CallType]Finisher
	client    *river.Client[pgx.Tx]
	log       *slog.Logger
	metrics   *metrics

	loops    sync.WaitGroup     // loops outside of the queues
	endLoops context.CancelFunc // nil if not started
	swept    atomic.Int64       // time of the last successful sweep of alerts, in Unix nanoseconds
}

// New returns the queue; [Jobs.Start] starts to work on it. finishers holds the work after
// a call of each type.
func New(cfg Config, st *store.Store, finishers map[calls.CallType]Finisher, log *slog.Logger, reg prometheus.Registerer) (*Jobs, error) {
	cfg.Delay = cmp.Or(cfg.Delay, 3*time.Second)
	cfg.PerMinute = cmp.Or(cfg.PerMinute, 3)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 8)
	cfg.Timeout = cmp.Or(cfg.Timeout, 2*time.Minute)
	cfg.CallBackDelay = cmp.Or(cfg.CallBackDelay, 2*time.Minute)
	cfg.SweepAlerts = cmp.Or(cfg.SweepAlerts, 15*time.Second)
	cfg.SoftStop = cmp.Or(cfg.SoftStop, 10*time.Second)
	j := &Jobs{cfg: cfg, store: st, finishers: finishers, log: log, metrics: newMetrics(reg)}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(j.workPostCall))
	river.AddWorker(workers, river.WorkFunc(j.workWriting))
	river.AddWorker(workers, river.WorkFunc(j.workCallBack))
	river.AddWorker(workers, river.WorkFunc(j.workChore))
	river.AddWorker(workers, councilWorker{j: j})
	river.AddWorker(workers, river.WorkFunc(j.workMail))
	river.AddWorker(workers, river.WorkFunc(j.workDial))
	river.AddWorker(workers, webhookWorker{j: j})
	j.addAlertWorkers(workers)
	var schedule []*river.PeriodicJob
	for _, chore := range cfg.Chores {
		schedule = append(schedule, chore.periodic())
	}
	var err error
	j.client, err = river.NewClient(riverpgxv5.New(st.Pool()), &river.Config{
		Logger:      quiet(log), // only warnings: the jobs have their own log lines
		Workers:     workers,
		Queues:      map[string]river.QueueConfig{queuePostCall: {MaxWorkers: 1}, queueWriting: {MaxWorkers: 1}, queueCallBack: {MaxWorkers: 1}, queueChores: {MaxWorkers: 1}, queueCouncil: {MaxWorkers: cmp.Or(cfg.Discussions, 4)}, queueMail: {MaxWorkers: 2}, queueAlerts: {MaxWorkers: alertsAtOnce}, queueDial: {MaxWorkers: cmp.Or(cfg.Dials, 4)}, queueWebhooks: {MaxWorkers: webhooksAtOnce}},
		MaxAttempts: cfg.MaxAttempts,
		JobTimeout:  cfg.Timeout,

		PeriodicJobs: schedule,
		// A job whose process died is rescued soon after it must have ended.
		RescueStuckJobsAfter:        cfg.Timeout + time.Minute,
		SoftStopTimeout:             cfg.SoftStop,
		DiscardedJobRetentionPeriod: 90 * 24 * time.Hour, // keep what gave up for a human
		ErrorHandler:                errorHandler{j},
	})
	if err != nil {
		return nil, fmt.Errorf("make job client: %w", err)
	}
	return j, nil
}

// Migrate brings the queue's own tables up to date.
func Migrate(ctx context.Context, st *store.Store, log *slog.Logger) error {
	m, err := migrator(st, log)
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	return nil
}

// Lacking returns what the queue's own tables lack, if anything.
func Lacking(ctx context.Context, st *store.Store) ([]string, error) {
	m, err := migrator(st, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	res, err := m.Validate(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("validate job migrations: %w", err)
	}
	return res.Messages, nil
}

func migrator(st *store.Store, log *slog.Logger) (*rivermigrate.Migrator[pgx.Tx], error) {
	m, err := rivermigrate.New(riverpgxv5.New(st.Pool()), &rivermigrate.Config{Logger: quiet(log)})
	if err != nil {
		return nil, fmt.Errorf("read job migrations: %w", err)
	}
	return m, nil
}

// Start starts the workers. The context only limits the start: [Jobs.Stop] stops the work.
func (j *Jobs) Start(ctx context.Context) error {
	if err := j.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	ctx, j.endLoops = context.WithCancel(context.WithoutCancel(ctx))
	j.startSweeping(ctx)
	j.startRelaying(ctx)
	return nil
}

// Stop lets running jobs finish, for at most the configured time, and waits for them.
func (j *Jobs) Stop(ctx context.Context) error {
	if j.endLoops != nil {
		j.endLoops()
	}
	j.loops.Wait() // a sweep in progress ends soon
	if err := j.client.Stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("stop jobs: %w", err)
	}
	return nil
}

// Schedule inserts the post-call job of a call inside tx and, if the call is owed a call
// back, the job for that. For a call without a conversation it inserts none; a second job
// for one conversation is dropped.
func (j *Jobs) Schedule(ctx context.Context, tx store.Tx, c calls.Call) error {
	if c.ConversationID == "" {
		return nil
	}
	if owesCall(c) {
		if err := j.scheduleCallBack(ctx, tx, c); err != nil {
			return err
		}
	}
	args := PostCallArgs{ConversationID: c.ConversationID, CallID: c.ID.String()}
	return j.insert(ctx, tx, args, queuePostCall, time.Now().Add(j.cfg.Delay))
}

// insert inserts a job that is due at a time, zero for now, inside tx. A second one with
// the same unique arguments is dropped.
func (j *Jobs) insert(ctx context.Context, tx store.Tx, args river.JobArgs, queue string, at time.Time) error {
	if !at.After(time.Now()) {
		at = time.Time{} // River looks for jobs with a time only every 5 s, even if it is past
	}
	_, err := j.client.InsertTx(ctx, tx.Driver(), args, &river.InsertOpts{Queue: queue, ScheduledAt: at, UniqueOpts: river.UniqueOpts{ByArgs: true}})
	if err != nil {
		return fmt.Errorf("insert %s job %+v: %w", args.Kind(), args, err)
	}
	return nil
}

// inTurn calls do if no other job of the queue is running and not too many have started
// recently, in any process; otherwise it postpones the job.
func (j *Jobs) inTurn(ctx context.Context, queue string, do func() error) error {
	release, wait, err := j.store.Admit(ctx, queue, store.Limit{Starts: j.cfg.PerMinute, Per: time.Minute}, time.Now())
	if err != nil {
		return err
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	defer release()
	return do()
}

// quiet drops messages below a warning.
func quiet(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(levelFloor{log.Handler(), slog.LevelWarn})
}

type levelFloor struct {
	slog.Handler
	floor slog.Level
}

// Enabled reports whether the level is at or above the floor.
func (h levelFloor) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.floor && h.Handler.Enabled(ctx, l)
}
