package graph

import (
	"encoding/json"
	"fmt"

	"github.com/naiber/naiber/store/checkpoint"
)

// restore returns the outcome stored in a checkpoint, or an error wrapping [ErrSchema] that says
// why it cannot be read.
func (t *Thread[S, In]) restore(cp *checkpoint.Checkpoint) (Outcome[S], error) {
	var out Outcome[S]
	fail := func(format string, args ...any) (Outcome[S], error) {
		return Outcome[S]{}, fmt.Errorf("read checkpoint %s of %q: %w: %s", cp.ID, t.name, ErrSchema, fmt.Sprintf(format, args...))
	}
	m := t.m
	if cp.Graph != m.name {
		return fail("it is of graph %q, and this is %q", cp.Graph, m.name)
	}
	var err error
	if out.State, err = m.Read(cp.Schema, cp.State); err != nil {
		return Outcome[S]{}, fmt.Errorf("read checkpoint %s of %q: %w", cp.ID, t.name, err)
	}
	var stored outcome
	if err := json.Unmarshal(cp.Outcome, &stored); err != nil {
		return fail("outcome: %v", err)
	}
	out.Done, out.Said, out.Path = cp.Done, stored.Said, stored.Path
	out.Checkpoint, out.Step = cp.ID, cp.Step
	if cp.Done {
		return out, nil
	}
	out.Node, out.Address = cp.Node, stored.Address
	if n, ok := m.nodes[out.Node]; !ok || n.wait == nil {
		return fail("it waits at node %q, where this binary does not wait", cp.Node)
	}
	return out, nil
}

// Read parses a state that was saved in a schema version, in a checkpoint or elsewhere. It returns
// an error wrapping [ErrSchema] if it cannot be read.
func (m *Machine[S, In]) Read(schema int, state json.RawMessage) (s S, err error) {
	if schema != m.schema {
		return s, fmt.Errorf("%w: its schema version is %d, and this binary reads %d", ErrSchema, schema, m.schema)
	}
	if err := json.Unmarshal(state, &s); err != nil {
		return s, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s, nil
}
