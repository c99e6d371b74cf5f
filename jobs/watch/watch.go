// Package watch has humans told of what keeps nAIber from its work, and somebody outside of
// nAIber's own death.
//
// A [Watch] looks at probes now and then, in every process; what it finds becomes an alert of
// the operator's, one for each cause while that lasts. A [Heartbeat] asks for a URL for as
// long as all is well: a service that watches that URL notices when it stops.
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
	// lookEvery is how often is looked, and lookWithin how long that may take.
	lookEvery  = time.Minute
	lookWithin = 30 * time.Second
	// askWithin bounds one question to a service.
	askWithin = 10 * time.Second
)

// Troubles keeps troubles; [store.Store] does.
type Troubles interface {
	SeeTrouble(ctx context.Context, t alerts.Trouble, at time.Time) (raised bool, err error)
	EndTroubles(ctx context.Context, before, at time.Time) error
}

// Probe looks for troubles that there are now. An error says that this cannot be known.
type Probe func(ctx context.Context, now time.Time) ([]alerts.Trouble, error)

// Config is what a [Watch] works with. Troubles is required.
type Config struct {
	Troubles Troubles
	Probes   []Probe
	// Passed is how long a trouble was not seen, by any process, until it has passed: longer
	// than a process that was started again takes to find it.
	Passed time.Duration
	Now    func() time.Time // default [time.Now]
	Log    *slog.Logger
}

// Watch looks after nAIber itself.
type Watch struct{ cfg Config }

// New makes a Watch; it starts nothing.
func New(cfg Config) *Watch {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Watch{cfg}
}

// Run looks every minute until ctx ends, the first time after a minute.
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

// Look looks once: what is there is told, and what has passed is noted, unless something
// could not be looked at.
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

// Service is something that nAIber depends on.
type Service struct {
	Name  string // as people know it
	Cause string
	Tier  alerts.Tier
	Check func(ctx context.Context) error
}

// Services is a [Probe]: each service that has not answered well for so long, whenever it was
// asked, is a trouble.
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
		if ctx.Err() != nil { // the process stops, which is no failure of theirs
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
