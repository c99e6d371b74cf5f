package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

// reading is the third form of a state.
type reading struct {
	Scale int `json:"scale"`
}

func readings(t *testing.T) *graph.Machine[reading, string] {
	t.Helper()
	g := graph.New[reading, string]("check", 3)
	g.Entry("wait")
	g.Wait("wait", func(_ context.Context, s *reading, r *graph.Run[string]) (graph.Signal, error) {
		if _, ok := r.Answer("q"); !ok {
			return graph.Pause("q"), nil
		}
		s.Scale++
		return graph.Go, nil
	})
	g.Edge("wait", graph.End)
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		saved checkpoint.Checkpoint
		want  string // in the error; nothing: it goes on and ends
	}{
		{"as it is now", saved("check", 3, "wait", `{"scale":7}`), ""},
		{"with a field more", saved("check", 3, "wait", `{"scale":7,"new":1}`), ""},
		{"newer than this binary", saved("check", 4, "wait", `{}`), "its schema version is 4, and this binary reads 3"},
		{"older", saved("check", 2, "wait", `{"n":"7"}`), "its schema version is 2, and this binary reads 3"},
		{"of another graph", saved("other", 3, "wait", `{"scale":7}`), `it is of graph "other", and this is "check"`},
		{"at a node that is gone", saved("check", 3, "await", `{"scale":7}`), `it waits at node "await"`},
		{"not the state's form", saved("check", 3, "wait", `{"scale":"seven"}`), "cannot unmarshal"},
		{"not JSON", saved("check", 3, "wait", `{"scale`), "unexpected end"},
		{"nothing", saved("check", 3, "wait", ``), "unexpected end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			st := checkpoint.NewMemory(0)
			if err := st.Put(t.Context(), "t", checkpoint.History{}, tt.saved); err != nil {
				t.Fatal(err)
			}
			out, err := readings(t).Thread(st, "t").Turn(t.Context(), graph.Call[reading, string]{Turn: checkpoint.Turn{Place: 2}, Input: "x"})
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
}

func saved(name string, schema int, node, state string) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{
		ID: checkpoint.NewID(), At: base, Graph: name, Schema: schema, Node: node,
		Turn: checkpoint.Turn{Place: 1, At: base}, Outcome: []byte(`{"address":"q"}`), State: []byte(state),
	}
}
