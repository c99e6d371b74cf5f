package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

func TestThreadWholeCheck(t *testing.T) {
	t.Parallel()
	st := checkpoint.NewMemory(0)
	// A machine and a thread of their own for each turn: as if the process had
	// been replaced in between.
	on := func() *thread { return questions(t, nil).Thread(st, "health_check:u:c") }
	if _, found, err := on().Peek(t.Context()); found || err != nil {
		t.Fatalf("before the first turn: got %t, %v", found, err)
	}
	out := expect(t, on(), turn(1, 0, "hello"), graph.Advanced, "question 0?")
	if out.Node != "wait" || out.Address != question(0) || out.Done || out.Step != 0 || !slices.Equal(out.Path, []string{"ask", "wait"}) {
		t.Errorf("first turn: got %+v", out)
	}
	expect(t, on(), turn(3, 10, "seven"), graph.Advanced, "question 1?", "seven")
	out = expect(t, on(), turn(5, 20, "pardon?"), graph.Advanced, "question 1?", "seven")
	if !slices.Equal(out.Path, []string{"wait", "validate", "ask", "wait"}) {
		t.Errorf("path: got %v", out.Path)
	}
	expect(t, on(), turn(7, 30, "yes"), graph.Advanced, "question 2?", "seven", "yes")
	out = expect(t, on(), turn(9, 40, "fine"), graph.Advanced, "goodbye", "seven", "yes", "fine")
	if !out.Done || out.Node != "" || out.Step != 4 {
		t.Errorf("last turn: got %+v", out)
	}
	peek, found, err := on().Peek(t.Context())
	if err != nil || !found || !peek.Done || len(peek.State.Answers) != 3 || peek.Checkpoint != out.Checkpoint {
		t.Errorf("peek: got %+v, %t, %v", peek, found, err)
	}
}

