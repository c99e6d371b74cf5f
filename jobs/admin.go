package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"riverqueue.com/riverui"
)

// ErrNoJob says that there is no such job.
var ErrNoJob = errors.New("no such job")

// ErrBadState says that a name is not a state of a job.
var ErrBadState = errors.New("no such state")

// Job is one job, for an operator.
type Job struct {
	ID          int64      `json:"id"`
	Kind        string     `json:"kind"`
	Queue       string     `json:"queue"`
	State       string     `json:"state"`
	Attempt     int        `json:"attempt"`
	MaxAttempts int        `json:"maxAttempts"`
	Args        string     `json:"args"`
	CreatedAt   time.Time  `json:"createdAt"`
	ScheduledAt time.Time  `json:"scheduledAt"`
	AttemptedAt *time.Time `json:"attemptedAt,omitempty"`
	FinalizedAt *time.Time `json:"finalizedAt,omitempty"`
	Errors      []JobError `json:"errors,omitempty"`
}

// JobError is the error of one try.
type JobError struct {
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	Error   string    `json:"error"`
}

// AllKinds makes [Jobs.List] list all kinds.
const AllKinds = "all"

// Kinds lists the kinds of jobs, for [Jobs.List].
var Kinds = []string{
	PostCallArgs{}.Kind(), WritingArgs{}.Kind(), SendMailArgs{}.Kind(), CouncilArgs{}.Kind(), DialArgs{}.Kind(), CallBackArgs{}.Kind(),
	EscalateArgs{}.Kind(), NoticeArgs{}.Kind(), DeliverArgs{}.Kind(), choreArgs{}.Kind(),
}

// States lists the states of jobs, for [Jobs.List].
var States = func() (all []string) {
	for _, s := range rivertype.JobStates() {
		all = append(all, string(s))
	}
	return all
}()

