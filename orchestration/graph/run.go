package graph

import (
	"context"
	"fmt"
	"slices"
)

// Run is what a node knows of the turn that it runs in. It is valid during the
// turn and must not be used concurrently.
type Run[In any] struct {
	in In
	// resumed is where the answer belongs; taken once, it is gone.
	resumed *address
	node    string

	emit func(string) error // nil: words are held
	said []string
}

// address is where a thread pauses.
type address struct{ node, name string }

// Input is what the turn brought.
func (r *Run[In]) Input() In { return r.in }

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
	return Outcome[S]{Effect: Advanced, Done: err == nil, Said: r.said, Path: path, State: *s}, err
}

// walk visits nodes from the given one to a pause or the end.
func (m *Machine[S, In]) walk(ctx context.Context, at string, s *S, r *Run[In]) (path []string, paused *address, err error) {
	fail := func(err error) ([]string, *address, error) {
		return path, nil, &Error{Graph: m.name, Path: slices.Clone(path), Err: err}
	}
	for at != End {
		if len(path) == maxSteps {
			return fail(fmt.Errorf("%w: more than %d", ErrSteps, maxSteps))
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
