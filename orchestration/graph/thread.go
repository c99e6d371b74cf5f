package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/naiber/naiber/store/checkpoint"
)

// Store stores threads. A thread without checkpoints is an empty history. Put adds a checkpoint to
// the thread that was loaded as h, and returns [checkpoint.ErrConflict] if the thread has advanced
// since.
type Store interface {
	Load(ctx context.Context, thread string) (checkpoint.History, error)
	Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error
}

// attempts is how often a turn is run if others advance the thread meanwhile.
const attempts = 3

// Thread is one conversation with a machine. It has no state of its own and may be used
// concurrently: of concurrent turns, each is applied once, in some order.
type Thread[S, In any] struct {
	m     *Machine[S, In]
	store Store
	name  string
}

// Thread returns the thread of that name in a store, new or not.
func (m *Machine[S, In]) Thread(store Store, name string) *Thread[S, In] {
	return &Thread[S, In]{m: m, store: store, name: name}
}

// Call is one request for a turn.
type Call[S, In any] struct {
	// Turn identifies the turn. A zero time means now.
	Turn checkpoint.Turn
	// Late means that the caller knows the conversation to be past this turn, which then changes
	// nothing.
	Late bool
	// From, if set, reads the thread's history and returns the checkpoint to continue from, instead
	// of the one that the turn's place implies; later checkpoints are left aside. The zero id means
	// the one that the place implies. From may complete the input, and is called again if the turn
	// is run again.
	From func(h *checkpoint.History, in *In) checkpoint.ID
	// Input is what the person said.
	Input In
	// Init returns the state of a new thread; nil means the zero S.
	Init func(ctx context.Context) (S, error)
	// Emit receives what is said, once it is saved, and what was said if the turn is repeated; if
	// it is nil, see [Outcome.Said]. For turns that are late or over, the caller chooses what to
	// say.
	Emit func(text string) error
}

// Effect is what a turn did to its thread.
type Effect string

// The possible effects of a turn. All but the first two change nothing, and their outcome is a
// stored one.
const (
	Advanced Effect = "advanced"
	Replaced Effect = "replaced" // the place had been answered with other words, which are undone
	Repeated Effect = "repeated" // the same turn was applied before: its outcome
	Late     Effect = "late"     // the conversation is past it: the newest outcome
	Over     Effect = "over"     // the graph is at its end: the last outcome
)

// Outcome is the result of a turn.
type Outcome[S any] struct {
	Effect Effect
	// State is the state after the turn.
	State S
	// Done means that the graph is at its end; otherwise it waits at Node for an answer to Address.
	Done          bool
	Node, Address string
	// Said holds what nodes said, in order.
	Said []string
	// Path holds the nodes that the turn visited.
	Path       []string
	Checkpoint checkpoint.ID
	Step       int
}

// outcome is the part of an [Outcome] that is stored besides the state.
type outcome struct {
	Address string   `json:"address,omitempty"`
	Said    []string `json:"said,omitempty"`
	Path    []string `json:"path,omitempty"`
}

// Turn applies a turn: it begins a new thread or resumes a paused one, runs to the next pause or
// the end, saves, and then speaks.
//
// A repeated turn is answered from the stored outcome. Other words at the same place replace the
// effect of the first ones. If others advance the thread meanwhile, the turn is run again on their
// state; after three attempts the error wraps [ErrConflict].
//
// After an error before the save, nothing has changed and nothing was said. An error while speaking
// is returned together with an outcome that has a checkpoint.
func (t *Thread[S, In]) Turn(ctx context.Context, c Call[S, In]) (Outcome[S], error) {
	if c.Turn.At.IsZero() {
		c.Turn.At = time.Now()
	}
	c.Turn.At = c.Turn.At.UTC().Truncate(time.Microsecond)
	for range attempts {
		h, err := t.store.Load(ctx, t.name)
		if err != nil {
			return Outcome[S]{}, err
		}
		var from checkpoint.ID
		if c.From != nil {
			from = c.From(&h, &c.Input)
		}
		w, err := decide(&h, &c.Turn, c.Late, from)
		if err != nil {
			return Outcome[S]{}, fmt.Errorf("turn of %q: %w", t.name, err)
		}
		if !w.runs() {
			return t.recall(&c, &w)
		}
		out, moved, err := t.apply(ctx, &c, &h, &w)
		if !moved {
			return out, err
		}
	}
	return Outcome[S]{}, fmt.Errorf("turn of %q: %w", t.name, ErrConflict)
}

