package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const queueCallBack = "call_back"

// CallBackArgs is a job to call somebody back whose call was given up: one for
// each such call.
type CallBackArgs struct {
	CallID string `json:"callId" river:"unique"`
}

// Kind names the job in the queue.
func (CallBackArgs) Kind() string { return "call_back" }

type callBackWorker struct {
	river.WorkerDefaults[CallBackArgs]

	store   *store.Store
	call    func(ctx context.Context, c calls.Call) (again time.Duration, err error)
	log     *slog.Logger
	metrics *metrics
}

// Work calls the person back, or waits until that may be done.
func (w *callBackWorker) Work(ctx context.Context, job *river.Job[CallBackArgs]) error {
	if w.call == nil {
		return river.JobCancel(errors.New("nobody calls back"))
	}
	c, err := callOf(ctx, w.store, job.Args.CallID)
	if err != nil {
		return err
	}
	again, err := w.call(ctx, c)
	switch {
	case err != nil:
		return fmt.Errorf("call back after call %s: %w", c.ID, err)
	case again > 0:
		return river.JobSnooze(again)
	}
	w.metrics.done(job.Kind, "completed", 0)
	return nil
}

// scheduleCallBack inserts the job to call back inside tx.
func (j *Jobs) scheduleCallBack(ctx context.Context, tx store.Tx, c calls.Call) error {
	_, err := j.client.InsertTx(ctx, tx.Driver(), CallBackArgs{CallID: c.ID.String()}, &river.InsertOpts{
		Queue:       queueCallBack,
		ScheduledAt: time.Now().Add(j.cfg.CallBackDelay),
		UniqueOpts:  river.UniqueOpts{ByArgs: true},
	})
	if err != nil {
		return fmt.Errorf("insert call-back job of call %s: %w", c.ID, err)
	}
	return nil
}