// List returns the newest jobs, only those in state if it is not empty. Without kinds, it
// leaves out chores.
func (j *Jobs) List(ctx context.Context, state string, limit int, kinds ...string) ([]Job, error) {
	params := river.NewJobListParams().First(limit).OrderBy(river.JobListOrderByID, river.SortOrderDesc)
	if state != "" {
		if !slices.Contains(States, state) {
			return nil, fmt.Errorf("%q: %w (%s)", state, ErrBadState, strings.Join(States, ", "))
		}
		params = params.States(rivertype.JobState(state))
	}
	switch {
	case len(kinds) == 0:
		params = params.Where("kind <> @chore", river.NamedArgs{"chore": choreArgs{}.Kind()})
	case !slices.Contains(kinds, AllKinds):
		params = params.Kinds(kinds...)
	}
	res, err := j.client.JobList(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	out := make([]Job, len(res.Jobs))
	for i, row := range res.Jobs {
		out[i] = job(row)
	}
	return out, nil
}

// Show returns one job, or [ErrNoJob].
func (j *Jobs) Show(ctx context.Context, id int64) (Job, error) {
	return found(j.client.JobGet(ctx, id))
}

// Retry makes a job runnable now, even one that gave up, or returns [ErrNoJob].
func (j *Jobs) Retry(ctx context.Context, id int64) (Job, error) {
	return found(j.client.JobRetry(ctx, id))
}

// Cancel removes a job from the queue, or returns [ErrNoJob]. A running job has its context
// canceled.
func (j *Jobs) Cancel(ctx context.Context, id int64) (Job, error) {
	return found(j.client.JobCancel(ctx, id))
}

// Pause stops a queue from starting jobs, in every process; "*" means all queues.
func (j *Jobs) Pause(ctx context.Context, queue string) error {
	if err := j.client.QueuePause(ctx, queue, nil); err != nil {
		return fmt.Errorf("pause queue %s: %w", queue, err)
	}
	return nil
}

// Resume resumes a paused queue; "*" means all queues.
func (j *Jobs) Resume(ctx context.Context, queue string) error {
	if err := j.client.QueueResume(ctx, queue, nil); err != nil {
		return fmt.Errorf("resume queue %s: %w", queue, err)
	}
	return nil
}

// Stats is the state of the queues.
type Stats struct {
	Counts map[string]map[string]int `json:"counts"` // kind → state → jobs
	Paused []string                  `json:"paused"` // queues
	// Oldest is when the longest-waiting runnable job was due; nil if none is waiting.
	Oldest *time.Time `json:"oldest,omitempty"`
}

// Stats returns counts of jobs by kind and state, and the paused queues.
func (j *Jobs) Stats(ctx context.Context) (Stats, error) {
	st := Stats{Counts: make(map[string]map[string]int), Paused: []string{}}
	rows, err := j.store.Pool().Query(ctx, `select kind, state::text, count(*), min(scheduled_at) from river_job group by 1, 2`)
	if err != nil {
		return st, fmt.Errorf("count jobs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, state string
		var n int
		var due time.Time
		if err := rows.Scan(&kind, &state, &n, &due); err != nil {
			return st, fmt.Errorf("count jobs: %w", err)
		}
		if st.Counts[kind] == nil {
			st.Counts[kind] = make(map[string]int)
		}
		st.Counts[kind][state] = n
		if state == string(rivertype.JobStateAvailable) && (st.Oldest == nil || due.Before(*st.Oldest)) {
			st.Oldest = &due
		}
	}
	if err := rows.Err(); err != nil {
		return st, fmt.Errorf("count jobs: %w", err)
	}
	queues, err := j.client.QueueList(ctx, river.NewQueueListParams().First(100))
	if err != nil {
		return st, fmt.Errorf("list queues: %w", err)
	}
	for _, q := range queues.Queues {
		if q.PausedAt != nil {
			st.Paused = append(st.Paused, q.Name)
		}
	}
	return st, nil
}

// Backlog is a queue that is not being worked on.
type Backlog struct {
	Queue  string
	Oldest time.Time // when its oldest job was due
}

// Stuck returns queues that have a job that was due before a time, and that have started
// none since. A paused queue is not stuck.
func (j *Jobs) Stuck(ctx context.Context, before time.Time) ([]Backlog, error) {
	rows, err := j.store.Pool().Query(ctx, `with waiting as (
			select queue, min(scheduled_at) as oldest from river_job where state in ('available', 'retryable', 'scheduled') group by queue having min(scheduled_at) < $1
		)
		select w.queue, w.oldest from waiting w
		where not exists (select from river_queue q where q.name = w.queue and q.paused_at is not null)
			and not exists (select from river_job r where r.queue = w.queue and r.attempted_at >= $1)
		order by w.queue`, before)
	if err != nil {
		return nil, fmt.Errorf("look for stuck queues: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Backlog])
}

// Failure is a kind of job that fails.
type Failure struct {
	Kind    string
	Jobs    int   // those that have failed so often, or have given up
	GaveUp  int   // of these
	Example int64 // the latest of them
}

// Failing returns kinds with jobs that have given up since a time, or that wait for another
// try after at least so many failures. It leaves out deliveries, and notices and steps of
// alerts: their failures are reported in other ways.
func (j *Jobs) Failing(ctx context.Context, since time.Time, failures int) ([]Failure, error) {
	rows, err := j.store.Pool().Query(ctx, `select kind, count(*)::int, count(*) filter (where state = 'discarded')::int, max(id) from river_job
		where kind <> all($3) and (state = 'discarded' and finalized_at >= $1 or state in ('available', 'running', 'retryable') and cardinality(errors) >= $2)
		group by kind order by kind`, since, failures, []string{DeliverArgs{}.Kind(), NoticeArgs{}.Kind(), EscalateArgs{}.Kind()})
	if err != nil {
		return nil, fmt.Errorf("look for failing jobs: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Failure])
}

// Page returns the River UI under prefix. It does nothing until its Start is called, and
// asks for no password: the caller must protect it.
func (j *Jobs) Page(prefix string) (*riverui.Handler, error) {
	h, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(j.client, nil), Prefix: prefix, Logger: quiet(j.log),
	})
	if err != nil {
		return nil, fmt.Errorf("make job page: %w", err)
	}
	return h, nil
}

var _ http.Handler = (*riverui.Handler)(nil)

func found(row *rivertype.JobRow, err error) (Job, error) {
	if errors.Is(err, rivertype.ErrNotFound) {
		return Job{}, ErrNoJob
	}
	if err != nil {
		return Job{}, fmt.Errorf("job: %w", err)
	}
	return job(row), nil
}

func job(row *rivertype.JobRow) Job {
	out := Job{
		ID: row.ID, Kind: row.Kind, Queue: row.Queue, State: string(row.State), Attempt: row.Attempt,
		MaxAttempts: row.MaxAttempts, Args: string(row.EncodedArgs), CreatedAt: row.CreatedAt,
		ScheduledAt: row.ScheduledAt, AttemptedAt: row.AttemptedAt, FinalizedAt: row.FinalizedAt,
	}
	for _, e := range row.Errors {
		out.Errors = append(out.Errors, JobError{Attempt: e.Attempt, At: e.At, Error: e.Error})
	}
	return out
}
