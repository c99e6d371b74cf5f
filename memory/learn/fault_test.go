package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

var errCrash = errors.New("crash")

// family is a model that always answers the same to the same question.
func (h *house) family() {
	h.model.on(TaskFacts, func(task Task) (any, error) {
		var a FactsAnswer
		for _, f := range []struct{ line, text, kind string }{
			{"Tom is in hospital", "Margaret's son Tom is in hospital", "health"},
			{"look after", "Margaret looks after Biscuit", "routine"},
			{"came home", "Margaret's son Tom came home", "health"},
			{"flower number 1 ", "Margaret planted flower number 1 in the garden", "like"},
		} {
			if n := lines(task, f.line); len(n) > 0 {
				x := fact(f.text, f.kind, n...)
				if f.kind == "routine" {
					x.Because = []int{1}
				}
				a.Facts = append(a.Facts, x)
			}
		}
		return a, nil
	})
	h.model.on(TaskNames, func(task Task) (any, error) {
		var a NamesAnswer
		if n := lines(task, "Tom"); len(n) > 0 {
			a.Entities = append(a.Entities, EntityAnswer{Name: "Tom", Kind: "person", Aliases: []string{"my son"}, Turns: n})
			a.Relations = append(a.Relations, RelationAnswer{From: "PERSON", Label: "son", To: "Tom", Turns: n})
		}
		return a, nil
	})
	h.model.on(TaskPromises, func(task Task) (any, error) {
		return PromisesAnswer{Promises: []PromiseAnswer{{Text: "how Tom is", Kind: "follow_up", Repeat: "never", Turns: lines(task, "Tom")}}}, nil
	})
}

// story is two calls that use every step.
func (h *house) story(t *testing.T) []calls.Call {
	t.Helper()
	first := append([]string{"a: How are you?", "My son Tom is in hospital.", "So I look after Biscuit.", "I owe my neighbour money.", "Forget that.", "Don't mention my brother."}, chatter(44)...)
	return []calls.Call{
		h.call(t, tuesday, first...),
		h.call(t, tuesday.AddDate(0, 0, 7), "a: How is Tom?", "My son Tom came home."),
	}
}

func settings(c *Config) {
	c.Summaries = SummarySettings{ThresholdTokens: 10, MinTurnsSince: 2, MaxSummaryTokens: 100}
}

// TestCrashAnywhere ends a try at each boundary in turn: before and after each
// commit, and between what a step does outside of its transaction and its mark.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	calm := newHouse(t, settings)
	calm.family()
	var points []string
	calm.boundary = func(p string) error { points = append(points, p); return nil }
	for i, c := range calm.story(t) {
		points = append(points, fmt.Sprint("call ", i))
		calm.learn(t, c)
	}
	want := calm.everything(t)
	if got := strings.Join(want, "\n"); !strings.Contains(got, "fact ") || !strings.Contains(got, "promise ") || !strings.Contains(got, "relation ") {
		t.Fatalf("the story teaches nothing:\n%s", got)
	}
	if len(points) < 30 {
		t.Fatalf("only %d boundaries: %q", len(points), points)
	}

	h := newHouse(t, settings)
	h.family()
	calls := h.story(t)
	seen := map[string]bool{}
	for _, c := range calls {
		for tries := 0; ; tries++ {
			crashed := false
			h.boundary = func(p string) error { // each boundary once, one a try
				if key := c.ID.String() + p; !crashed && !seen[key] {
					seen[key], crashed = true, true
					return errCrash
				}
				if crashed { // a crashed process does nothing more
					seen[c.ID.String()+p] = true
					return errCrash
				}
				return nil
			}
			err := h.Learn(t.Context(), c)
			if err == nil {
				break
			}
			if !errors.Is(err, errCrash) || tries > 100 {
				t.Fatalf("try %d: %v", tries, err)
			}
		}
	}
	if len(seen) < len(points)-2 {
		t.Errorf("crashed at %d of %d boundaries", len(seen), len(points)-2)
	}
	if diff := cmp.Diff(want, h.everything(t)); diff != "" {
		t.Errorf("after crashes (-without +with):\n%s", diff)
	}
}

// flaky fails now and then.
type flaky struct {
	Keeper

	fail func() error
}

func (f flaky) Keep(ctx context.Context, turns []memory.Turn) (keep.Kept, error) {
	if err := f.fail(); err != nil {
		return keep.Kept{}, err
	}
	k, err := f.Keeper.Keep(ctx, turns)
	if err != nil {
		return k, err
	}
	return k, f.fail() // kept, and nobody heard of it
}

func (f flaky) Refresh(ctx context.Context, tx store.Tx, turns ...uuid.UUID) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.Keeper.Refresh(ctx, tx, turns...)
}

// TestRetriesChangeNothing lets everything around fail at random, and learns again
// after all is done: what there is in the end is always the same.
func TestRetriesChangeNothing(t *testing.T) {
	t.Parallel()
	calm := newHouse(t, settings)
	calm.family()
	for _, c := range calm.story(t) {
		calm.learn(t, c)
	}
	want := calm.everything(t)
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		h := newHouse(t, settings)
		h.family()
		fail := func() error {
			if rnd.IntN(4) == 0 {
				return errCrash
			}
			return nil
		}
		h.cfg.Memory = flaky{Keeper: h.svc, fail: fail}
		h.boundary = func(string) error { return fail() }
		for _, name := range []string{TaskFacts, TaskNames, TaskPromises, TaskSummary} {
			answer := h.model.answers[name]
			h.model.on(name, func(task Task) (any, error) {
				if err := fail(); err != nil {
					return nil, err
				}
				return answer(task)
			})
		}
		for _, c := range h.story(t) {
			tries := 0
			for err := errCrash; err != nil; tries++ {
				if err = h.Learn(t.Context(), c); err != nil && !errors.Is(err, errCrash) || tries > 300 {
					t.Fatalf("seed %d, try %d: %v", seed, tries, err)
				}
			}
			h.learn(t, c) // done is done
		}
		if diff := cmp.Diff(want, h.everything(t)); diff != "" {
			t.Errorf("seed %d (-without +with failures):\n%s", seed, diff)
		}
	}
}

func TestConsentTakenBackMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(Task) (any, error) {
		if _, err := h.st.RevokeConsent(t.Context(), h.who.ID, people.ScopeMemory, "Margaret", "by telephone"); err != nil {
			return nil, err
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret grows roses", "like", 1)}}, nil
	})
	h.learn(t, h.call(t, tuesday, "I grow roses."))
	if got := h.known(t); len(got) != 0 {
		t.Errorf("kept: %q", got)
	}
}

func TestForgottenWhileLearning(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(Task) (any, error) { // between the question and what is made of the answer
		turns, err := h.svc.List(t.Context(), memory.Scope{Person: h.who.ID}, memory.Turn{}, 10)
		if err != nil {
			return nil, err
		}
		for _, turn := range turns {
			if strings.Contains(turn.Text, "roses") {
				if _, err := h.svc.Delete(t.Context(), turn.Scope, turn.ID); err != nil {
					return nil, err
				}
			}
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Margaret grows roses", "like", 1), fact("Margaret has a cat", "pet", 2)}}, nil
	})
	h.learn(t, h.call(t, tuesday, "I grow roses.", "I have a cat."))
	if diff := cmp.Diff([]string{"Margaret has a cat"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
}
