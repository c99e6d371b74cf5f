package general

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store"
)

// Model is what a reply and the work after a call need of a language model; [llm.Client]
// is one.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Config is what a [Persona] works with. Model, Calls, Keeper and Log are
// required; [store.Store] is the two in the middle.
type Config struct {
	Model  Model
	Recall *recall.Recall // nil: nothing is recalled
	Calls  Calls
	Keeper Keeper
	// Limits, if set, say which topics are not kept.
	Limits Limits
	// Learnt, if set, hears that something new is on record about a person.
	Learnt func(store.PersonID)

	Log *slog.Logger
}

// Persona is the companion. It may be used concurrently.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[state, input]
}

var _ orchestration.Persona = (*Persona)(nil)

// New makes the companion, or says all that is missing.
func New(cfg Config) (*Persona, error) {
	var errs []error
	require := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("general persona has no "+what))
		}
	}
	require(cfg.Model != nil, "model")
	require(cfg.Calls != nil, "calls")
	require(cfg.Keeper != nil, "keeper")
	require(cfg.Log != nil, "log")
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p := &Persona{cfg: cfg, log: cfg.Log}
	var err error
	p.machine, err = p.build()
	return p, err
}

// Reply answers one turn.
func (p *Persona) Reply(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	_, err := p.machine.Run(ctx, &state{}, input{t, s}, s.Say)
	return err
}

func keypadHint(t *orchestration.Turn) string {
	if t.Keypad == "" {
		return ""
	}
	return "The person pressed keys on the telephone (" + strings.Join(strings.Split(t.Keypad, ""), " ") +
		"). No key was asked for: say kindly that they can simply speak."
}
