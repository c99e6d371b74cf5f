package checkpoint

import (
	"context"
	"errors"
	"time"
)

// catchUp makes sure that somebody brings the stores in step: a goroutine that
// lives while there is something to do and that Close waits for.
func (f *Failover) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.busy {
		select {
		case f.wake <- struct{}{}:
		default:
		}
		return
	}
	f.busy = true
	f.working.Go(f.run)
}

// run goes on until both parts are there and in step, or until Close.
func (f *Failover) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, func() {})()
	go func() { // ends with run
		select {
		case <-f.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	wait := f.cfg.Retry
	for {
		if f.round(ctx) {
			wait = f.cfg.Retry
			if f.idle() {
				return
			}
			continue
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-f.stop:
			t.Stop()
			f.mu.Lock()
			f.busy = false
			f.mu.Unlock()
			return
		}
		wait = min(2*wait, 8*f.cfg.Retry)
	}
}
