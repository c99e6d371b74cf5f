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
	if cp.Schema > m.schema {
		return fail("its schema version is %d, and this binary knows up to %d", cp.Schema, m.schema)
	}
	state := json.RawMessage(cp.State)
	for from := cp.Schema; from < m.schema; from++ {
		up, ok := m.upgrades[from]
		if !ok {
			return fail("there is no upgrade from schema version %d", from)
		}
		var err error
		if state, err = up(state); err != nil {
			return Outcome[S]{}, fmt.Errorf("read checkpoint %s of %q: upgrade from schema version %d: %w", cp.ID, t.name, from, err)
		}
	}
	if err := json.Unmarshal(state, &out.State); err != nil {
		return fail("%v", err)
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
