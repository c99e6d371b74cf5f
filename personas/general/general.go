package general

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// Model is what a reply and the work after a call need of a language model; [llm.Client]
// is one.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Recaller knows what fits words about a person. It may be used concurrently.
type Recaller interface {
	// Embed returns what a text means, as a vector; none, without an error, where
	// nothing can tell.
	Embed(ctx context.Context, text string) ([]float32, error)
	// Recall returns what fits the words, as short sentences, best first; without
	// a vector of their meaning, by the words alone.
	Recall(ctx context.Context, p store.Person, words string, meaning []float32) ([]string, error)
}

// What a zero [Config] field means.
const (
	DefaultDeadline       = 150 * time.Millisecond
	DefaultTopicThreshold = 0.4
	DefaultHighlightsFor  = 90 * time.Second
)

// Config is what a [Persona] works with. Model, Calls, Keeper and Log are
// required; [store.Store] is the two in the middle.
type Config struct {
	Model    Model
	Recaller Recaller // nil: nothing is recalled
	Calls    Calls
	Keeper   Keeper
	// Limits, if set, say which topics are not kept.
	Limits Limits
	// Learnt, if set, hears that something new is on record about a person.
	Learnt func(store.PersonID)

	// RAGEnabled switches recall on.
	RAGEnabled bool
	// Deadline is how long the first word may wait for memories. What comes
	// later serves the call's next turn. Default [DefaultDeadline].
	Deadline time.Duration
	// TopicThreshold is how like the topic words must be to belong to it, as a
	// cosine. Below it memory is searched anew. Default [DefaultTopicThreshold].
	TopicThreshold float64
	// HighlightsFor is how long what was recalled serves while the topic stays.
	// Default [DefaultHighlightsFor].
	HighlightsFor time.Duration

	Log *slog.Logger
}

// Persona is the companion. It may be used concurrently.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[state, input]
	late    sync.WaitGroup // recalls that still run

	mu     sync.Mutex // guards topics and closed
	topics map[store.CallID]*topic
	closed bool
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
	cfg.Deadline = cmp.Or(cfg.Deadline, DefaultDeadline)
	cfg.TopicThreshold = cmp.Or(cfg.TopicThreshold, DefaultTopicThreshold)
	cfg.HighlightsFor = cmp.Or(cfg.HighlightsFor, DefaultHighlightsFor)
	p := &Persona{cfg: cfg, log: cfg.Log, topics: make(map[store.CallID]*topic)}
	var err error
	p.machine, err = p.build()
	return p, err
}

// Close waits for recalls that still run.
func (p *Persona) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.late.Wait()
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