// Peek returns the newest outcome, and reports whether there is one. It changes nothing.
func (t *Thread[S, In]) Peek(ctx context.Context) (out Outcome[S], found bool, err error) {
	h, err := t.store.Load(ctx, t.name)
	if err != nil {
		return out, false, err
	}
	cp, ok := h.Head()
	if !ok {
		return out, false, nil
	}
	out, err = t.restore(&cp)
	return out, err == nil, err
}

// recall answers a turn that does not run with a stored outcome.
func (t *Thread[S, In]) recall(c *Call[S, In], w *way) (Outcome[S], error) {
	if !w.known.ID.Known() {
		return Outcome[S]{Effect: w.effect}, nil
	}
	out, err := t.restore(&w.known)
	if err != nil {
		return out, err
	}
	if out.Effect = w.effect; out.Effect == Repeated {
		if err := say(&out, c.Emit); err != nil {
			return out, fmt.Errorf("repeat turn of %q: %w", t.name, err)
		}
	}
	return out, nil
}

// apply runs a turn from where w says, saves it, and speaks. It reports whether the thread has
// advanced meanwhile; then nothing was saved or said.
func (t *Thread[S, In]) apply(ctx context.Context, c *Call[S, In], h *checkpoint.History, w *way) (out Outcome[S], moved bool, err error) {
	s, at, resumed, err := t.begin(ctx, c, w)
	if err != nil {
		return out, false, err
	}
	r := &Run[In]{in: c.Input, resumed: resumed}
	path, paused, err := t.m.walk(ctx, at, &s, r)
	if err != nil {
		return Outcome[S]{Path: path}, false, err
	}
	out = Outcome[S]{Effect: w.effect, State: s, Done: paused == nil, Said: r.said, Path: path}
	if paused != nil {
		out.Node, out.Address = paused.node, paused.name
	}
	if err := t.save(ctx, c, h, w, &out); err != nil {
		return Outcome[S]{Path: path}, errors.Is(err, checkpoint.ErrConflict), err
	}
	if err := say(&out, c.Emit); err != nil {
		return out, false, &Error{Graph: t.m.name, Path: path, Err: fmt.Errorf("speak: %w", err)}
	}
	return out, false, nil
}

// begin returns the state that a turn starts with, the node where it starts, and the address that
// is resumed.
func (t *Thread[S, In]) begin(ctx context.Context, c *Call[S, In], w *way) (s S, at string, resumed *address, err error) {
	if !w.base.ID.Known() {
		if c.Init != nil {
			if s, err = c.Init(ctx); err != nil {
				return s, "", nil, fmt.Errorf("begin thread %q: %w", t.name, err)
			}
		}
		return s, t.m.entry, nil, nil
	}
	base, err := t.restore(&w.base)
	if err != nil {
		return s, "", nil, err
	}
	return base.State, base.Node, &address{base.Node, base.Address}, nil
}

// save writes the turn's checkpoint.
func (t *Thread[S, In]) save(ctx context.Context, c *Call[S, In], h *checkpoint.History, w *way, out *Outcome[S]) error {
	state, err := json.Marshal(out.State)
	if err != nil {
		return fmt.Errorf("save thread %q: %w", t.name, err)
	}
	stored, err := json.Marshal(outcome{Address: out.Address, Said: out.Said, Path: out.Path})
	if err != nil {
		return fmt.Errorf("save thread %q: %w", t.name, err)
	}
	cp := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), Parent: w.base.ID, At: time.Now().UTC().Truncate(time.Microsecond),
		Graph: t.m.name, Schema: t.m.schema, Node: out.Node, Turn: c.Turn, Done: out.Done, Outcome: stored, State: state,
	}
	if w.base.ID.Known() {
		cp.Step = w.base.Step + 1
	}
	if out.Done {
		cp.Node = End
	}
	if err := t.store.Put(ctx, t.name, *h, cp); err != nil {
		return err
	}
	out.Checkpoint, out.Step = cp.ID, cp.Step
	return nil
}

// say emits what the nodes said.
func say[S any](out *Outcome[S], emit func(string) error) error {
	if emit == nil {
		return nil
	}
	for _, text := range out.Said {
		if err := emit(text); err != nil {
			return err
		}
	}
	return nil
}
