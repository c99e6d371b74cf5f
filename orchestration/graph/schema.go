package graph

import (
	"encoding/json"
	"fmt"

	"github.com/naiber/naiber/store/checkpoint"
)

// restore reads a checkpoint, of whatever schema version there is a way from, or
// returns an error wrapping [ErrSchema] that says why it can't.
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
	out.Done, out.Said, out.Streamed, out.Path = cp.Done, stored.Said, stored.Streamed, stored.Path
	out.Checkpoint, out.Step = cp.ID, cp.Step
	if cp.Done {
		return out, nil
	}
	out.Node, out.Address = cp.Node, stored.Address
	if now, ok := m.renamed[out.Node]; ok {
		out.Node = now
	}
	if n, ok := m.nodes[out.Node]; !ok || n.wait == nil {
		return fail("it waits at node %q, where this binary does not wait", cp.Node)
	}
	return out, nil
}

// Read makes a state of what was saved in some schema version, be it a checkpoint's
// or what else was written of a state, or returns an error wrapping [ErrSchema].
func (m *Machine[S, In]) Read(schema int, state json.RawMessage) (s S, err error) {
	if schema > m.schema {
		return s, fmt.Errorf("%w: its schema version is %d, and this binary knows up to %d", ErrSchema, schema, m.schema)
	}
	for from := schema; from < m.schema; from++ {
		up, ok := m.upgrades[from]
		if !ok {
			return s, fmt.Errorf("%w: there is no upgrade from schema version %d", ErrSchema, from)
		}
		if state, err = up(state); err != nil {
			return s, fmt.Errorf("%w: upgrade from schema version %d: %w", ErrSchema, from, err)
		}
	}
	if err := json.Unmarshal(state, &s); err != nil {
		return s, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s, nil
}
