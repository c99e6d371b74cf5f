package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

const (
	// queueWebhooks is a separate queue, since receivers may be slow. Six that hang at once
	// leave room for the others, see [webhook.AtOnce].
	queueWebhooks  = "webhooks"
	webhooksAtOnce = 20
	webhookTimeout = 30 * time.Second
	// relayEvery is the interval in which new deliveries are queued.
	relayEvery = time.Second
)

// DeliverArgs is a job that posts a delivery of an event to a webhook.
type DeliverArgs struct {
	Delivery uuid.UUID `json:"delivery" river:"unique"`
}

// Kind returns the job's name in the queue.
func (DeliverArgs) Kind() string { return "deliver_webhook" }

// InsertOpts limits the tries.
func (DeliverArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: webhook.MaxAttempts}
}

type webhookWorker struct {
	river.WorkerDefaults[DeliverArgs]

	j *Jobs
}

func (webhookWorker) Timeout(*river.Job[DeliverArgs]) time.Duration { return webhookTimeout }

// NextRetry returns a time up to a tenth later than [webhook.RetryAfter]: the jitter
// spreads retries of deliveries that failed together.
func (webhookWorker) NextRetry(job *river.Job[DeliverArgs]) time.Time {
	wait := webhook.RetryAfter(job.Attempt)
	return time.Now().Add(wait + rand.N(wait/10)) //nolint:gosec // it hides nothing
}

func (w webhookWorker) Work(ctx context.Context, job *river.Job[DeliverArgs]) error {
	if w.j.cfg.Webhook == nil {
		return errors.New("nobody posts to webhooks here")
	}
	began := time.Now()
	err := w.j.cfg.Webhook(ctx, job.Args.Delivery, job.Attempt >= job.MaxAttempts)
	busy, isBusy := errors.AsType[*webhook.BusyError](err)
	switch {
	case isBusy:
		return river.JobSnooze(busy.After + rand.N(busy.After)) //nolint:gosec // as above; it is no attempt
	case errors.Is(err, store.ErrNotFound), errors.Is(err, webhook.ErrGone):
		return river.JobCancel(err)
	case err == nil:
		w.j.metrics.done(job.Kind, "completed", time.Since(began))
	}
	return err
}

// startRelaying starts queueing deliveries until [Jobs.Stop]: the database writes them in
// the transaction that causes them, and knows nothing of jobs.
func (j *Jobs) startRelaying(ctx context.Context) {
	if j.cfg.Webhook == nil {
		return
	}
	j.loops.Go(func() {
		for tick := time.Tick(relayEvery); ; {
			if err := survive.Try(j.log, "webhook_relay", func() error { return j.relay(ctx) }); err != nil && ctx.Err() == nil {
				j.log.WarnContext(ctx, "deliveries of webhooks are not queued", "err", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
		}
	})
}

// relay queues all new deliveries.
func (j *Jobs) relay(ctx context.Context) error {
	for ctx.Err() == nil {
		n, err := j.store.TakeDeliveries(ctx, func(tx store.Tx, id uuid.UUID) error {
			return j.insert(ctx, tx, DeliverArgs{id}, queueWebhooks, time.Time{})
		})
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}
