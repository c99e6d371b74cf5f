package app

import (
	"context"
	"errors"
)

// drain lets live calls end. In a sandbox it is no failure to cut a made-up call
// short, which nobody wants to wait for.
func (a *App) drain(ctx context.Context) error {
	err := bounded(ctx, a.cfg.Server.CallDrain, "drain calls", a.calls.Drain)
	if a.opts.Sandbox == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if left, listing := a.store.LiveCalls(ctx); listing != nil || len(left) > 0 {
		return errors.Join(err, listing) // a call that does not end is one
	}
	a.log.InfoContext(ctx, "a call was cut short, as a sandbox does not wait longer for calls to end; its summary comes after the next start",
		"after", a.cfg.Server.CallDrain)
	return nil
}
