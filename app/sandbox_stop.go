package app

import (
	"context"
	"errors"
)

// drain waits until live calls have ended, for at most Server.CallDrain. In a
// sandbox, cutting a simulated call short is no failure: nobody wants to wait
// for its end.
func (a *App) drain(ctx context.Context) error {
	err := bounded(ctx, a.cfg.Server.CallDrain, "drain calls", a.calls.Drain)
	if a.opts.Sandbox == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if left, listing := a.store.LiveCalls(ctx); listing != nil || len(left) > 0 {
		return errors.Join(err, listing) // a call that is still live is a failure
	}
	a.log.InfoContext(ctx, "a call was cut short, as a sandbox does not wait longer for calls to end; its summary comes after the next start",
		"after", a.cfg.Server.CallDrain)
	return nil
}
