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
	// modelName is our model's name in answers.
	modelName = "naiber"
	// firstWordDeadline is how long a persona may take until its first word; then the calm sentence
	// is said. ElevenLabs was seen to drop a turn after 11 s.
	firstWordDeadline = 10 * time.Second
)

// DefaultDeadline is the default of [Config.Deadline]: ElevenLabs ends the call at 20 s.
const DefaultDeadline = 18 * time.Second

// Config configures a [Server]. Secret, Personas, Directory, Ender, Recorder, Verify and Log are
// required.
type Config struct {
	// Secret is the bearer token that the voice service presents.
	Secret string
	// Personas answer the turns of each type of call.
	Personas map[calls.CallType]Persona
	// Directory finds the line of a call.
	Directory Directory
	// Ender ends calls for which the voice service has no tool.
	Ender Ender
	// Recorder stores turns.
	Recorder Recorder
	// Verify checks a signed call token and returns the call that it names.
	Verify func(token string) (store.CallID, bool)
	// ResolveByName lets a request without a call token find its call by the person or telephone
	// number that it names. Secret then gives access to every live call.
	ResolveByName bool
	// Passthrough answers requests that belong to no known call. If it is nil, they get the calm
	// sentence.
	Passthrough Passthrough
	// Middleware wraps every persona, the first outermost; safety checks go here.
	Middleware []Middleware
	// Silence is what to say when nobody speaks. The default is [DefaultLadder], whose sentences
	// are said in the person's language.
	Silence Ladder
	// Patient are the types of call in which people are given time to think: their persona answers
	// silent turns itself, and dead air is never covered.
	Patient []calls.CallType

	// FillerAfter is how long the first word may take until dead air is covered; 0 never covers it.
	FillerAfter time.Duration
	// Fillers cover dead air, one after the other. The default is [DefaultFillers], which are said
	// in the person's language.
	Fillers []string
	// Deadline is how long a reply may take; then its sentence is ended and no more is said.
	// Default [DefaultDeadline].
	Deadline time.Duration

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: not exported
	Tracer  trace.Tracer          // nil: no spans
}

// withDefaults returns cfg with its zero fields set to their defaults.
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

// validate returns an error that names everything wrong with cfg.
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
