package orchestration

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const (
	// modelName is what we call ourselves in answers.
	modelName = "naiber"
	// firstWordDeadline is how long a persona may take to its first word; then the calm
	// sentence is said. ElevenLabs was seen to drop a turn after 11 s.
	firstWordDeadline = 10 * time.Second
)

// DefaultDeadline is the default of [Config.Deadline]: ElevenLabs ends the call at 20 s.
const DefaultDeadline = 18 * time.Second

// Config is what a [Server] works with. Secret, Personas, Directory, Ender,
// Recorder, Verify and Log are required.
type Config struct {
	// Secret is the bearer that the voice service presents.
	Secret string
	// Personas answer the turns of each type of call.
	Personas map[calls.CallType]Persona
	// Directory knows who is on a call.
	Directory Directory
	// Ender ends calls where the voice service has no tool for it.
	Ender Ender
	// Recorder keeps turns.
	Recorder Recorder
	// Verify checks a signed call token and returns the call that it names.
	Verify func(token string) (store.CallID, bool)
	// ResolveByName lets a request without a call token find its call by the
	// person or telephone number that it names. Whoever has Secret then reaches
	// every live call.
	ResolveByName bool
	// Passthrough answers requests that belong to no known call. Without one
	// they hear the calm sentence.
	Passthrough Passthrough
	// Middleware wraps every persona, the first outermost; safety goes here.
	Middleware []Middleware
	// Silence is what is said when nobody speaks. Sentences of [DefaultLadder], which is the
	// default, are said in the person's language.
	Silence Ladder
	// Patient are types of call in which people are left to think: their persona answers
	// silent turns itself, and dead air is never covered.
	Patient []calls.CallType

	// FillerAfter is how long the first word may take until dead air is covered;
	// 0 never covers it.
	FillerAfter time.Duration
	// Fillers cover it, one after the other. Those of [DefaultFillers], which is the default,
	// are said in the person's language.
	Fillers []string
	// Deadline is how long a reply may take; then its sentence is ended and no
	// more is said. Default [DefaultDeadline].
	Deadline time.Duration

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: counted, but not shown
	Tracer  trace.Tracer          // nil: no spans
}

// withDefaults returns cfg with what is zero filled in.
func (cfg Config) withDefaults() Config {
	if cfg.Fillers == nil {
		cfg.Fillers = DefaultFillers
	}
	cfg.Deadline = cmp.Or(cfg.Deadline, DefaultDeadline)
	if cfg.Tracer == nil {
		cfg.Tracer = noop.NewTracerProvider().Tracer("")
	}
	return cfg
}

// validate reports all that is wrong with cfg at once.
func (cfg Config) validate() error {
	var errs []error
	require := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New(what))
		}
	}
	require(cfg.Secret != "", "no secret: the model endpoint would stand open")
	require(len(cfg.Personas) > 0, "no persona is registered")
	require(cfg.Directory != nil, "no directory")
	require(cfg.Ender != nil, "no ender")
	require(cfg.Recorder != nil, "no recorder")
	require(cfg.Verify != nil, "no check for call tokens")
	require(cfg.Log != nil, "no log")
	require(cfg.FillerAfter >= 0 && cfg.Deadline > 0, "a duration is negative")
	return errors.Join(errs...)
}
