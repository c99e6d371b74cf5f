package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

// faulty is a store that fails where a test says so.
type faulty struct {
	*checkpoint.Memory

	beforePut, afterPut func() error // nil: nothing happens
}

var errCrash = errors.New("the process was killed")

func (f *faulty) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	if f.beforePut != nil {
		if err := f.beforePut(); err != nil {
			return err
		}
	}
	if err := f.Memory.Put(ctx, thread, h, cp); err != nil || f.afterPut == nil {
		return err
	}
	return f.afterPut()
}

func TestThreadSaysNothingUnsaved(t *testing.T) {
	t.Parallel()
	st := &faulty{Memory: checkpoint.NewMemory(0)}
	th := questions(t, nil).Thread(st, "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	c := turn(3, 10, "seven")
	c.Emit = func(s string) error { t.Errorf("%q was said, and is not saved", s); return nil }
	st.beforePut = func() error { return errCrash }
	if _, err := th.Turn(t.Context(), c); !errors.Is(err, errCrash) {
		t.Fatalf("got %v, want the store's error", err)
	}
	// Saved, but the answer got lost: the turn comes again, and is a repetition.
	st.beforePut, st.afterPut = nil, func() error { return errCrash }
	if _, err := th.Turn(t.Context(), c); !errors.Is(err, errCrash) {
		t.Fatalf("got %v, want the store's error", err)
	}
	st.afterPut = nil
	expect(t, th, turn(3, 11, "seven"), graph.Repeated, "question 1?", "seven")
}

// What was saved and not heard is said when the turn comes again.
func TestThreadIsNotHeard(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	deaf := errors.New("nobody listens")
	c := turn(1, 0, "hello")
	c.Emit = func(string) error { return deaf }
	if out, err := th.Turn(t.Context(), c); !errors.Is(err, deaf) || !out.Checkpoint.Known() {
		t.Errorf("got %+v, %v: want what was saved, and why it was not heard", out, err)
	}
	expect(t, th, turn(1, 0, "hello"), graph.Repeated, "question 0?")
}

func TestThreadCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	st := &faulty{Memory: checkpoint.NewMemory(0), beforePut: func() error { cancel(); return nil }}
	th := questions(t, nil).Thread(st, "t")
	if _, err := th.Turn(ctx, turn(1, 0, "hello")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, found, err := th.Peek(t.Context()); found || err != nil {
		t.Errorf("got %t, %v: want nothing saved", found, err)
	}
}

func TestThreadGivesUp(t *testing.T) {
	t.Parallel()
	st := &faulty{Memory: checkpoint.NewMemory(0), beforePut: func() error { return checkpoint.ErrConflict }}
	th := questions(t, nil).Thread(st, "t")
	if _, err := th.Turn(t.Context(), turn(1, 0, "hello")); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
}

// alerts is a graph that does something at every answer.
func alerts(t *testing.T, do func() error) *graph.Machine[check, string] {
	t.Helper()
	g := graph.New[check, string]("alerts", 1)
	g.Entry("wait")
	g.Wait("wait", func(_ context.Context, s *check, r *graph.Run[string]) (sig graph.Signal, err error) {
		var ok bool
		if s.Heard, ok = r.Answer(""); !ok {
			return graph.Pause(""), nil
		}
		return graph.Go, nil
	})
	g.Edge("wait", "alert")
	g.Step("alert", func(_ context.Context, s *check, _ *graph.Run[string]) error {
		s.Answers = append(s.Answers, s.Heard)
		return do()
	})
	g.Branch("alert", func(s *check) string {
		if s.Heard == "bye" {
			return graph.End
		}
		return "wait"
	}, "wait", graph.End)
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestThreadSurvives plays many checks in which turns are repeated, replaced and
// late, and the process dies before and after saves: the answers are those that
// were given last at each place, each once.
func TestThreadSurvives(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		st := &faulty{Memory: checkpoint.NewMemory(2 + rnd.IntN(4))}
		crash := func() error {
			if rnd.IntN(4) == 0 {
				return errCrash
			}
			return nil
		}
		st.beforePut, st.afterPut = crash, crash
		var want []string
		var clock float64
		var old []call
		send := func(c call) graph.Outcome[check] {
			for { // the caller comes again until there is an answer
				clock++
				out, err := questions(t, nil).Thread(st, "t").Turn(t.Context(), c)
				if err == nil {
					return out
				}
				if !errors.Is(err, errCrash) {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		place := 1
		send(turn(place, clock, "hello"))
		for n := range 3 {
			place += 2
			last := ""
			for attempt := range 1 + rnd.IntN(3) {
				if last != "" {
					last += " "
				}
				last += fmt.Sprintf("answer %d.%d", n, attempt)
				c := turn(place, clock, last)
				send(c)
				if rnd.IntN(2) == 0 {
					if out := send(c); out.Effect != graph.Repeated {
						t.Fatalf("seed %d: the same turn again: got %s", seed, out.Effect)
					}
				}
				if rnd.IntN(3) == 0 && len(old) > 0 { // an old request that was held up
					if out := send(old[rnd.IntN(len(old))]); out.Effect == graph.Advanced || out.Effect == graph.Replaced {
						t.Fatalf("seed %d: an old turn: got %s", seed, out.Effect)
					}
				}
				old = append(old, c)
			}
			want = append(want, last)
		}
		out, _, err := questions(t, nil).Thread(st, "t").Peek(t.Context())
		if err != nil || !out.Done || !slices.Equal(out.State.Answers, want) {
			t.Fatalf("seed %d: got %v (done: %t, %v), want %v", seed, out.State.Answers, out.Done, err, want)
		}
	}
}

func TestThreadFailedNodeLeavesNothing(t *testing.T) {
	t.Parallel()
	var fails error
	th := alerts(t, func() error { return fails }).Thread(checkpoint.NewMemory(0), "t")
	take(t, th, turn(1, 0, "hello"))
	fails = errors.New("broken")
	c := turn(3, 10, "a")
	c.Emit = func(s string) error { t.Errorf("%q was said", s); return nil }
	out, err := th.Turn(t.Context(), c)
	if !errors.Is(err, fails) || err.Error() != "graph alerts: wait > alert: broken" || !slices.Equal(out.Path, []string{"wait", "alert"}) {
		t.Fatalf("got %v, %v", out.Path, err)
	}
	fails = nil
	expect(t, th, turn(3, 11, "a"), graph.Advanced, "", "a")
}

func TestThreadInitFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such person")
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	c := turn(1, 0, "hello")
	c.Init = func(context.Context) (check, error) { return check{}, broken }
	if _, err := th.Turn(t.Context(), c); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	expect(t, th, turn(1, 1, "hello"), graph.Advanced, "question 0?")
}
