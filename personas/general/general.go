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

// Model is the language model for replies and for the work after a call; [llm.Client] implements
// it.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Config configures a [Persona]. Model, Calls, Keeper and Log are required; [store.Store]
// implements Calls and Keeper.
type Config struct {
	Model  Model
	Recall *recall.Recall // nil: nothing is recalled
	Calls  Calls
	Keeper Keeper
	// Limits, if set, says which topics are not stored.
	Limits Limits
	// Learnt, if set, is called when something new is on record about a person.
	Learnt func(store.PersonID)

	Log *slog.Logger
}

// Persona is the companion. It is safe for concurrent use.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[state, input]
}

var _ orchestration.Persona = (*Persona)(nil)

// New returns the companion, or an error that lists all that is missing from cfg.
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
