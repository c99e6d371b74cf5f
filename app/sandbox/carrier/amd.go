package carrier

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

// How long machine detection listens, in the carrier's seconds. A human says
// hello and waits; a greeting goes on, which gives a machine away.
const (
	humanAfter   = 0.8
	machineAfter = 2.4
)

// detectMachine finds out who answered, if that was asked for: beside the
// call, or before it when detection is synchronous. It reports false when the
// call ended meanwhile.
func (k *call) detectMachine(ctx context.Context) bool {
	if k.params.machine == "" {
		return true
	}
	if !k.params.asyncAMD {
		verdict, _, ok := k.listen(ctx)
		if ok {
			k.setAnsweredBy(verdict)
		}
		return ok
	}
	return k.c.spawn(ctx, func(life context.Context) {
		listening, cancel := context.WithCancel(life)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		verdict, took, ok := k.listen(listening)
		if !ok {
			return // ended before the verdict: nothing is reported
		}
		k.setAnsweredBy(verdict)
		if k.params.asyncCallback == "" {
			return
		}
		form := k.form(inProgress)
		form.Set("AnsweredBy", verdict)
		form.Set("MachineDetectionDuration", strconv.FormatInt(took.Milliseconds(), 10))
		r, err := k.c.deliver(life, webhook{url: k.params.asyncCallback, method: k.params.asyncCallbackM, form: form})
		if err != nil || r.code >= 400 {
			k.c.warn(life, 11200, k.sid, "machine detection callback failed")
			k.log.DebugContext(life, "machine detection callback failed", slog.Int("status", r.code), slog.Any("err", err))
		}
	})
}

// listen waits for the verdict. It reports false when ctx ended first.
func (k *call) listen(ctx context.Context) (verdict string, took time.Duration, ok bool) {
	start := time.Now()
	greeted := k.line.machine()
	switch {
	case greeted == nil:
		verdict, ok = "human", pause(ctx, k.c.seconds(humanAfter))
	case k.params.machine == "Enable":
		verdict, ok = "machine_start", pause(ctx, k.c.seconds(machineAfter))
	default:
		limit := time.NewTimer(k.c.seconds(float64(k.params.machineTimeout)))
		defer limit.Stop()
		select {
		case <-greeted:
			verdict, ok = "machine_end_beep", true
		case <-limit.C:
			verdict, ok = "unknown", true
		case <-ctx.Done():
		}
	}
	return verdict, time.Since(start), ok && ctx.Err() == nil
}

func (k *call) setAnsweredBy(verdict string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.snap.answeredBy = verdict
}
