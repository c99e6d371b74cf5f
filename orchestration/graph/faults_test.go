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
	afterWrite          func() error
}

var errCrash = errors.New("the process was killed")

func (f *faulty) Put(ctx context.Context, thread string, cp checkpoint.Checkpoint, head checkpoint.ID) error {
	if f.beforePut != nil {
		if err := f.beforePut(); err != nil {
			return err
		}
	}
	if err := f.Memory.Put(ctx, thread, cp, head); err != nil || f.afterPut == nil {
		return err
	}
	return f.afterPut()
}

func (f *faulty) Write(ctx context.Context, thread string, w checkpoint.Write) (checkpoint.Write, error) {
	w, err := f.Memory.Write(ctx, thread, w)
	if err == nil && f.afterWrite != nil {
		err = f.afterWrite()
	}
	return w, err
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

func TestThreadSpeaksAfterTheSave(t *testing.T) {
	t.Parallel()
	st := checkpoint.NewMemory(0)
	g := graph.New[bare, string]("after", 1)
	g.Entry("ask")
	deaf := errors.New("nobody listens")
	g.Wait("ask", func(_ context.Context, _ *bare, r *graph.Run[string]) (graph.Signal, error) {
		if _, ok := r.Answer("q"); ok {
			return graph.Go, nil
		}
		if err := r.Say("Thank you. "); err != nil {
			return graph.Go, err
		}
		r.After(func(ctx context.Context, say func(string) error) error {
			if h, err := st.Load(ctx, "t"); err != nil || len(h.Checkpoints) != 1 {
				t.Errorf("while it speaks: got %d checkpoints, %v", len(h.Checkpoints), err)
			}
			return say("And how did you sleep?")
		})
		return graph.Pause("q"), nil
	})
	g.Edge("ask", graph.End)
	m, err := g.Compile(0)
	if err != nil {
		t.Fatal(err)
	}
	th := m.Thread(st, "t")
	c := graph.Call[bare, string]{Turn: checkpoint.Turn{Place: 1}}
	c.Emit = func(s string) error {
		if s == "And how did you sleep?" {
			return deaf
		}
		return nil
	}
	out, err := th.Turn(t.Context(), c)
	if !errors.Is(err, deaf) || !out.Checkpoint.Known() || !out.Streamed {
		t.Errorf("got %+v, %v: want what was saved, and why it was not heard", out, err)
	}
	out, err = th.Turn(t.Context(), c) // again: what was kept of it
	if err != nil || out.Effect != graph.Repeated || !out.Streamed || !slices.Equal(out.Said, []string{"Thank you. "}) {
		t.Errorf("got %+v, %v", out, err)
	}
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

// alerts is a graph that does something to the world at every answer.
func alerts(t *testing.T, do func(text string) (string, error)) *graph.Machine[check, string] {
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
	g.Step("alert", func(ctx context.Context, s *check, r *graph.Run[string]) error {
		id, err := graph.Once(ctx, r, "alert", func(context.Context) (string, error) { return do(s.Heard) })
		s.Answers = append(s.Answers, id)
		return err
	})
	g.Branch("alert", func(s *check) string {
		if s.Heard == "bye" {
			return graph.End
		}
		return "wait"
	}, "wait", graph.End)
	m, err := g.Compile(0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOnce(t *testing.T) {
	t.Parallel()
	st := &faulty{Memory: checkpoint.NewMemory(0)}
	var done []string
	var fails error
	th := alerts(t, func(text string) (string, error) {
		if fails != nil {
			return "", fails
		}
		done = append(done, text)
		return fmt.Sprintf("alert %d", len(done)), nil
	}).Thread(st, "t")
	take(t, th, turn(1, 0, "hello"))

	// The turn dies after the alert was raised and before it is saved, twice.
	st.beforePut = func() error { return errCrash }
	for range 2 {
		if _, err := th.Turn(t.Context(), turn(3, 10, "I fell")); !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
	}
	st.beforePut = nil
	expect(t, th, turn(3, 11, "I fell"), graph.Advanced, "", "alert 1")
	if !slices.Equal(done, []string{"I fell"}) {
		t.Errorf("alerts: got %v", done)
	}
	// Other words are another turn, and a later answer too, the same words or not.
	expect(t, th, turn(3, 12, "I fell down"), graph.Replaced, "", "alert 2")
	expect(t, th, turn(5, 20, "I fell"), graph.Advanced, "", "alert 2", "alert 3")

	// A task that fails is tried again; one whose note got lost is found.
	fails = errors.New("no line")
	if _, err := th.Turn(t.Context(), turn(7, 30, "help")); !errors.Is(err, fails) {
		t.Fatalf("got %v, want %v", err, fails)
	}
	fails, st.afterWrite = nil, func() error { return errCrash }
	if _, err := th.Turn(t.Context(), turn(7, 31, "help")); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	st.afterWrite = nil
	expect(t, th, turn(7, 32, "help"), graph.Advanced, "", "alert 2", "alert 3", "alert 4")
	if len(done) != 4 {
		t.Errorf("alerts: got %v", done)
	}
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
	th := alerts(t, func(string) (string, error) { return "done", fails }).Thread(checkpoint.NewMemory(0), "t")
	take(t, th, turn(1, 0, "hello"))
	fails = errors.New("broken")
	c := turn(3, 10, "a")
	c.Emit = func(s string) error { t.Errorf("%q was said", s); return nil }
	out, err := th.Turn(t.Context(), c)
	if !errors.Is(err, fails) || err.Error() != "graph alerts: wait > alert: broken" || !slices.Equal(out.Path, []string{"wait", "alert"}) {
		t.Fatalf("got %v, %v", out.Path, err)
	}
	fails = nil
	expect(t, th, turn(3, 11, "a"), graph.Advanced, "", "done")
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
