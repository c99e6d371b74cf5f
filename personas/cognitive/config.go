// Package cognitive implements the cognitive check: a gentle check by telephone of memory,
// attention, language and orientation.
//
// It asks whether the moment is good and the person hears well, puts the tasks of package tasks
// item by item in their exact words, keeps what was said with its times, and scores it by the rules
// of package score. It uses no model, never says how an answer went, and never compares or
// diagnoses. What was heard is saved before anything is said. A task that was disturbed is void, or
// is put again in another form.
package cognitive

import (
	"context"
	"errors"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// Checkpoints stores threads; each store of package checkpoint implements it.
type Checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
}

// Store is what a check reads and writes; [store.Store] implements it.
type Store interface {
	Call(ctx context.Context, id store.CallID) (calls.Call, error)
	ConsentScopes(ctx context.Context, id store.PersonID) (map[people.Scope]bool, error)
	CognitivePast(ctx context.Context, id store.PersonID) ([]cognition.Used, error)
	SaveCognitiveCheck(ctx context.Context, c cognition.Check) error
	AddEvent(ctx context.Context, id store.CallID, kind string, data []byte, key string) (bool, error)
}

// Config configures a [Persona]. Tasks, Checkpoints, Store and Log are required.
type Config struct {
	Tasks       *tasks.Library
	Checkpoints Checkpoints
	Store       Store
	// Pace is how much faster than real time the speakers' time runs, as in a simulation. Zero
	// means 1.
	Pace float64

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: not exported
}

// Persona is the cognitive check. It is safe for concurrent use.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[State, input]
	metrics *metrics
}

var _ orchestration.Persona = (*Persona)(nil)

// New returns the cognitive check, or an error that lists all that is missing from cfg.
func New(cfg Config) (*Persona, error) {
	var errs []error
	require := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("cognitive persona has no "+what))
		}
	}
	require(cfg.Tasks != nil, "tasks")
	require(cfg.Checkpoints != nil, "checkpoints")
	require(cfg.Store != nil, "store")
	require(cfg.Log != nil, "log")
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p := &Persona{cfg: cfg, log: cfg.Log, metrics: newMetrics(cfg.Metrics)}
	var err error
	p.machine, err = p.compile()
	return p, err
}
