package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const queueCallBack = "call_back"

// ringBackDelay is the pause between the end of a call from an unverified caller and the
// call back: they have only just hung up.
const ringBackDelay = 5 * time.Second

// CallBackArgs is a job to call back a person whose call was given up, or who was not
// verified: one for each such call.
type CallBackArgs struct {
	CallID string `json:"callId" river:"unique"`
}

// Kind returns the job's name in the queue.
func (CallBackArgs) Kind() string { return "call_back" }

// workCallBack calls the person back, or postpones the job until that is possible.
func (j *Jobs) workCallBack(ctx context.Context, job *river.Job[CallBackArgs]) error {
	if j.cfg.CallBack == nil {
		return river.JobCancel(errors.New("nobody calls back"))
	}
	c, err := j.callOf(ctx, job.Args.CallID)
	if err != nil {
		return err
	}
	again, err := j.cfg.CallBack(ctx, c)
	switch {
	case err != nil:
		return fmt.Errorf("call back after call %s: %w", c.ID, err)
	case again > 0:
		return river.JobSnooze(again)
	}
	j.metrics.done(job.Kind, "completed", 0)
	return nil
}

// scheduleCallBack inserts the job to call back, inside tx.
func (j *Jobs) scheduleCallBack(ctx context.Context, tx store.Tx, c calls.Call) error {
	after := j.cfg.CallBackDelay
	if c.BelievedID.Known() {
		after = min(after, ringBackDelay)
	}
	return j.insert(ctx, tx, CallBackArgs{CallID: c.ID.String()}, queueCallBack, time.Now().Add(after))
}

// owesCall reports whether a call must be followed by a call back: it was given up, or a
// caller from a person's number was not verified. A caller in danger is not called back,
// since they need their line.
func owesCall(c calls.Call) bool {
	if c.BelievedID.Known() {
		return c.Danger == nil || c.Danger.OverAt != nil
	}
	return c.Ending != nil && c.Ending.Cause == calls.CauseTrouble && c.PersonID.Known()
}
