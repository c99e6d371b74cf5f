package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// ErrBadAnswer says that the model answered, but unusably. A retry may or may not help;
// rules then do what they can.
var ErrBadAnswer = errors.New("the model's answer cannot be used")

// Task is one question to a model.
type Task struct {
	Name         string
	System, User string
}

// Names of the tasks of a [Model].
const (
	TaskFacts    = "memory_facts"    // a [FactsAnswer]
	TaskRevision = "memory_revision" // a [RevisionAnswer]
	TaskNames    = "memory_names"    // a [NamesAnswer]
	TaskPromises = "memory_promises" // a [PromisesAnswer]
	TaskSummary  = "memory_summary"  // a [SummaryAnswer]
	TaskTopic    = "memory_topic"    // a [TopicAnswer]
)

// Model answers questions in a given form. out is a pointer to the struct that belongs to
// the task's name; its tags describe it. An error that wraps [ErrBadAnswer] says that there
// was an answer, but an unusable one.
type Model interface {
	Ask(ctx context.Context, t Task, out any) error
}

// Keeper keeps turns word for word. [service.Service] implements it.
type Keeper interface {
	Keep(ctx context.Context, turns []memory.Turn) (keep.Kept, error)
	// Refresh rebuilds the windows of the turns, since something was learned from them.
	Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error
}

// ForgetRequest is a person's request to forget what was said about a topic until At or on
// a day, certain turns, or both; or everything.
type ForgetRequest struct {
	Person store.PersonID
	Topic  string
	Day    string // in the person's time zone, as YYYY-MM-DD
	All    bool
	Turns  []uuid.UUID // ids in memory
	// Utterances are the ids of the same lines in the call's transcript, and of the line
	// that asks. For written text there are none, and the line that asks is among Turns.
	Utterances []int64
	At         time.Time
}

// Forgetter forgets. A request may be repeated: forgetting again is a no-op.
type Forgetter interface {
	Forget(ctx context.Context, r ForgetRequest) error
}

// Config holds the dependencies of a [Learner]. Store, Memory, Model, Forgetter and Log are
// required.
type Config struct {
	Store     *store.Store
	Memory    Keeper
	Model     Model
	Forgetter Forgetter
	// Vectors and Embedder must be set together. With them, similar facts are found by
	// meaning as well as by words.
	Vectors        vectors.Store
	Embedder       memory.Embedder
	EmbeddingModel string
	Summaries      SummarySettings
	// Learnt, if set, is called after something about a person has changed.
	Learnt  func(store.PersonID)
	Log     *slog.Logger
	Metrics prometheus.Registerer // if nil, metrics are not exported
}

// Learner learns from calls and from written text. It may be used concurrently, but should
// learn from one call only once at a time; otherwise the same questions are asked twice.
type Learner struct {
	cfg     Config
	metrics *metrics
	// boundary, if set by a test, is called before and after a step is committed. Its error
	// ends the try there.
	boundary func(point string) error
}

// New returns a Learner. It connects to nothing. It returns an error if a required field is
// missing, or only one of Vectors and Embedder is set.
func New(cfg Config) (*Learner, error) {
	switch {
	case cfg.Store == nil, cfg.Memory == nil, cfg.Model == nil, cfg.Forgetter == nil, cfg.Log == nil:
		return nil, errors.New("learning needs a store, a memory, a model, somebody who forgets, and a log")
	case (cfg.Vectors == nil) != (cfg.Embedder == nil):
		return nil, errors.New("learning with vectors or an embedder, but not both")
	}
	sum := &cfg.Summaries
	sum.ThresholdTokens, sum.MinTurnsSince, sum.MaxSummaryTokens = cmp.Or(sum.ThresholdTokens, 600), cmp.Or(sum.MinTurnsSince, 12), cmp.Or(sum.MaxSummaryTokens, 400)
	return &Learner{cfg: cfg, metrics: newMetrics(cfg.Metrics)}, nil
}

// metrics count what was learned and what was dropped.
type metrics struct {
	steps    *prometheus.CounterVec
	learned  *prometheus.CounterVec
	dropped  *prometheus.CounterVec
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "learn", Name: name, Help: help}, labels)
	}
	return &metrics{
		steps:    counter("steps_total", "Steps of learning from calls.", "step", "status"),
		learned:  counter("learned_total", "What was learned from calls.", "kind"),
		dropped:  counter("dropped_total", "What a model said that was not taken.", "reason"),
		degraded: counter("degraded_total", "What was done without something that was away.", "reason"),
	}
}

func (s *lesson) drop(reason string) { s.metrics.dropped.WithLabelValues(reason).Inc() }

// Learn runs the steps that follow a call of a known person who consented to being
// remembered; for anyone else it keeps nothing and returns nil. It may be called again
// until it returns nil, and after that as well: steps that are done are not repeated. If
// one step fails, those that need not wait for it still run.
func (l *Learner) Learn(ctx context.Context, c calls.Call) error {
	if !c.PersonID.Known() {
		return nil
	}
	return l.learnFrom(ctx, spokenIn(c))
}

// LearnWriting learns from what a person wrote as [Learner.Learn] does from a call, except
// for the words themselves, which are kept when they are written, and for a summary, which
// a session has of its own. From a session that belongs to no person, it learns only the
// people and things that it mentions, and their relations.
func (l *Learner) LearnWriting(ctx context.Context, w memories.Writing) error {
	return l.learnFrom(ctx, writtenIn(w))
}

func (l *Learner) learnFrom(ctx context.Context, of source) error {
	err := l.learn(ctx, of)
	if errors.Is(err, memory.ErrNoConsent) {
		l.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "not learned from", slog.String("from", of.name), slog.String("reason", "no_consent"))
		return nil
	}
	if err != nil {
		return fmt.Errorf("learn from %s: %w", of.name, err)
	}
	return nil
}

func (l *Learner) learn(ctx context.Context, of source) error {
	s, err := l.lesson(ctx, of)
	if err != nil {
		return err
	}
	// What the person wants kept and forgotten comes first; if it fails, no other step
	// runs.
	for _, st := range s.first() {
		if err := s.run(ctx, st); err != nil {
			return err
		}
	}
	if err := s.read(ctx); err != nil {
		return err
	}
	var errs []error
	for _, line := range s.then() {
		for _, st := range line {
			if err := s.run(ctx, st); err != nil {
				errs = append(errs, err)
				break
			}
		}
		if ctx.Err() != nil || errors.Is(errors.Join(errs...), memory.ErrNoConsent) {
			break
		}
	}
	return errors.Join(errs...)
}

// first returns the steps that all others wait for.
func (s *lesson) first() []step {
	steps := []step{{"limits", s.limits}, {"turns", s.keep}, {"forget", s.forget}, {"settle", s.settle}}
	switch {
	case !s.of.person.Known():
		return nil
	case s.of.written():
		return []step{steps[0], steps[2]}
	default:
		return steps
	}
}

// then returns the other steps. Each waits for those before it in the same slice.
func (s *lesson) then() [][]step {
	names := s.inParts("names", s.names)
	lines := [][]step{{{"pointed", s.pointed}}, append(s.inParts("facts", s.facts), names...), {{"promises", s.promises}}, {{"person", s.person}}}
	switch {
	case !s.of.person.Known():
		return [][]step{names}
	case s.of.written():
		return lines
	default:
		return slices.Insert(lines, 3, []step{{"summary", s.summary}})
	}
}
