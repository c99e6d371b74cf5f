package graph

import (
	"context"
	"fmt"
	"slices"
)

// Run gives a node access to the turn that it runs in. It is valid during the turn and must not be
// used concurrently.
type Run[In any] struct {
	in In
	// resumed is the address that the answer is for; nil once it was taken.
	resumed *address
	node    string

	emit func(string) error // nil: words are held
	said []string
}

// address is a place where a thread pauses.
type address struct{ node, name string }

// Input returns the turn's input.
func (r *Run[In]) Input() In { return r.in }

// Answer returns the turn's input if it is the answer for this node: the thread had paused here, at
// this address, and the answer was not taken yet. A wait that is reached again within the same turn
// therefore pauses again.
func (r *Run[In]) Answer(name string) (in In, ok bool) {
	if r.resumed == nil || *r.resumed != (address{r.node, name}) {
		return in, false
	}
	r.resumed = nil
	return r.in, true
}

// Say says text. In a thread the text is held until the state is saved, and is part of the outcome;
// errors then come from [Thread.Turn]. Without a thread it is emitted at once, and the error is the
// listener's.
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

// Run runs a graph without waits from its entry to its end. What nodes say is passed to emit at
// once; emit may be nil.
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
