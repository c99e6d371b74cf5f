package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/naiber/naiber/orchestration/graph"
)

func ExampleGraph() {
	type state struct{ Said, Memories string }
	g := graph.New[state, string]("general", 1)
	g.Entry("classify")
	g.Step("classify", func(_ context.Context, s *state, r *graph.Run[string]) error {
		s.Said = r.Input()
		return nil
	})
	g.Branch("classify", func(s *state) string {
		if len(s.Said) < 10 {
			return "generate"
		}
		return "recall"
	}, "recall", "generate")
	g.Step("recall", func(_ context.Context, s *state, _ *graph.Run[string]) error {
		s.Memories = "the garden"
		return nil
	})
	g.Edge("recall", "generate")
	g.Step("generate", func(_ context.Context, s *state, r *graph.Run[string]) error {
		return r.Say("Tell me about " + s.Memories + ".")
	})
	g.Edge("generate", graph.End)
	m, err := g.Compile()
	if err != nil {
		panic(err)
	}
	out, err := m.Run(context.Background(), new(state), "I planted the roses today", func(text string) error {
		fmt.Println(text)
		return nil
	})
	fmt.Println(out.Path, err)
	// Output:
	// Tell me about the garden.
	// [classify recall generate] <nil>
}

// straight compiles a graph of steps, one after the other.
func straight(t *testing.T, steps ...graph.Step[bare, string]) *graph.Machine[bare, string] {
	t.Helper()
	g := graph.New[bare, string]("straight", 1)
	g.Entry("n0")
	for i, s := range steps {
		g.Step(fmt.Sprintf("n%d", i), s)
		to := graph.End
		if i+1 < len(steps) {
			to = fmt.Sprintf("n%d", i+1)
		}
		g.Edge(fmt.Sprintf("n%d", i), to)
	}
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRunFailsWithPath(t *testing.T) {
	t.Parallel()
	broken := errors.New("the model is down")
	m := straight(t, pass, func(context.Context, *bare, *graph.Run[string]) error { return broken }, pass)
	_, err := m.Run(t.Context(), new(bare), "", nil)
	if !errors.Is(err, broken) {
		t.Fatalf("got %v, want %v in it", err, broken)
	}
	if got, want := err.Error(), "graph straight: n0 > n1: the model is down"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ge, ok := errors.AsType[*graph.Error](err)
	if !ok || !slices.Equal(ge.Path, []string{"n0", "n1"}) {
		t.Errorf("path: got %v", ge)
	}
}

func TestRunIsBounded(t *testing.T) {
	t.Parallel()
	g := graph.New[bare, string]("loop", 1)
	g.Entry("a")
	g.Step("a", pass)
	g.Branch("a", func(*bare) string { return "a" }, "a", graph.End)
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), new(bare), "", nil)
	if !errors.Is(err, graph.ErrSteps) {
		t.Errorf("got %v, want ErrSteps", err)
	}
	if ge, ok := errors.AsType[*graph.Error](err); !ok || len(ge.Path) != 64 {
		t.Errorf("got path %v, want 64 nodes", ge)
	}
}

func TestRunBranchOffTheMap(t *testing.T) {
	t.Parallel()
	g := graph.New[bare, string]("lost", 1)
	g.Entry("a")
	g.Step("a", pass)
	g.Branch("a", func(*bare) string { return "b" }, "a", graph.End)
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), new(bare), "", nil); err == nil || err.Error() != `graph lost: a: the branch leads to "b", which it did not declare` {
		t.Errorf("got %v", err)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	gone := errors.New("the person spoke on")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := straight(t, func(context.Context, *bare, *graph.Run[string]) error { cancel(gone); return nil }, func(_ context.Context, s *bare, _ *graph.Run[string]) error {
		s.N++
		return nil
	})
	var s bare
	if _, err := m.Run(ctx, &s, "", nil); !errors.Is(err, gone) || s.N != 0 {
		t.Errorf("got %v and %d, want %v and 0", err, s.N, gone)
	}
}

func TestRunSpeaksAtOnce(t *testing.T) {
	t.Parallel()
	var heard []string
	deaf := errors.New("nobody listens")
	m := straight(t,
		func(_ context.Context, _ *bare, r *graph.Run[string]) error { return r.Say("one") },
		func(_ context.Context, _ *bare, r *graph.Run[string]) error {
			if !slices.Equal(heard, []string{"one"}) {
				t.Errorf("by the second node was heard %v", heard)
			}
			return r.Say("two")
		})
	out, err := m.Run(t.Context(), new(bare), "", func(s string) error { heard = append(heard, s); return nil })
	if err != nil || !out.Done || !slices.Equal(heard, []string{"one", "two"}) {
		t.Errorf("got %v, %v, %v", out, heard, err)
	}
	if _, err := m.Run(t.Context(), new(bare), "", func(string) error { return deaf }); !errors.Is(err, deaf) {
		t.Errorf("got %v, want %v", err, deaf)
	}
}

func TestRunNeedsAThreadToWait(t *testing.T) {
	t.Parallel()
	if _, err := questions(t, nil).Run(t.Context(), new(check), "", nil); !errors.Is(err, graph.ErrNoThread) {
		t.Errorf("got %v, want ErrNoThread", err)
	}
}