func TestThreadRepeatedTurn(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	th := questions(t, &ran).Thread(checkpoint.NewMemory(0), "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	first := expect(t, th, turn(3, 10, "seven"), graph.Advanced, "question 1?", "seven")
	was := ran.Load()
	for range 8 {
		again := expect(t, th, turn(3, 11, "seven"), graph.Repeated, "question 1?", "seven")
		if again.Checkpoint != first.Checkpoint || again.Step != first.Step {
			t.Errorf("got %+v, want that of %+v", again, first)
		}
	}
	// One further back, too, and then the check goes on where it was.
	expect(t, th, turn(1, 12, "hello"), graph.Repeated, "question 0?")
	if ran.Load() != was {
		t.Errorf("%d nodes ran for repeated turns", ran.Load()-was)
	}
	expect(t, th, turn(5, 20, "eight"), graph.Advanced, "question 2?", "seven", "eight")
}

func TestThreadReplacedTurn(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	// The first turn is replaced: there is nothing to go back to but the beginning.
	expect(t, th, turn(1, 1, "hello there"), graph.Replaced, "question 0?")
	expect(t, th, turn(3, 10, "I slept"), graph.Advanced, "question 1?", "I slept")
	expect(t, th, turn(3, 11, "I slept well"), graph.Replaced, "question 1?", "I slept well")
	expect(t, th, turn(3, 12, "I slept well, no"), graph.Replaced, "question 1?", "I slept well, no")
	out := expect(t, th, turn(3, 13, "I slept well, no, badly"), graph.Replaced, "question 1?", "I slept well, no, badly")
	if out.Step != 1 {
		t.Errorf("step: got %d, want 1", out.Step)
	}
	// What was replaced is no repetition; asked for again, it is the latest word.
	expect(t, th, turn(3, 14, "I slept"), graph.Replaced, "question 1?", "I slept")
	// But one that was asked for before the one that counts, and comes late, is not.
	expect(t, th, turn(3, 12.5, "I sl"), graph.Late, "", "I slept")
	expect(t, th, turn(5, 20, "yes"), graph.Advanced, "question 2?", "I slept", "yes")
	expect(t, th, turn(7, 30, "no"), graph.Advanced, "goodbye", "I slept", "yes", "no")
	// The last turn may be replaced as well.
	out = expect(t, th, turn(7, 31, "pardon?"), graph.Replaced, "question 2?", "I slept", "yes")
	if out.Done {
		t.Error("the check is over, though its last answer was taken back")
	}
	expect(t, th, turn(9, 40, "no"), graph.Advanced, "goodbye", "I slept", "yes", "no")
}

func TestThreadManyReplacements(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(2), "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	expect(t, th, turn(3, 9, "seven"), graph.Advanced, "question 1?", "seven")
	for i := range 20 {
		said := fmt.Sprintf("attempt %d", i)
		effect := graph.Replaced
		if i == 0 {
			effect = graph.Advanced
		}
		expect(t, th, turn(5, 10+float64(i), said), effect, "question 2?", "seven", said)
	}
}

func TestThreadLateTurns(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	th := questions(t, &ran).Thread(checkpoint.NewMemory(0), "t")
	late := turn(1, 0, "hello")
	late.Late = true
	if out, said := take(t, th, late); out.Effect != graph.Late || out.Checkpoint.Known() || said != nil {
		t.Errorf("late in an empty thread: got %+v, %v", out, said)
	}
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	expect(t, th, turn(3, 10, "seven"), graph.Advanced, "question 1?", "seven")
	expect(t, th, turn(5, 20, "yes"), graph.Advanced, "question 2?", "seven", "yes")
	was := ran.Load()
	out := expect(t, th, turn(3, 30, "seven or eight"), graph.Late, "", "seven", "yes") // a place that is past, asked for now
	if !slices.Equal(out.Said, []string{"question 2?"}) {
		t.Errorf("the newest outcome: got %v", out.Said)
	}
	expect(t, th, turn(4, 30, "never seen"), graph.Late, "", "seven", "yes")
	late = turn(7, 30, "known to be late")
	late.Late = true
	expect(t, th, late, graph.Late, "", "seven", "yes")
	if ran.Load() != was {
		t.Error("a late turn ran")
	}
	expect(t, th, turn(7, 40, "no"), graph.Advanced, "goodbye", "seven", "yes", "no")
	was = ran.Load()
	expect(t, th, turn(9, 50, "are you still there?"), graph.Over, "", "seven", "yes", "no")
	expect(t, th, turn(11, 60, "hello?"), graph.Over, "", "seven", "yes", "no")
	expect(t, th, turn(7, 61, "no"), graph.Repeated, "goodbye", "seven", "yes", "no")
	if ran.Load() != was {
		t.Error("a turn after the end ran")
	}
}

func TestThreadReconnect(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	expect(t, th, turn(3, 10, "seven"), graph.Advanced, "question 1?", "seven")
	// The line drops and is picked up again: places begin anew.
	again := turn(1, 60, "hello again")
	again.Turn.Conversation = "conv_2"
	expect(t, th, again, graph.Advanced, "question 2?", "seven", "hello again")
	expect(t, th, again, graph.Repeated, "question 2?", "seven", "hello again")
	longer := turn(1, 61, "hello again, pardon?")
	longer.Turn.Conversation = "conv_2"
	longer.Input = "pardon?"
	expect(t, th, longer, graph.Replaced, "question 1?", "seven")
	// A request of the first conversation that was held up somewhere.
	expect(t, th, turn(5, 30, "from before"), graph.Late, "", "seven")
}

func TestThreadFrom(t *testing.T) {
	t.Parallel()
	at := func(id checkpoint.ID) func(*checkpoint.History, *string) checkpoint.ID {
		return func(_ *checkpoint.History, in *string) checkpoint.ID {
			*in += "!"
			return id
		}
	}
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
	one := expect(t, th, turn(3, 10, "seven"), graph.Advanced, "question 1?", "seven")
	two := expect(t, th, turn(5, 20, "yes"), graph.Advanced, "question 2?", "seven", "yes")
	back := turn(7, 30, "no, I meant no")
	back.From = at(one.Checkpoint)
	expect(t, th, back, graph.Replaced, "question 2?", "seven", "no, I meant no!")
	gone := turn(9, 40, "x")
	gone.From = at(checkpoint.NewID())
	if _, err := th.Turn(t.Context(), gone); !errors.Is(err, graph.ErrNoWayBack) {
		t.Errorf("got %v, want ErrNoWayBack", err)
	}
	fresh := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	gone.From = at(two.Checkpoint)
	if _, err := fresh.Turn(t.Context(), gone); !errors.Is(err, graph.ErrNoWayBack) {
		t.Errorf("in an empty thread: got %v, want ErrNoWayBack", err)
	}
}

func TestThreadAnswerIsAddressed(t *testing.T) {
	t.Parallel()
	g := graph.New[bare, string]("address", 1)
	g.Entry("one")
	var seen []string
	waits := func(name string) graph.Wait[bare, string] {
		return func(_ context.Context, _ *bare, r *graph.Run[string]) (graph.Signal, error) {
			if _, ok := r.Answer("another question"); ok {
				t.Error("an answer was given to who did not ask")
			}
			in, ok := r.Answer(name)
			seen = append(seen, fmt.Sprintf("%s:%s:%t:%s", name, in, ok, r.Input()))
			if _, twice := r.Answer(name); twice {
				t.Error("an answer was given twice")
			}
			if !ok {
				return graph.Pause(name), nil
			}
			return graph.Go, nil
		}
	}
	// Both ask under one name: the answer is for the node that paused.
	g.Wait("one", waits("q"))
	g.Wait("two", waits("q"))
	g.Edge("one", "two")
	g.Edge("two", graph.End)
	m, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	th := m.Thread(checkpoint.NewMemory(0), "t")
	for i, in := range []string{"a", "b", "c"} {
		out, err := th.Turn(t.Context(), graph.Call[bare, string]{Turn: checkpoint.Turn{Place: i}, Input: in})
		if err != nil || out.Done != (i == 2) {
			t.Fatalf("turn %d: got %+v, %v", i, out, err)
		}
	}
	want := []string{"q::false:a", "q:b:true:b", "q::false:b", "q:c:true:c"}
	if !slices.Equal(seen, want) {
		t.Errorf("got  %v\nwant %v", seen, want)
	}
}

// TestThreadSameTurnAtOnce sends every turn eight times at once.
func TestThreadSameTurnAtOnce(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	for i, heard := range []string{"hello", "seven", "yes", "no"} {
		var all sync.WaitGroup
		var mu sync.Mutex // guards effects and said
		effects, said := map[graph.Effect]int{}, map[string]int{}
		for range 8 {
			all.Go(func() {
				out, words := take(t, th, turn(1+2*i, float64(10*i), heard))
				mu.Lock()
				defer mu.Unlock()
				effects[out.Effect]++
				said[fmt.Sprint(words)]++
			})
		}
		all.Wait()
		if effects[graph.Advanced] != 1 || effects[graph.Repeated] != 7 || len(said) != 1 {
			t.Errorf("%q: got %v and %v, want one advance and seven repeats of it", heard, effects, said)
		}
	}
	out, _, err := th.Peek(t.Context())
	if err != nil || !slices.Equal(out.State.Answers, []string{"seven", "yes", "no"}) || !out.Done {
		t.Errorf("got %+v, %v", out, err)
	}
}

// TestThreadAttemptsAtOnce sends ever longer attempts at one place at once: the
// one asked for last counts, in whatever order they arrive.
func TestThreadAttemptsAtOnce(t *testing.T) {
	t.Parallel()
	for round := range 20 {
		th := questions(t, nil).Thread(checkpoint.NewMemory(0), strconv.Itoa(round))
		expect(t, th, turn(1, 0, "hello"), graph.Advanced, "question 0?")
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for {
					_, err := th.Turn(t.Context(), turn(3, 10+float64(i), fmt.Sprintf("attempt %d", i)))
					if err == nil {
						return
					}
					if !errors.Is(err, graph.ErrConflict) { // it may be tried again
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		out, _, err := th.Peek(t.Context())
		if err != nil || !slices.Equal(out.State.Answers, []string{"attempt 3"}) {
			t.Fatalf("got %v, %v", out.State.Answers, err)
		}
	}
}

func TestThreadOnTheRealClock(t *testing.T) {
	t.Parallel()
	th := questions(t, nil).Thread(checkpoint.NewMemory(0), "t")
	c := turn(1, 0, "hello")
	c.Turn.At = time.Time{}
	expect(t, th, c, graph.Advanced, "question 0?")
	c = turn(3, 0, "seven")
	c.Turn.At = time.Now().In(time.FixedZone("half", 12600))
	expect(t, th, c, graph.Advanced, "question 1?", "seven")
}
