package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/graph"
)

type bare struct{ N int }

func pass(context.Context, *bare, *graph.Run[string]) error { return nil }

func hold(context.Context, *bare, *graph.Run[string]) (graph.Signal, error) {
	return graph.Pause("q"), nil
}

func TestCompile(t *testing.T) {
	t.Parallel()
	type builder = graph.Graph[bare, string]
	sound := func(g *builder) {
		g.Step("ask", pass)
		g.Wait("wait", hold)
		g.Entry("ask")
		g.Edge("ask", "wait")
		g.Branch("wait", func(*bare) string { return graph.End }, "ask", graph.End)
	}
	for _, tt := range []struct {
		name  string
		build func(g *builder)
		want  []string // nothing: it is in order
	}{
		{"sound", sound, nil},
		{"empty", func(*builder) {}, []string{"it has no nodes", "it has 0 entries"}},
		{"two of a name", func(g *builder) { sound(g); g.Step("ask", pass) }, []string{`two nodes are called "ask"`}},
		{"reserved end", func(g *builder) { sound(g); g.Step("end", pass) }, []string{`"end" is reserved`}},
		{"reserved start", func(g *builder) { sound(g); g.Step("start", pass) }, []string{`"start" is reserved`}},
		{"not a name", func(g *builder) { sound(g); g.Step("Ask me!", pass) }, []string{`"Ask me!" cannot be a node's name`}},
		{"nothing to do", func(g *builder) { sound(g); g.Step("idle", nil) }, []string{`node "idle" has nothing to do`}},
		{"nothing to wait with", func(g *builder) { sound(g); g.Wait("idle", nil) }, []string{`node "idle" has nothing to do`}},
		{"edge to nowhere", func(g *builder) { sound(g); g.Step("x", pass); g.Edge("x", "gone") }, []string{`from "x" to "gone", which is no node`}},
		{"edge from nowhere", func(g *builder) { sound(g); g.Edge("gone", "ask") }, []string{`leads from "gone", which is no node`}},
		{"edge from the end", func(g *builder) { sound(g); g.Edge(graph.End, "ask") }, []string{`leads from "end", which is no node`}},
		{"two ways out", func(g *builder) { sound(g); g.Edge("ask", graph.End) }, []string{`node "ask" has two ways out`}},
		{"no way out", func(g *builder) { sound(g); g.Step("x", pass) }, []string{`node "x" has no way out`}},
		{"branch without targets", func(g *builder) {
			sound(g)
			g.Step("x", pass)
			g.Branch("x", func(*bare) string { return "" })
		}, []string{`the branch from "x" leads nowhere`}},
		{"branch without a choice", func(g *builder) { sound(g); g.Step("x", pass); g.Branch("x", nil, "ask") }, []string{`the branch from "x" has nothing to choose by`}},
		{"branch names one twice", func(g *builder) {
			sound(g)
			g.Step("x", pass)
			g.Branch("x", func(*bare) string { return "ask" }, "ask", "ask")
		}, []string{`names "ask" twice`}},
		{"two entries", func(g *builder) { sound(g); g.Entry("wait") }, []string{"it has 2 entries"}},
		{"entry that is no node", func(g *builder) {
			g.Step("a", pass)
			g.Edge("a", graph.End)
			g.Entry("b")
		}, []string{`entry "b" is no node`}},
		{"unreachable", func(g *builder) { sound(g); g.Step("island", pass); g.Edge("island", "ask") }, []string{`nothing leads to node "island"`}},
		{"no way to the end", func(g *builder) {
			g.Step("a", pass)
			g.Wait("b", hold)
			g.Entry("a")
			g.Edge("a", "b")
			g.Edge("b", "a")
		}, []string{`no way from node "a" to the end`, `no way from node "b" to the end`}},
		{"a circle without a choice", func(g *builder) {
			g.Step("a", pass)
			g.Step("b", pass)
			g.Entry("a")
			g.Edge("a", "b")
			g.Edge("b", "a")
		}, []string{`node "a" leads straight back to itself`}},
		{"all at once", func(g *builder) { g.Step("A", nil); g.Edge("b", "c") }, []string{"cannot be a node's name", "nothing to do", `leads from "b"`, `to "c"`, "0 entries", "no way out"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := graph.New[bare, string]("check", 3)
			tt.build(g)
			m, err := g.Compile()
			if len(tt.want) == 0 {
				if err != nil || m == nil {
					t.Fatalf("got %v, want a machine", err)
				}
				return
			}
			if err == nil {
				t.Fatal("it compiled")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestCompileFreezes(t *testing.T) {
	t.Parallel()
	g := graph.New[bare, string]("check", 1)
	g.Step("a", func(_ context.Context, s *bare, _ *graph.Run[string]) error { s.N++; return nil })
	g.Edge("a", graph.End)
	g.Entry("a")
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	g.Step("b", nil)
	g.Edge("a", "b")
	var s bare
	if out, err := m.Run(t.Context(), &s, "", nil); err != nil || s.N != 1 || len(out.Path) != 1 {
		t.Errorf("after changes to the graph: got %v, %v, %v", s, out.Path, err)
	}
}

func TestCompileNames(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]*graph.Graph[bare, string]{
		"it has no name": graph.New[bare, string]("", 1), "its schema version is 0": graph.New[bare, string]("x", 0),
	} {
		if _, err := g.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
