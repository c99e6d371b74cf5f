package learn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

// ErrBadAnswer says that the model answered, but nothing that can be used. To
// ask again may help or may not; whatever can be done by rules is done by them.
var ErrBadAnswer = errors.New("the model's answer cannot be used")

// Task is one question to a model.
type Task struct {
	Name         string
	System, User string
}

// Model answers questions in a given form. out is a pointer to the struct that
// belongs to the task's name; its tags describe it. An error that wraps
// [ErrBadAnswer] says that there was an answer, but a useless one.
type Model interface {
	Ask(ctx context.Context, t Task, out any) error
}

// Keeper keeps turns word for word; [memory.Service] does.
type Keeper interface {
	Keep(ctx context.Context, turns []memory.Turn) (memory.Kept, error)
	// Refresh has the turns searched anew, since something was learned from them.
	Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error
}

// ForgetRequest is what a person asked in a call to be forgotten: what was said
// about a topic until then, or certain turns. One of both is set.
type ForgetRequest struct {
	Person store.PersonID
	Call   store.CallID
	Topic  string
	Turns  []uuid.UUID // ids in memory
	// Utterances are the same lines in the call's transcript, and the one that asks.
	Utterances []int64
	At         time.Time
	Words      string // as it was asked
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

// Learner learns from calls. It may be used concurrently; of one call it should
// learn once at a time, or the same questions are asked twice.
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
	cfg.Summaries = cfg.Summaries.complete()
	if err := cfg.Summaries.validate(); err != nil {
		return nil, err
	}
	m, err := newMetrics(cfg.Metrics)
	if err != nil {
		return nil, err
	}
	return &Learner{cfg: cfg, metrics: m}, nil
}

// Learn does what follows a call of somebody who is known and consented to being
// remembered; of anybody else it keeps nothing, without an error. It may be
// called again until it returns nil, and after that as well: what is done is not
// done again. Where one step fails, those that need not wait for it are done.
func (l *Learner) Learn(ctx context.Context, c store.Call) error {
	if !c.PersonID.Known() {
		return nil
	}
	err := l.learn(ctx, c)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrNoConsent):
		l.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "call not learned from", slog.String("call_id", c.ID.String()), slog.String("reason", "no_consent"))
		return nil
	default:
		return fmt.Errorf("learn from call %s: %w", c.ID, err)
	}
}

func (l *Learner) learn(ctx context.Context, c store.Call) error {
	s, err := l.lesson(ctx, c)
	if err != nil {
		return err
	}
	// What the person wants kept and forgotten comes before all else, and without
	// it nothing else is done.
	for _, st := range []step{{"limits", s.limits}, {"turns", s.keep}, {"forget", s.forget}, {"settle", s.settle}} {
		if err := s.run(ctx, st); err != nil {
			return err
		}
	}
	if err := s.read(ctx); err != nil {
		return err
	}
	var errs []error
	parts := append(s.inParts("facts", s.facts), s.inParts("names", s.names)...)
	for _, line := range [][]step{{{"pointed", s.pointed}}, parts, {{"promises", s.promises}}, {{"summary", s.summary}}, {{"person", s.person}}} {
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
