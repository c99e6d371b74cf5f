package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/store"
)

const queueMail = "mail"

// SendMailArgs is a job that sends a mail. At distinguishes the mail from a forgotten one
// with the same key.
type SendMailArgs struct {
	Mail uuid.UUID `json:"mail" river:"unique"`
	At   time.Time `json:"at" river:"unique"`
}

// Kind returns the job's name in the queue.
func (SendMailArgs) Kind() string { return "send_mail" }

// ScheduleMail inserts the job that sends a mail, inside the transaction that stores the
// mail.
func (j *Jobs) ScheduleMail(ctx context.Context, tx store.Tx, id uuid.UUID) error {
	return j.insert(ctx, tx, SendMailArgs{Mail: id, At: time.Now()}, queueMail, time.Time{})
}

// workMail sends a mail. A permanently refused one is not tried again.
func (j *Jobs) workMail(ctx context.Context, job *river.Job[SendMailArgs]) error {
	if j.cfg.Mail == nil {
		return errors.New("no mail server is configured")
	}
	began := time.Now()
	err := j.cfg.Mail(ctx, job.Args.Mail, job.Attempt >= job.MaxAttempts)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return river.JobCancel(fmt.Errorf("the mail was sent or forgotten: %w", err))
	case errors.Is(err, mail.ErrRefused):
		j.metrics.done(job.Kind, "refused", 0)
		return river.JobCancel(err)
	case err == nil:
		j.metrics.done(job.Kind, "completed", time.Since(began))
	}
	return err
}
