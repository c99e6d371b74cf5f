package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// A call that was given up is called back, however often that fails or has to wait
// at first; any other ending is not.
func TestGivenUpCallIsCalledBack(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	tried := make(chan store.CallID, 10)
	n := 0
	j := open(t, s, newFinisher(ok), jobs.Config{
		CallBackDelay: time.Millisecond,
		CallBack: func(_ context.Context, c calls.Call) (time.Duration, error) {
			tried <- c.ID
			if n++; n == 1 {
				return time.Millisecond, nil // it is not the time
			}
			if n == 2 {
				return 0, errors.New("the carrier is away")
			}
			return 0, nil
		},
	})
	run(t, j)
	endedCall(t, s, j) // by a goodbye
	p, err := s.CreatePerson(t.Context(), people.Person{Name: "Bea", Phone: "+15550100124", Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddConversation(t.Context(), c.ID, "conv_trouble"); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: calls.CauseTrouble, By: "naiber"},
		func(tx store.Tx, c calls.Call) error { return j.Schedule(t.Context(), tx, c) })
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if id := await(t, "the call back", tried); id != c.ID {
			t.Errorf("called back after %s, want %s", id, c.ID)
		}
	}
}
