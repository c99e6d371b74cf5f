package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/app/cli"
	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony"
)

const (
	// simulatedCallLimit bounds one call of a simulation. A cognitive check at the real pace
	// takes a quarter of an hour.
	simulatedCallLimit = 20 * time.Minute
	// checksApart is the number of days between the cognitive checks of a simulation.
	checksApart = 30
	// checkKeptWithin bounds the wait until the work after a call has stored its check.
	checkKeptWithin = time.Minute
)

// Simulate runs a sandbox of its own, with an empty database that it removes afterwards, and has
// its elders answer calls.
func (p *program) Simulate(ctx context.Context, opts cli.SimulateOptions, progress io.Writer) (cli.Report, error) {
	cast, err := chosen(opts.Elders)
	if err != nil {
		return cli.Report{}, err
	}
	dir, err := os.MkdirTemp("", "naiber-simulate-")
	if err != nil {
		return cli.Report{}, fmt.Errorf("make a folder for the simulation: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the database's user passes through
		return cli.Report{}, err
	}
	cfg := p.cfg.forTrying()
	cfg.DataDir, cfg.Database.URL, cfg.Server.Port = dir, Secret{}, 0
	cfg.Sandbox.SpeechWPM, cfg.Calls.DailyCap = opts.WPM, opts.Calls
	if opts.CallType == string(calls.CallCognitive) { // each check is planned from the earlier ones
		cfg.Jobs.PostCallDelay, cfg.Jobs.PostCallPerMinute = 0, 1000
	}
	log := p.log
	if cfg.Log.Level == "info" {
		log = slog.New(slog.DiscardHandler) // the report is enough
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var rep cli.Report
	var failed error
	err = serveSandbox(ctx, cfg, log, io.Discard, sandboxOptions{seed: opts.Seed, pace: opts.Pace, ready: func(a *App) {
		defer cancel()
		rep, failed = simulate(ctx, a, cast, opts, progress)
	}})
	if failed != nil {
		return rep, failed
	}
	return rep, err
}

func chosen(names []string) ([]elders.Elder, error) {
	all, err := elders.Load()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var cast []elders.Elder
	for _, name := range names {
		e, ok := elders.Find(all, name)
		if !ok {
			ids := make([]string, len(all))
			for i, e := range all {
				ids[i] = e.ID
			}
			return nil, fmt.Errorf("no elder is called %q; there are %s", name, strings.Join(ids, ", "))
		}
		cast = append(cast, e)
	}
	return cast, nil
}

// simulate calls each elder as often as asked: the elders concurrently, but the calls to one of
// them one after the other, since a person has one telephone.
func simulate(ctx context.Context, a *App, cast []elders.Elder, opts cli.SimulateOptions, progress io.Writer) (cli.Report, error) {
	began := time.Now()
	var mu sync.Mutex // guards rep and series
	rep := cli.Report{Outcomes: map[string]int{}}
	series := map[string][]float64{}
	var wg sync.WaitGroup
	for _, e := range cast {
		person, err := personOf(ctx, a.store, e)
		if err != nil {
			return rep, err
		}
		wg.Go(func() {
			for n := range opts.Calls {
				if ctx.Err() != nil {
					return
				}
				if n > 0 {
					if err := a.agePast(ctx, person); err != nil {
						say(progress, "%s: %v", e.ID, err)
						return
					}
				}
				one, ttft := a.simulateCall(ctx, person, e.ID, opts.CallType)
				mu.Lock()
				rep.Calls = append(rep.Calls, one)
				rep.Outcomes[one.Outcome]++
				series["turn ttft"] = append(series["turn ttft"], ttft...)
				if one.FirstWordMS > 0 {
					series["first word"] = append(series["first word"], float64(one.FirstWordMS))
				}
				say(progress, "call %d of %d: %s %s", len(rep.Calls), len(cast)*opts.Calls, one.Elder, one.Outcome)
				mu.Unlock()
			}
			checks, err := a.store.CognitiveChecks(ctx, person.ID, cognition.Query{Limit: cognition.Lifetime})
			if err != nil {
				say(progress, "%s: %v", e.ID, err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, t := range api.CognitiveTrends(checks, a.tasks.Tasks(person.Language)) {
				rep.Trends = append(rep.Trends, cli.SimulatedTrend{Elder: e.ID, CognitiveTrend: t})
			}
		})
	}
	wg.Wait()
	rep.Seconds = time.Since(began).Seconds()
	rep.Latencies = map[string]cli.Quantiles{}
	for name, values := range series {
		rep.Latencies[name] = quantiles(values)
	}
	return rep, ctx.Err()
}

// personOf returns the person in the database with the elder's number, adding the elder if there
// is none.
func personOf(ctx context.Context, st *store.Store, e elders.Elder) (people.Person, error) {
	there, err := st.PeopleByPhone(ctx, e.Phone)
	if err != nil {
		return people.Person{}, err
	}
	if len(there) == 0 {
		return moveIn(ctx, st, e)
	}
	return there[0], nil
}

// simulateCall places one call and waits for its end.
func (a *App) simulateCall(ctx context.Context, p people.Person, elder, callType string) (cli.SimulatedCall, []float64) {
	ctx, cancel := context.WithTimeout(ctx, simulatedCallLimit)
	defer cancel()
	out := cli.SimulatedCall{Elder: elder}
	began := time.Now()
	c, err := a.calls.Place(ctx, telephony.PlaceRequest{PersonID: p.ID, Type: calls.CallType(callType), Reason: "simulation", By: "simulate"})
	if err != nil {
		out.Outcome, out.Refused = "not_placed", err.Error()
		return out, nil
	}
	out.CallID = c.ID.String()
	if c, err = a.awaitEnd(ctx, c.ID); err != nil {
		out.Outcome, out.Refused = "lost", err.Error()
		return out, nil
	}
	out.Outcome, out.Cause, out.Seconds = string(c.Ending.Outcome), c.Ending.Cause, time.Since(began).Seconds()
	if c.FirstWordMS != nil {
		out.FirstWordMS = *c.FirstWordMS
	}
	turns, err := a.store.Turns(ctx, c.ID)
	if err != nil {
		out.Refused = err.Error()
	}
	var ttft []float64
	for _, t := range turns {
		if t.TTFT > 0 {
			ttft = append(ttft, float64(t.TTFT)/float64(time.Millisecond))
		}
	}
	out.Turns, out.TTFTP50MS = len(turns), quantiles(ttft).P50
	if c.Type == calls.CallCognitive && c.Ending.Outcome == calls.OutcomeReached {
		a.awaitCheck(ctx, c.ID)
	}
	return out, ttft
}

// awaitCheck waits until the cognitive check of a call is stored, for at most checkKeptWithin. A
// call on which nothing was asked has no check.
func (a *App) awaitCheck(ctx context.Context, id store.CallID) {
	ctx, cancel := context.WithTimeout(ctx, checkKeptWithin)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := a.store.CognitiveCheckOfCall(ctx, id); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// agePast moves a person's cognitive checks checksApart days into the past. The next check then
// comes as long after them as in life: forms rotate, and rarely asked tasks fall due, by date.
func (a *App) agePast(ctx context.Context, p people.Person) error {
	checks, err := a.store.CognitiveChecks(ctx, p.ID, cognition.Query{Limit: cognition.Lifetime})
	if err != nil {
		return err
	}
	age := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.AddDate(0, 0, -checksApart)
		}
	}
	for _, c := range checks {
		age(&c.StartedAt)
		age(&c.EndedAt)
		for i := range c.Confounders {
			age(&c.Confounders[i].At)
		}
		for i := range c.Tasks {
			age(&c.Tasks[i].At)
		}
		if err := a.store.SaveCognitiveCheck(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// awaitEnd returns the call once it has ended.
func (a *App) awaitEnd(ctx context.Context, id store.CallID) (calls.Call, error) {
	grown, stop := a.follower.Watch(id)
	defer stop()
	for {
		c, err := a.store.Call(ctx, id)
		if err != nil || !c.Live() {
			return c, err
		}
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-grown:
		case <-time.After(time.Second): // the ending may be stored a moment after its event
		}
	}
}

// quantiles returns the quantiles of values by nearest rank.
func quantiles(values []float64) cli.Quantiles {
	if len(values) == 0 {
		return cli.Quantiles{}
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 {
		return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
	}
	return cli.Quantiles{N: len(sorted), P50: at(.5), P90: at(.9), P99: at(.99)}
}
