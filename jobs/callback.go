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

// ringBackDelay is between the end of a call whose caller is to be rung back, and that: they
// have just put the receiver down.
const ringBackDelay = 5 * time.Second

// CallBackArgs is a job to call somebody back whose call was given up, or who did not show
// who they were: one for each such call.
type CallBackArgs struct {
	CallID string `json:"callId" river:"unique"`
}

// Kind names the job in the queue.
func (CallBackArgs) Kind() string { return "call_back" }

// workCallBack calls the person back, or waits until that may be done.
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

// scheduleCallBack inserts the job to call back inside tx.
func (j *Jobs) scheduleCallBack(ctx context.Context, tx store.Tx, c calls.Call) error {
	after := j.cfg.CallBackDelay
	if c.BelievedID.Known() {
		after = min(after, ringBackDelay)
	}
	return j.insert(ctx, tx, CallBackArgs{CallID: c.ID.String()}, queueCallBack, time.Now().Add(after))
}

// owesCall reports whether a call is to be followed by another one: it was given up, or
// a caller from a person's number did not show who they were. Somebody in danger needs
// their line.
func owesCall(c calls.Call) bool {
	if c.BelievedID.Known() {
		return c.Danger == nil || c.Danger.OverAt != nil
	}
	return c.Ending != nil && c.Ending.Cause == calls.CauseTrouble && c.PersonID.Known()
}
