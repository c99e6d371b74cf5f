package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/naiber/naiber/store/checkpoint"
)

// Run is what a node knows of the turn that it runs in. It is valid during the
// turn and must not be used concurrently.
type Run[In any] struct {
	in In
	// resumed is where the answer belongs; taken once, it is gone.
	resumed *address
	node    string
	resume  bool // the turn began at a pause

	emit  func(string) error // nil: words are held
	said  []string
	after []func(ctx context.Context, say func(string) error) error

	tasks *tasks
}

// address is where a thread pauses.
type address struct{ node, name string }

// Input is what the turn brought.
func (r *Run[In]) Input() In { return r.in }

// Resumed reports whether the turn went on at a pause, and did not begin a thread.
func (r *Run[In]) Resumed() bool { return r.resume }

// Answer returns what the turn brought, if it is meant for this node: the thread
// had paused here, at this address, and nobody has taken the answer yet. So a
// wait that is reached again within the same turn pauses anew.
func (r *Run[In]) Answer(name string) (in In, ok bool) {
	if r.resumed == nil || *r.resumed != (address{r.node, name}) {
		return in, false
	}
	r.resumed = nil
	return r.in, true
}

// Say says something. In a thread it is held until the state is saved, and is
// part of the outcome; an error then comes from [Thread.Turn]. Without a thread it
// leaves at once, and the error is the listener's.
func (r *Run[In]) Say(text string) error {
	if text == "" {
		return nil
	}
	r.said = append(r.said, text)
	if r.emit != nil {
		return r.emit(text)
	}
	return nil
}

// After has speak run once the state is saved and what was said has left, to
// stream what takes its time. It must not touch the state. What it says is not
// kept: a repeated turn is answered without it.
func (r *Run[In]) After(speak func(ctx context.Context, say func(text string) error) error) {
	r.after = append(r.after, speak)
}

// Once does a task at most once a turn, whatever becomes of the turn: where it is
// run again, after a crash or a lost race, the first result counts and do is not
// called. It is for what the turn does to the world. Two turns at one place are
// two turns. Without a thread it just calls do.
//
// A crash between do and its note makes do run again: what must not even then
// happen twice needs a key on the other side as well.
func Once[T, In any](ctx context.Context, r *Run[In], task string, do func(ctx context.Context) (T, error)) (T, error) {
	if r.tasks == nil {
		return do(ctx)
	}
	var v T
	if raw, ok := r.tasks.find(task); ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			return v, fmt.Errorf("result of task %s: %w", task, err)
		}
		return v, nil
	}
	v, err := do(ctx)
	if err != nil {
		return v, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return v, fmt.Errorf("result of task %s: %w", task, err)
	}
	first, err := r.tasks.note(ctx, task, raw)
	if err != nil {
		return v, err
	}
	var counts T
	if err := json.Unmarshal(first, &counts); err != nil {
		return v, fmt.Errorf("result of task %s: %w", task, err)
	}
	return counts, nil
}

// Run runs a graph without waits from its entry to its end. What nodes say leaves
// through emit at once; emit may be nil.
func (m *Machine[S, In]) Run(ctx context.Context, s *S, in In, emit func(text string) error) (Outcome[S], error) {
	if m.waits {
		return Outcome[S]{}, &Error{Graph: m.name, Path: []string{m.entry}, Err: ErrNoThread}
	}
	if emit == nil {
		emit = func(string) error { return nil }
	}
	r := &Run[In]{in: in, emit: emit}
	path, _, err := m.walk(ctx, m.entry, s, r)
	out := Outcome[S]{Effect: Advanced, Done: err == nil, Said: r.said, Path: path, State: *s}
	if err != nil {
		return out, err
	}
	return out, m.after(ctx, path, r, emit)
}

// walk visits nodes from the given one to a pause or the end.
func (m *Machine[S, In]) walk(ctx context.Context, at string, s *S, r *Run[In]) (path []string, paused *address, err error) {
	fail := func(err error) ([]string, *address, error) {
		return path, nil, &Error{Graph: m.name, Path: slices.Clone(path), Err: err}
	}
	for at != End {
		if len(path) == m.maxSteps {
			return fail(fmt.Errorf("%w: more than %d", ErrSteps, m.maxSteps))
		}
		path = append(path, at)
		if ctx.Err() != nil {
			return fail(context.Cause(ctx))
		}
		n := m.nodes[at]
		r.node = at
		if n.wait != nil {
			sig, err := n.wait(ctx, s, r)
			if err != nil {
				return fail(err)
			}
			if sig.paused {
				return path, &address{at, sig.address}, nil
			}
		} else if err := n.step(ctx, s, r); err != nil {
			return fail(err)
		}
		e := m.edges[at]
		next := e.to[0]
		if e.branch {
			if next = e.next(s); !slices.Contains(e.to, next) {
				return fail(fmt.Errorf("the branch leads to %q, which it did not declare", next))
			}
		}
		at = next
	}
	return path, nil, nil
}

// after runs what was put off until the save.
func (m *Machine[S, In]) after(ctx context.Context, path []string, r *Run[In], say func(string) error) error {
	for _, speak := range r.after {
		if err := speak(ctx, say); err != nil {
			return &Error{Graph: m.name, Path: path, Err: fmt.Errorf("speak: %w", err)}
		}
	}
	return nil
}

// tasks is the work noted since a checkpoint, for one turn.
type tasks struct {
	store  Store
	thread string
	base   checkpoint.ID
	prefix string
	noted  checkpoint.History
	now    clock
}

func (t *tasks) find(task string) ([]byte, bool) {
	w, ok := t.noted.Done(t.base, t.prefix+task)
	return w.Value, ok
}

func (t *tasks) note(ctx context.Context, task string, value []byte) ([]byte, error) {
	w, err := t.store.Write(ctx, t.thread, checkpoint.Write{Checkpoint: t.base, Task: t.prefix + task, Value: value, At: t.now.now()})
	if err != nil {
		return nil, fmt.Errorf("note task %s: %w", task, err)
	}
	t.noted.Writes = append(t.noted.Writes, w)
	return w.Value, nil
}
