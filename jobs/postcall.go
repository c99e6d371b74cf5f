package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const queuePostCall = "post_call"

// LaterError is returned by a [Finisher] that cannot do its work now. The job is postponed
// by After, which does not count as a failed try.
type LaterError struct {
	After  time.Duration
	Reason string
}

func (e LaterError) Error() string { return "later: " + e.Reason }

// PostCallArgs is a job for the work after a call: one for each conversation.
type PostCallArgs struct {
	ConversationID string `json:"conversationId" river:"unique"`
	CallID         string `json:"callId"`
}

// Kind returns the job's name in the queue.
func (PostCallArgs) Kind() string { return "post_call" }

// workPostCall calls the persona's [Finisher] when it is this job's turn.
func (j *Jobs) workPostCall(ctx context.Context, job *river.Job[PostCallArgs]) error {
	c, err := j.callOf(ctx, job.Args.CallID)
	if err != nil {
		return err
	}
	finisher, ok := j.finishers[c.Type]
	if !ok {
		return fmt.Errorf("no persona ends calls of type %q", c.Type)
	}
	return j.inTurn(ctx, queuePostCall, func() error { return j.finish(ctx, finisher, c, job.JobRow) })
}

// callOf returns a job's call. If the call was deleted, its error cancels the job.
func (j *Jobs) callOf(ctx context.Context, text string) (calls.Call, error) {
	id, err := store.ParseCallID(text)
	if err != nil {
		return calls.Call{}, river.JobCancel(err)
	}
	c, err := j.store.Call(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = river.JobCancel(fmt.Errorf("the call was forgotten: %w", err))
	}
	return c, err
}

func (j *Jobs) finish(ctx context.Context, finish Finisher, c calls.Call, job *rivertype.JobRow) error {
	log := j.log.With("call_id", c.ID, "job_id", job.ID, "kind", job.Kind, "attempt", job.Attempt)
	began := time.Now()
	j.event(ctx, c.ID, "post_call_started", map[string]any{"attempt": job.Attempt, "jobId": job.ID})
	err := finish(ctx, c)
	elapsed := time.Since(began)
	if later, ok := errors.AsType[LaterError](err); ok {
		log.InfoContext(ctx, "post-call work waits", "reason", later.Reason, "elapsed_ms", elapsed.Milliseconds())
		return river.JobSnooze(later.After)
	}
	if err != nil {
		return fmt.Errorf("end call %s: %w", c.ID, err)
	}
	j.event(ctx, c.ID, "post_call_done", map[string]any{"ms": elapsed.Milliseconds(), "jobId": job.ID})
	j.metrics.done(job.Kind, "completed", elapsed)
	log.InfoContext(ctx, "post-call work done", "elapsed_ms", elapsed.Milliseconds())
	return nil
}

// errorHandler records failed tries.
type errorHandler struct{ *Jobs }

// HandleError records a failed try; River decides on the next one.
func (h errorHandler) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	final := job.Attempt >= job.MaxAttempts
	log := h.log.With("job_id", job.ID, "kind", job.Kind, "attempt", job.Attempt, "err", err)
	if final {
		h.metrics.done(job.Kind, "gave_up", 0)
		log.ErrorContext(ctx, "job gave up; it can be retried")
	} else {
		h.metrics.done(job.Kind, "failed", 0)
		log.WarnContext(ctx, "job failed and will be tried again")
	}
	var args PostCallArgs
	if json.Unmarshal(job.EncodedArgs, &args) != nil {
		return nil
	}
	if id, parseErr := store.ParseCallID(args.CallID); parseErr == nil {
		h.event(ctx, id, "post_call_failed", map[string]any{"attempt": job.Attempt, "error": err.Error(), "final": final, "jobId": job.ID})
	}
	return nil
}

// HandlePanic records a try that panicked, with its stack.
func (h errorHandler) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicVal any, trace string) *river.ErrorHandlerResult {
	h.log.ErrorContext(ctx, "job panicked", "job_id", job.ID, "kind", job.Kind, "stack", trace)
	return h.HandleError(ctx, job, fmt.Errorf("panic: %v", panicVal))
}

// event adds a line to the call's timeline. A failure is only logged.
func (j *Jobs) event(ctx context.Context, id store.CallID, kind string, data map[string]any) {
	body, err := json.Marshal(data)
	if err == nil {
		_, err = j.store.AddEvent(ctx, id, kind, body, "")
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		j.log.WarnContext(ctx, "timeline event not kept", "call_id", id, "event", kind, "err", err)
	}
}
