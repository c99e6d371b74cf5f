package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/naiber/naiber/store"
)

const queueDial = "dial"

// DialArgs is a job to place the call of a try of a scheduled call.
type DialArgs struct {
	Occurrence string `json:"occurrence" river:"unique"`
	Try        int    `json:"try" river:"unique"`
}

// Kind returns the job's name in the queue.
func (DialArgs) Kind() string { return "dial" }

// Dial inserts, inside tx, the job to place the call of a try. A second one is dropped
// while the first has not ended; after it has ended, in whichever way, another may be
// inserted.
func (j *Jobs) Dial(ctx context.Context, tx store.Tx, occurrence uuid.UUID, try int) error {
	args := DialArgs{occurrence.String(), try}
	_, err := j.client.InsertTx(ctx, tx.Driver(), args, &river.InsertOpts{Queue: queueDial, UniqueOpts: river.UniqueOpts{
		ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		},
	}})
	if err != nil {
		return fmt.Errorf("insert dial job %+v: %w", args, err)
	}
	return nil
}

// workDial places the call of a try.
func (j *Jobs) workDial(ctx context.Context, job *river.Job[DialArgs]) error {
	id, err := uuid.Parse(job.Args.Occurrence)
	if err != nil || j.cfg.Dial == nil {
		return river.JobCancel(errors.Join(err, errors.New("nobody places scheduled calls")))
	}
	if err := j.cfg.Dial(ctx, id, job.Args.Try); err != nil {
		return err
	}
	j.metrics.done(job.Kind, "completed", 0)
	return nil
}
