// Package watch notifies humans of what keeps nAIber from working, and an external service
// of nAIber's own death.
//
// A [Watch] runs probes periodically, in every process; what it finds becomes an alert for
// the operator, one for each cause while it lasts. A [Heartbeat] requests a URL as long as
// all is well: a service that monitors that URL notices when the requests stop.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/survive"
)

const (
	// lookEvery is the interval of the probes, and lookWithin the time limit of a round.
	lookEvery  = time.Minute
	lookWithin = 30 * time.Second
	// askWithin limits one check of a service.
	askWithin = 10 * time.Second
)

// Troubles stores troubles. [store.Store] implements it.
type Troubles interface {
	SeeTrouble(ctx context.Context, t alerts.Trouble, at time.Time) (raised bool, err error)
	EndTroubles(ctx context.Context, before, at time.Time) error
}

// Probe returns the current troubles. An error says that they cannot be determined.
type Probe func(ctx context.Context, now time.Time) ([]alerts.Trouble, error)

// Config configures a [Watch]. Troubles is required.
type Config struct {
	Troubles Troubles
	Probes   []Probe
	// Passed is how long a trouble must be unseen, by any process, before it has passed:
	// longer than a restarted process takes to find it.
	Passed time.Duration
	Now    func() time.Time // default [time.Now]
	Log    *slog.Logger
}

// Watch monitors nAIber itself.
type Watch struct{ cfg Config }

// New returns a Watch. It starts nothing.
func New(cfg Config) *Watch {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Watch{cfg}
}

// Run calls [Watch.Look] every minute until ctx is done, first after a minute.
func (w *Watch) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := survive.Try(w.cfg.Log, "watch", func() error { return w.Look(ctx) }); err != nil && ctx.Err() == nil {
			w.cfg.Log.WarnContext(ctx, "background work failed", "part", "watch", "err", err)
		}
	}
}

// Look runs the probes once: it reports the troubles found, and ends those that have
// passed, unless a probe failed.
func (w *Watch) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	now := w.cfg.Now()
	var errs []error
	for _, look := range w.cfg.Probes {
		found, err := look(ctx, now)
		errs = append(errs, err)
		for _, t := range found {
			raised, err := w.cfg.Troubles.SeeTrouble(ctx, t, now)
			if err != nil {
				errs = append(errs, fmt.Errorf("tell of %s: %w", t.Cause, err))
			}
			if raised {
				w.cfg.Log.ErrorContext(ctx, "operator is needed", "kind", t.Kind, "reason", t.Why)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return w.cfg.Troubles.EndTroubles(ctx, now.Add(-w.cfg.Passed), now)
}

// Service is an external dependency of nAIber.
type Service struct {
	Name  string // name for people
	Cause string
	Tier  alerts.Tier
	Check func(ctx context.Context) error
}

// Services returns a [Probe] that reports each service that has failed every check for at
// least after.
func Services(after time.Duration, all []Service) Probe {
	var mu sync.Mutex // guards down
	down := map[string]time.Time{}
	return func(ctx context.Context, now time.Time) ([]alerts.Trouble, error) {
		fails := make([]error, len(all))
		var asked sync.WaitGroup
		for i, s := range all {
			asked.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, askWithin)
				defer cancel()
				fails[i] = survive.Try(slog.New(slog.DiscardHandler), "service_check", func() error { return s.Check(ctx) })
			})
		}
		asked.Wait()
		if ctx.Err() != nil { // the process is stopping, which is not a failure of the services
			return nil, ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		var found []alerts.Trouble
		for i, s := range all {
			since, was := down[s.Name]
			switch {
			case fails[i] == nil:
				delete(down, s.Name)
			case !was:
				down[s.Name] = now
			case now.Sub(since) >= after:
				why := fmt.Sprintf("%s has not answered as it should since %s.", s.Name, since.UTC().Format(time.RFC3339))
				found = append(found, alerts.Trouble{Cause: s.Cause, Kind: s.Cause, Tier: s.Tier, Why: why})
			}
		}
		return found, nil
	}
}
