package graph_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

// check is a small health check: so many questions, each asked until there is an
// answer that is not "pardon?".
type check struct {
	Questions int
	At        int
	Heard     string
	Answers   []string
}

type (
	machine = graph.Machine[check, string]
	thread  = graph.Thread[check, string]
	call    = graph.Call[check, string]
	run     = graph.Run[string]
)

func question(n int) string { return fmt.Sprintf("question %d?", n) }

// questions builds the graph; ran counts the nodes that were run.
func questions(tb testing.TB, ran *atomic.Int64, change ...func(*graph.Graph[check, string])) *machine {
	tb.Helper()
	if ran == nil {
		ran = new(atomic.Int64)
	}
	g := graph.New[check, string]("check", 1)
	g.Entry("ask")
	g.Step("ask", func(_ context.Context, s *check, r *run) error {
		ran.Add(1)
		return r.Say(question(s.At))
	})
	g.Edge("ask", "wait")
	g.Wait("wait", func(_ context.Context, s *check, r *run) (graph.Signal, error) {
		ran.Add(1)
		heard, ok := r.Answer(question(s.At))
		if !ok {
			return graph.Pause(question(s.At)), nil
		}
		s.Heard = heard
		return graph.Go, nil
	})
	g.Edge("wait", "validate")
	g.Step("validate", func(_ context.Context, s *check, _ *run) error {
		ran.Add(1)
		if s.Heard != "pardon?" {
			s.Answers = append(s.Answers, s.Heard)
			s.At++
		}
		return nil
	})
	g.Branch("validate", func(s *check) string {
		if s.At == s.Questions {
			return "finalize"
		}
		return "ask"
	}, "ask", "finalize")
	g.Step("finalize", func(_ context.Context, _ *check, r *run) error {
		ran.Add(1)
		return r.Say("goodbye")
	})
	g.Edge("finalize", graph.End)
	for _, f := range change {
		f(g)
	}
	m, err := g.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// base is when the turns of a test begin.
var base = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// turn is the request for what to say after heard, at a place; it was asked for
// so many seconds after base.
func turn(place int, seconds float64, heard string) call {
	return call{
		Turn: checkpoint.Turn{
			Conversation: "conv_1", Place: place, Key: fmt.Sprintf("%x", heard),
			At: base.Add(time.Duration(seconds * float64(time.Second))),
		},
		Input: heard,
		Init:  func(context.Context) (check, error) { return check{Questions: 3}, nil },
	}
}

// take applies a turn and returns what was said aloud.
func take(tb testing.TB, th *thread, c call) (graph.Outcome[check], []string) {
	tb.Helper()
	var said []string
	c.Emit = func(s string) error { said = append(said, s); return nil }
	out, err := th.Turn(tb.Context(), c)
	if err != nil {
		tb.Fatalf("turn at place %d, %q: %v", c.Turn.Place, c.Input, err)
	}
	return out, said
}

// expect applies a turn and wants an effect, words and answers of it.
func expect(tb testing.TB, th *thread, c call, effect graph.Effect, said string, answers ...string) graph.Outcome[check] {
	tb.Helper()
	out, got := take(tb, th, c)
	if out.Effect != effect || fmt.Sprint(got) != "["+said+"]" || fmt.Sprint(out.State.Answers) != fmt.Sprint(answers) {
		tb.Fatalf("turn at place %d, %q:\n got %s, said %v, answers %v\nwant %s, said [%s], answers %v",
			c.Turn.Place, c.Input, out.Effect, got, out.State.Answers, effect, said, answers)
	}
	return out
}
