package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

// reading is the third form of a state: first it was {"n":"7"}, then {"n":7}.
type reading struct {
	Scale int `json:"scale"`
}

func readings(t *testing.T, name string, schema int, node string, change func(*graph.Graph[reading, string])) *graph.Machine[reading, string] {
	t.Helper()
	g := graph.New[reading, string](name, schema)
	g.Entry(node)
	g.Wait(node, func(_ context.Context, s *reading, r *graph.Run[string]) (graph.Signal, error) {
		if _, ok := r.Answer("q"); !ok {
			return graph.Pause("q"), nil
		}
		s.Scale++
		return graph.Go, nil
	})
	g.Edge(node, graph.End)
	if change != nil {
		change(g)
	}
	m, err := g.Compile(0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func unquote(old json.RawMessage) (json.RawMessage, error) {
	return bytes.ReplaceAll(old, []byte(`"7"`), []byte(`7`)), nil
}

func rename(old json.RawMessage) (json.RawMessage, error) {
	return bytes.ReplaceAll(old, []byte(`"n"`), []byte(`"scale"`)), nil
}

func TestSchema(t *testing.T) {
	t.Parallel()
	both := func(g *graph.Graph[reading, string]) { g.Upgrade(1, unquote); g.Upgrade(2, rename) }
	refuse := errors.New("no such reading")
	for _, tt := range []struct {
		name   string
		saved  checkpoint.Checkpoint
		node   string
		change func(*graph.Graph[reading, string])
		want   string // in the error; nothing: it goes on and ends
	}{
		{"as it is now", saved("check", 3, "wait", `{"scale":7}`), "wait", nil, ""},
		{"with a field more", saved("check", 3, "wait", `{"scale":7,"new":1}`), "wait", nil, ""},
		{"one version old", saved("check", 2, "wait", `{"n":7}`), "wait", both, ""},
		{"two versions old", saved("check", 1, "wait", `{"n":"7"}`), "wait", both, ""},
		{"newer than this binary", saved("check", 4, "wait", `{}`), "wait", both, "its schema version is 4, and this binary knows up to 3"},
		{"too old", saved("check", 1, "wait", `{"n":"7"}`), "wait", func(g *graph.Graph[reading, string]) { g.Upgrade(2, rename) }, "no upgrade from schema version 1"},
		{"of another graph", saved("other", 3, "wait", `{"scale":7}`), "wait", nil, `it is of graph "other", and this is "check"`},
		{"at a node that is gone", saved("check", 3, "await", `{"scale":7}`), "wait", nil, `it waits at node "await"`},
		{"at a node that was renamed", saved("check", 3, "await", `{"scale":7}`), "wait", func(g *graph.Graph[reading, string]) { g.Rename("await", "wait") }, ""},
		{"not the state's form", saved("check", 3, "wait", `{"scale":"seven"}`), "wait", nil, "cannot unmarshal"},
		{"not JSON", saved("check", 3, "wait", `{"scale`), "wait", nil, "unexpected end"},
		{"nothing", saved("check", 3, "wait", ``), "wait", nil, "unexpected end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			st := checkpoint.NewMemory(0)
			if err := st.Put(t.Context(), "t", tt.saved, checkpoint.ID{}); err != nil {
				t.Fatal(err)
			}
			th := readings(t, "check", 3, tt.node, tt.change).Thread(st, "t")
			out, err := th.Turn(t.Context(), graph.Call[reading, string]{Turn: checkpoint.Turn{Place: 2}, Input: "x"})
			if tt.want == "" {
				if err != nil || !out.Done || out.State.Scale != 8 {
					t.Errorf("got %+v, %v; want the end, and 8", out, err)
				}
				return
			}
			if !errors.Is(err, graph.ErrSchema) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrSchema and %q in it", err, tt.want)
			}
			h, err := st.Load(t.Context(), "t")
			if err != nil || len(h.Checkpoints) != 1 {
				t.Errorf("what cannot be read was touched: %d checkpoints, %v", len(h.Checkpoints), err)
			}
		})
	}
	t.Run("an upgrade that fails", func(t *testing.T) {
		t.Parallel()
		st := checkpoint.NewMemory(0)
		if err := st.Put(t.Context(), "t", saved("check", 2, "wait", `{}`), checkpoint.ID{}); err != nil {
			t.Fatal(err)
		}
		th := readings(t, "check", 3, "wait", func(g *graph.Graph[reading, string]) {
			g.Upgrade(2, func(json.RawMessage) (json.RawMessage, error) { return nil, refuse })
		}).Thread(st, "t")
		if _, _, err := th.Peek(t.Context()); !errors.Is(err, refuse) || !errors.Is(err, graph.ErrSchema) {
			t.Errorf("got %v, want ErrSchema and %v", err, refuse)
		}
	})
}

func saved(name string, schema int, node, state string) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{
		ID: checkpoint.NewID(), Rev: 1, At: base, Graph: name, Schema: schema, Node: node,
		Turn: checkpoint.Turn{Place: 1, At: base}, Outcome: []byte(`{"address":"q"}`), State: []byte(state),
	}
}
