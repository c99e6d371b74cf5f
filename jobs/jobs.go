// Package jobs is the work that can wait: what follows a call, or a written
// conversation, kept as River jobs in PostgreSQL and worked by the same process that carries the calls.
//
// It promises that a job exists exactly when the transaction that asked for it
// was committed, that post-call work runs one at a time and no oftener than
// configured across all processes, and that a job which gives up stays visible
// and can be tried again. What the work is, is decided by the personas.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Finisher does what a persona does after a call of its type. It is called
// again after a failure, so each of its steps must bear being done twice.
type Finisher interface {
	Finish(ctx context.Context, c calls.Call) error
}

// Config is how jobs run. The zero value of each field is its default.
type Config struct {
	Delay       time.Duration // between a call's end and its post-call work, default 3 s
	PerMinute   int           // jobs of a kind that may begin in 60 s, across processes, default 3
	MaxAttempts int           // tries before a job gives up, default 8
	Timeout     time.Duration // of one try, default 2 min
	// CallBackDelay is between a call that was given up and the call back, so that
	// what was wrong may pass; default 2 min.
	CallBackDelay time.Duration
	// CallBack calls the person of such a call back. It is called again after a
	// failure, and where it says in what time. Default: nobody does.
	CallBack func(ctx context.Context, c calls.Call) (again time.Duration, err error)
	SoftStop time.Duration // how long Stop lets a running job go on, default 10 s
	Chores   []Chore       // housekeeping, done by one process; default none
	// Writing does what follows what a person wrote. It is called again after a
	// failure. Default: nobody does.
	Writing func(ctx context.Context, w memories.Writing) error
}

// Jobs is the queue and its workers. It may be used concurrently.
type Jobs struct {
	cfg    Config
	store  *store.Store
	client *river.Client[pgx.Tx]
	log    *slog.Logger
}

// New makes the queue; Start begins to work on it. finishers says what follows
// a call of each type.
func New(cfg Config, st *store.Store, finishers map[calls.CallType]Finisher, log *slog.Logger, reg prometheus.Registerer) (*Jobs, error) {
	cfg.Delay = cmp.Or(cfg.Delay, 3*time.Second)
	cfg.PerMinute = cmp.Or(cfg.PerMinute, 3)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 8)
	cfg.Timeout = cmp.Or(cfg.Timeout, 2*time.Minute)
	cfg.CallBackDelay = cmp.Or(cfg.CallBackDelay, 2*time.Minute)
	cfg.SoftStop = cmp.Or(cfg.SoftStop, 10*time.Second)
	m := newMetrics(reg)
	workers := river.NewWorkers()
	limit := store.Limit{Starts: cfg.PerMinute, Per: time.Minute}
	river.AddWorker(workers, &postCallWorker{store: st, finishers: finishers, limit: limit, log: log, metrics: m, now: time.Now})
	river.AddWorker(workers, &writingWorker{store: st, learn: cfg.Writing, limit: limit, log: log, metrics: m})
	river.AddWorker(workers, &callBackWorker{store: st, call: cfg.CallBack, log: log, metrics: m})
	schedule := addChores(workers, cfg.Chores, log, m)
	client, err := river.NewClient(riverpgxv5.New(st.Pool()), &river.Config{
		Logger:      quiet(log), // River tells its own story; ours are the jobs
		Workers:     workers,
		Queues:      map[string]river.QueueConfig{queuePostCall: {MaxWorkers: 1}, queueWriting: {MaxWorkers: 1}, queueCallBack: {MaxWorkers: 1}, queueChores: {MaxWorkers: 1}},
		MaxAttempts: cfg.MaxAttempts,
		JobTimeout:  cfg.Timeout,

		PeriodicJobs: schedule,
		// A job whose process died is given to another soon after it must have ended.
		RescueStuckJobsAfter:        cfg.Timeout + time.Minute,
		SoftStopTimeout:             cfg.SoftStop,
		DiscardedJobRetentionPeriod: 90 * 24 * time.Hour, // what gave up waits for a human
		ErrorHandler:                &errorHandler{store: st, log: log, metrics: m},
	})
	if err != nil {
		return nil, fmt.Errorf("make job client: %w", err)
	}
	return &Jobs{cfg: cfg, store: st, client: client, log: log}, nil
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

// Lacking says what the queue's own tables lack, if anything.
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

// Start begins to work. The context only bounds the start: [Jobs.Stop] ends the work.
func (j *Jobs) Start(ctx context.Context) error {
	if err := j.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	return nil
}

// Stop lets the running job end, for at most the configured time, and waits.
func (j *Jobs) Stop(ctx context.Context) error {
	if err := j.client.Stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("stop jobs: %w", err)
	}
	return nil
}

// Schedule inserts the post-call job of a call inside tx, and where the call was
// given up, that to call back. A call without a conversation has nothing to work on
// and gets none; a second job for one conversation is dropped.
func (j *Jobs) Schedule(ctx context.Context, tx store.Tx, c calls.Call) error {
	if c.ConversationID == "" {
		return nil
	}
	if c.Ending != nil && c.Ending.Cause == calls.CauseTrouble && c.PersonID.Known() {
		if err := j.scheduleCallBack(ctx, tx, c); err != nil {
			return err
		}
	}
	_, err := j.client.InsertTx(ctx, tx.Driver(), PostCallArgs{ConversationID: c.ConversationID, CallID: c.ID.String()}, &river.InsertOpts{
		Queue:       queuePostCall,
		ScheduledAt: time.Now().Add(j.cfg.Delay),
		UniqueOpts:  river.UniqueOpts{ByArgs: true},
	})
	if err != nil {
		return fmt.Errorf("insert post-call job of call %s: %w", c.ID, err)
	}
	return nil
}

// quiet drops what a migration tells below a warning: it is not the operator's story.
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

// Enabled lets through what is at or above the floor.
func (h levelFloor) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.floor && h.Handler.Enabled(ctx, l)
}
