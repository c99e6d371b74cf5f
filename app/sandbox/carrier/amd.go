package carrier

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

// humanAfter is how long machine detection listens to a human, in the carrier's
// seconds: they say hello and wait.
const humanAfter = 0.8

// detectMachine finds out who answered, next to the call, if that was asked for.
// It reports false when the carrier is closed.
func (k *call) detectMachine(ctx context.Context) bool {
	if !k.params.machine {
		return true
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
		if k.params.machineCallback == "" {
			return
		}
		form := k.form(inProgress)
		form.Set("AnsweredBy", verdict)
		form.Set("MachineDetectionDuration", strconv.FormatInt(took.Milliseconds(), 10))
		r, err := k.c.deliver(life, webhook{url: k.params.machineCallback, form: form})
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
	switch greeted {
	case nil:
		verdict, ok = "human", pause(ctx, k.c.seconds(humanAfter))
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
