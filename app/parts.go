package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/naiber/naiber/store/survive"
)

// part is a piece of the process: made by New, started by Run, and stopped in
// the reverse order. Any step may be nil. What has something to start is stopped only
// if it was started; the rest is stopped once New came to it, made wholly or in part.
type part struct {
	name              string
	make, start, stop func(context.Context) error
	made, runs        bool
}

// list returns everything that the process consists of, each after what it needs.
// Calls end before turns, and those before HTTP: live calls still need /v1, and jobs
// still need the model.
func (a *App) list() []*part {
	return []*part{
		{name: "listen", make: a.listen, stop: a.closeListener},
		{name: "tracing", make: a.makeTracing, stop: a.stopTracing},
		{name: "store", make: a.makeStore, stop: a.closeStore},
		{name: "checkpoints", make: a.makeCheckpoints, stop: a.closeCheckpoints},
		{name: "clients", make: a.makeClients},
		{name: "memory", make: a.makeMemory, stop: a.closeMemory},
		{name: "personas", make: a.makePersonas, stop: a.closePersonas},
		{name: "jobs", make: a.makeJobs, start: func(ctx context.Context) error { return a.jobs.Start(ctx) }, stop: func(ctx context.Context) error { return a.jobs.Stop(ctx) }},
		{name: "job page", start: func(ctx context.Context) error { return a.queuePage.Start(ctx) }},
		{name: "telephony", make: a.makeCalls},
		{name: "orchestration", make: a.makeTurns},
		{name: "chats", make: a.makeChat, stop: a.closeChat},
		{name: "inner http", start: a.serveInner, stop: a.closeInner},
		{name: "http", make: a.makeHTTP, start: a.serve, stop: func(ctx context.Context) error { return a.http.Shutdown(ctx) }},
		{name: "turns", start: nothing, stop: func(ctx context.Context) error { return a.turns.Close(ctx) }},
		{name: "calls", start: nothing, stop: a.drain},
		loop("reconcile", a.every("reconcile", func(ctx context.Context) error { return a.calls.Reconcile(ctx) })),
		loop("lately", a.every("lately", func(context.Context) error { a.lately.note(); return nil })),
		loop("catch up", a.every("catch_up", func(ctx context.Context) error {
			return a.chat.CatchUp(ctx, time.Now().Add(-loopEvery))
		})),
		loop("index", func(ctx context.Context) { a.index(ctx) }),
	}
}

func nothing(context.Context) error { return nil }

// loopEvery is how often calls are settled whose callbacks were lost, counters are
// noted, and memory is given again what it missed of what was written: after a
// crash, after a failure, and when a session has changed its project.
const loopEvery = time.Minute

// loop returns a part that runs in the background until it is stopped.
func loop(name string, run func(context.Context)) *part {
	var cancel context.CancelFunc
	done := make(chan struct{})
	return &part{
		name: name,
		start: func(ctx context.Context) error {
			ctx, cancel = context.WithCancel(ctx) //nolint:gosec // stop calls it
			go func() { defer close(done); run(ctx) }()
			return nil
		},
		stop: func(context.Context) error { cancel(); <-done; return nil },
	}
}

// every returns a loop that does something at once, and then each minute until ctx
// ends.
func (a *App) every(name string, do func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		tick := time.NewTicker(loopEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := survive.Try(a.log, name, func() error { return do(ctx) }); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "background work failed", "part", name, "err", err)
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}
}

// make makes every part, up to the first that fails.
func (a *App) make(ctx context.Context) error {
	for _, p := range a.parts {
		p.made = true
		if p.make == nil {
			continue
		}
		if err := p.make(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// start starts every part. Where one fails, those before it are to be stopped.
func (a *App) start(ctx context.Context) error {
	for _, p := range a.parts {
		if p.start != nil {
			if err := p.start(ctx); err != nil {
				return fmt.Errorf("start %s: %w", p.name, err)
			}
		}
		p.runs = true
	}
	return nil
}

// stop stops, in the reverse order, each part that was started, or made with nothing
// to start.
func (a *App) stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	a.stopOnce.Do(func() { close(a.stopping) })
	var errs []error
	for _, p := range slices.Backward(a.parts) {
		if p.stop == nil || !p.runs && (!p.made || p.start != nil) {
			continue
		}
		p.made, p.runs = false, false
		grace := a.cfg.Server.StopGrace
		if p.name == "calls" {
			grace += a.cfg.Server.CallDrain // it bounds itself
		}
		if err := bounded(ctx, grace, "stop "+p.name, p.stop); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// release gives back what New made, where nothing runs.
func (a *App) release(ctx context.Context) {
	if err := a.stop(ctx); err != nil {
		a.log.WarnContext(ctx, "not everything is released", "err", err)
	}
}

// bounded bounds a step of stopping, and says which step it was.
func bounded(ctx context.Context, d time.Duration, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if err := do(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// serve serves requests until http is stopped; that it ended is told on a.served.
func (a *App) serve(context.Context) error {
	a.served = make(chan error, 1)
	go func() { a.served <- a.http.Serve(a.listener) }()
	return nil
}

// serveInner serves /metrics, without a bearer, on the inner address where one is configured.
func (a *App) serveInner(ctx context.Context) error {
	if a.cfg.Server.MetricsAddr == "" {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", a.cfg.Server.MetricsAddr)
	if err != nil {
		return err
	}
	go func() { _ = a.inner.Serve(l) }() // it ends with the process
	return nil
}

func (a *App) closeInner(context.Context) error {
	if a.inner != nil {
		_ = a.inner.Close() // nobody waits for figures
	}
	return nil
}

func (a *App) closeListener(context.Context) error {
	if a.listener != nil {
		_ = a.listener.Close() // served to its end, or never
	}
	return nil
}

func (a *App) stopTracing(ctx context.Context) error {
	if a.tracing != nil {
		a.warn(ctx, "traces were lost", a.tracing.Shutdown(ctx))
	}
	return nil
}

func (a *App) closeStore(context.Context) error {
	if a.follower != nil {
		a.follower.Stop()
	}
	if a.store != nil {
		a.store.Close()
	}
	return nil
}

func (a *App) closeCheckpoints(context.Context) error {
	if a.checkpoints != nil {
		a.checkpoints.Close()
	}
	return nil
}

func (a *App) closeMemory(ctx context.Context) error {
	if a.openings != nil {
		a.openings.Close()
	}
	if a.profile != nil {
		a.profile.Close()
	}
	if a.vectors != nil {
		a.warn(ctx, "vectors are not closed", a.vectors.Close())
	}
	return nil
}

func (a *App) closePersonas(context.Context) error {
	a.recalls.Close()
	if a.safety != nil {
		a.safety.Close()
	}
	return nil
}

func (a *App) closeChat(ctx context.Context) (err error) {
	if a.chat != nil {
		err = a.chat.Stop(ctx)
	}
	if a.chatModel != nil {
		a.chatModel.Close()
	}
	return err
}

// warn logs what is no failure of an orderly stop.
func (a *App) warn(ctx context.Context, part string, err error) {
	if err != nil {
		a.log.WarnContext(ctx, "part is not stopped in order", "part", part, "err", err)
	}
}
