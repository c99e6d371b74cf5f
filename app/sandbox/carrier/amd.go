package carrier

import (
	"context"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// humanAfter is how long machine detection takes for a human, in the carrier's seconds: they say
// hello and wait.
const humanAfter = 0.8

// detectMachine finds out whether a human or a machine answered and reports that, unless the call
// ends first.
func (k *call) detectMachine(ctx context.Context) {
	start, verdict := time.Now(), "human"
	if k.greeting == nil {
		wire.Wait(ctx, k.c.seconds(humanAfter))
	} else {
		limit := time.NewTimer(k.c.seconds(float64(k.params.machineTimeout)))
		defer limit.Stop()
		select {
		case <-k.greeting:
			verdict = "machine_end_beep"
		case <-limit.C:
			verdict = "unknown"
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return
	}
	k.mu.Lock()
	k.snap.answeredBy = verdict
	k.mu.Unlock()
	form := k.form(inProgress)
	form.Set("AnsweredBy", verdict)
	form.Set("MachineDetectionDuration", strconv.FormatInt(time.Since(start).Milliseconds(), 10))
	k.c.life.Go(func(ctx context.Context) { k.callback(ctx, k.params.machineCallback, wire.ID(""), form) })
}
