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

// ErrBadAnswer says that the model answered, but nothing that can be used. To
// ask again may help or may not; whatever can be done by rules is done by them.
var ErrBadAnswer = errors.New("the model's answer cannot be used")

// Task is one question to a model.
type Task struct {
	Name         string
	System, User string
}

// Names of the questions that a [Model] is asked.
const (
	TaskFacts    = "memory_facts"    // a [FactsAnswer]
	TaskRevision = "memory_revision" // a [RevisionAnswer]
	TaskNames    = "memory_names"    // a [NamesAnswer]
	TaskPromises = "memory_promises" // a [PromisesAnswer]
	TaskSummary  = "memory_summary"  // a [SummaryAnswer]
	TaskTopic    = "memory_topic"    // a [TopicAnswer]
)

// Model answers questions in a given form. out is a pointer to the struct that
// belongs to the task's name; its tags describe it. An error that wraps
// [ErrBadAnswer] says that there was an answer, but a useless one.
type Model interface {
	Ask(ctx context.Context, t Task, out any) error
}

// Keeper keeps turns word for word; [service.Service] does.
type Keeper interface {
	Keep(ctx context.Context, turns []memory.Turn) (keep.Kept, error)
	// Refresh has the turns searched anew, since something was learned from them.
	Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error
}

// ForgetRequest is what a person asked to be forgotten: what was said about a
// topic until then or on a day, certain turns, or both; or all.
type ForgetRequest struct {
	Person store.PersonID
	Topic  string
	Day    string // where the person lives, as YYYY-MM-DD
	All    bool
	Turns  []uuid.UUID // ids in memory
	// Utterances are the same lines in the call's transcript, and the one that
	// asks. Where it was written there are none, and that one is among the turns.
	Utterances []int64
	At         time.Time
}

// Forgetter forgets. A request may come twice: what is gone stays gone.
type Forgetter interface {
	Forget(ctx context.Context, r ForgetRequest) error
}

// Config is what a [Learner] works with. Store, Memory, Model, Forgetter and Log
// are required.
type Config struct {
	Store     *store.Store
	Memory    Keeper
	Model     Model
	Forgetter Forgetter
	// Vectors and Embedder come together; with them, facts that are alike in
	// meaning are found as well as those alike in words.
	Vectors        vectors.Store
	Embedder       memory.Embedder
	EmbeddingModel string
	Summaries      SummarySettings
	// Learnt, if set, is called when something about a person has changed.
	Learnt  func(store.PersonID)
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: counted, but not shown
}

// Learner learns from calls, and from what is written. It may be used concurrently;
// of one call it should learn once at a time, or the same questions are asked twice.
type Learner struct {
	cfg     Config
	metrics *metrics
	// boundary, if set by a test, is told when a step is about to be committed
	// and when it has been; its error ends the try there.
	boundary func(point string) error
}

// New makes a Learner; it connects to nothing.
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

// metrics count what was learned, and what was not.
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

// Learn does what follows a call of somebody who is known and consented to being
// remembered; of anybody else it keeps nothing, without an error. It may be
// called again until it returns nil, and after that as well: what is done is not
// done again. Where one step fails, those that need not wait for it are done.
func (l *Learner) Learn(ctx context.Context, c calls.Call) error {
	if !c.PersonID.Known() {
		return nil
	}
	return l.learnFrom(ctx, spokenIn(c))
}

// LearnWriting learns from what a person wrote as [Learner.Learn] does from a
// call, but for the words themselves, which are kept when they are written, and
// for a summary, which a session has of its own. Of a session that is nobody's it
// learns whom and what it speaks of, and how they belong together.
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
	// What the person wants kept and forgotten comes before all else, and without
	// it nothing else is done.
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

// first are the steps that all others wait for.
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

// then are the others: those in one line wait for those before them.
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
