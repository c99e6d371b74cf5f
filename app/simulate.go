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

	"github.com/naiber/naiber/app/cli"
	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony"
)

// simulatedCallLimit bounds one call of a simulation.
const simulatedCallLimit = 10 * time.Minute

// Simulate runs a sandbox of its own, with an empty database that goes away,
// and lets its elders answer calls.
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
	log := p.log
	if cfg.Log.Level == "info" {
		log = slog.New(slog.DiscardHandler) // the report is the story
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

// simulate calls each elder as often as asked: the elders side by side, the
// calls to one of them one after the other, since a person has one telephone.
func simulate(ctx context.Context, a *App, cast []elders.Elder, opts cli.SimulateOptions, progress io.Writer) (cli.Report, error) {
	began := time.Now()
	var mu sync.Mutex // guards what follows
	rep := cli.Report{Outcomes: map[string]int{}}
	series := map[string][]float64{}
	var wg sync.WaitGroup
	for _, e := range cast {
		person, err := personOf(ctx, a.store, e)
		if err != nil {
			return rep, err
		}
		wg.Go(func() {
			for range opts.Calls {
				if ctx.Err() != nil {
					return
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

// personOf is the elder in the database.
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
	return out, ttft
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
		case <-time.After(time.Second): // the ending itself may come a moment after its event
		}
	}
}

// quantiles by nearest rank.
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
