package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store/calls"
)

// A chore is done soon after the start, by one of two processes, and a round
// that fails is tried again.
func TestChoreIsDoneOnce(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	var rounds atomic.Int32
	done := make(chan struct{}, 10)
	chore := jobs.Chore{Name: "sweep", Every: 1000 * time.Hour, Do: func(context.Context) error {
		if rounds.Add(1) == 1 {
			return errors.New("not yet")
		}
		done <- struct{}{}
		return nil
	}}
	process := func() *jobs.Jobs {
		j, err := jobs.New(jobs.Config{Chores: []jobs.Chore{chore}}, s, nil, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		run(t, j)
		return j
	}
	first := process()
	process()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the chore was not done")
	}
	list, err := first.List(t.Context(), "", 10, "chore")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Kind != "chore" || list[0].Queue != "chores" || list[0].Args != `{"name": "sweep"}` {
		t.Errorf("jobs: %+v, want one round of the chore", list)
	}
	if n := rounds.Load(); n != 2 {
		t.Errorf("%d tries, want a failed one and a good one", n)
	}
}

// A round of a chore that this version does not know is dropped, not tried for ever.
func TestUnknownChoreIsDropped(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	never := make(chan struct{})
	old, err := jobs.New(jobs.Config{Chores: []jobs.Chore{{Name: "old", Every: 1000 * time.Hour, Do: func(context.Context) error {
		close(never)
		return errors.New("restarted")
	}}}}, s, map[calls.CallType]jobs.Finisher{}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-never
	if err := old.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	j := open(t, s, newFinisher(ok), jobs.Config{})
	list, err := j.List(t.Context(), "", 1, "chore")
	if err != nil || len(list) != 1 {
		t.Fatalf("jobs: %+v, %v", list, err)
	}
	if _, err := j.Retry(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	run(t, j)
	late := time.After(20 * time.Second)
	for got := list[0]; got.State != "cancelled"; {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			t.Fatalf("the round is %s", got.State)
		}
		if got, err = j.Show(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
	}
}
