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

// part is a piece of the process: made by New, started by Run, and stopped in reverse order. Any
// step may be nil. A part with a start step is stopped only if it was started; any other is
// stopped once New has reached it, even if it was made only in part.
type part struct {
	name              string
	make, start, stop func(context.Context) error
	made, runs        bool
	closers           []func(context.Context) error // release what make has made
}

// onStop registers closer, to be called when the part that is being made is stopped or fails to
// be made. Closers are called in reverse order.
func (a *App) onStop(closer func(context.Context) error) {
	p := a.parts[a.making]
	p.closers = append(p.closers, closer)
}

// onStopDo registers a closer that cannot fail, as onStop does.
func (a *App) onStopDo(closer func()) {
	a.onStop(func(context.Context) error { closer(); return nil })
}

// list returns every part of the process, each after those it depends on. Calls end before turns,
// and those before HTTP: live calls still need /v1, and jobs still need the model.
func (a *App) list() []*part {
	return []*part{
		{name: "listen", make: a.listen},
		{name: "tracing", make: a.makeTracing},
		{name: "store", make: a.makeStore},
		{name: "checkpoints", make: a.makeCheckpoints},
		{name: "clients", make: a.makeClients},
		{name: "memory", make: a.makeMemory},
		{name: "personas", make: a.makePersonas},
		{name: "appliance", make: a.makeAppliance},
		{name: "cognitive", make: a.makeCognitive},
		{name: "alerts", make: a.makeAlerts},
		{name: "webhooks", make: a.makeWebhooks},
		{name: "jobs", make: a.makeJobs, start: func(ctx context.Context) error { return a.jobs.Start(ctx) }, stop: func(ctx context.Context) error { return a.jobs.Stop(ctx) }},
		{name: "job page", start: func(ctx context.Context) error { return a.queuePage.Start(ctx) }},
		{name: "schedules", make: a.makeSchedules},
		{name: "telephony", make: a.makeCalls},
		{name: "orchestration", make: a.makeTurns},
		{name: "chats", make: a.makeChat},
		{name: "council", make: a.makeCouncil},
		{name: "inner http", start: a.serveInner, stop: a.closeInner},
		{name: "http", make: a.makeHTTP, start: a.serve, stop: func(ctx context.Context) error { return a.http.Shutdown(ctx) }},
		{name: "red flags", start: func(ctx context.Context) error { a.safety.Replay(ctx); return nil }},
		{name: "turns", start: nothing, stop: func(ctx context.Context) error { return a.turns.Close(ctx) }},
		{name: "calls", start: nothing, stop: a.drain},
		loop("revoked", a.followRevoked),
		loop("reconcile", a.every("reconcile", func(ctx context.Context) error { return a.calls.Reconcile(ctx) })),
		loop("lately", a.every("lately", func(context.Context) error { a.lately.note(); return nil })),
		loop("catch up", a.every("catch_up", func(ctx context.Context) error {
			return a.chat.CatchUp(ctx, time.Now().Add(-loopEvery))
		})),
		loop("schedules", a.dispatch),
		loop("watch", a.watch),
		loop("heartbeat", a.heartbeat),
		loop("index", func(ctx context.Context) { a.index(ctx) }),
	}
}

func nothing(context.Context) error { return nil }

// loopEvery is how often calls whose callbacks were lost are settled, counters are noted, and
// memory is given the writing that it missed: after a crash, after a failure, or when a session
// has changed its project.
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

// every returns a loop that calls do at once and then each minute until ctx is done.
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

// followRevoked cancels ringing calls that are no longer wanted, as soon as any process has
// stored that, until ctx is done. A call that could not be cancelled is left to reconcile.
func (a *App) followRevoked(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.touched:
		}
		if err := survive.Try(a.log, "revoked", func() error { return a.calls.Revoked(ctx) }); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "background work failed", "part", "revoked", "err", err)
		}
	}
}

// make makes the parts in order, up to the first that fails.
func (a *App) make(ctx context.Context) error {
	for i, p := range a.parts {
		a.making, p.made = i, true
		if p.make == nil {
			continue
		}
		if err := p.make(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// start starts the parts in order. If one fails, the caller must stop those before it.
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

// stop stops, in reverse order, each part that was started, or that was made and has no start
// step.
func (a *App) stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	a.stopOnce.Do(func() { close(a.stopping) })
	var errs []error
	for _, p := range slices.Backward(a.parts) {
		steps := p.closers
		if p.stop != nil && (p.runs || p.made && p.start == nil) {
			steps = append(steps, p.stop)
		}
		p.made, p.runs, p.closers = false, false, nil
		grace := a.cfg.Server.StopGrace
		if p.name == "calls" {
			grace += a.cfg.Server.CallDrain // drain is bounded by CallDrain itself
		}
		for _, step := range slices.Backward(steps) {
			if err := bounded(ctx, grace, "stop "+p.name, step); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// release stops what New made, before anything runs.
func (a *App) release(ctx context.Context) {
	if err := a.stop(ctx); err != nil {
		a.log.WarnContext(ctx, "not everything is released", "err", err)
	}
}

// bounded calls do with a timeout of d, and names what in its error. It ignores
// [http.ErrServerClosed].
func bounded(ctx context.Context, d time.Duration, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if err := do(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// serve starts a goroutine that serves requests until a.http is stopped, and sends the result to
// a.served.
func (a *App) serve(context.Context) error {
	a.served = make(chan error, 1)
	go func() { a.served <- a.http.Serve(a.listener) }()
	return nil
}

// serveInner serves /metrics without a bearer on the inner address, if one is configured.
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
		_ = a.inner.Close() // no scrape is worth waiting for
	}
	return nil
}

// warn logs an error that does not make the stop a failure.
func (a *App) warn(ctx context.Context, part string, err error) {
	if err != nil {
		a.log.WarnContext(ctx, "part is not stopped in order", "part", part, "err", err)
	}
}
