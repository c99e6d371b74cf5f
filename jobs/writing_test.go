package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// A stretch of writing is given to whoever learns from it, as it was taken, until
// they have learned; one that is forgotten meanwhile is dropped.
func TestWritingIsGivenOn(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	given := make(chan memories.Writing, 10)
	var tries atomic.Int32
	gone := memories.Writing{Session: uuid.Must(uuid.NewV7()), Through: time.Now()}
	j, err := jobs.New(jobs.Config{PerMinute: 100, Writing: func(_ context.Context, w memories.Writing) error {
		switch {
		case w.Session == gone.Session:
			return fmt.Errorf("person: %w", store.ErrNotFound)
		case tries.Add(1) == 1:
			return errors.New("the model is away")
		}
		given <- w
		return nil
	}}, s, nil, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := memories.Writing{
		Session: uuid.Must(uuid.NewV7()), PersonID: store.NewPersonID(),
		After: time.Unix(0, 0).UTC(), Through: time.Date(2026, 11, 3, 10, 0, 0, 123456000, time.UTC),
	}
	for _, w := range []memories.Writing{want, want, gone} { // the second is the first one
		if err := s.InTx(t.Context(), func(tx store.Tx) error { return j.ScheduleWriting(t.Context(), tx, w) }); err != nil {
			t.Fatal(err)
		}
	}
	run(t, j)
	if got := await(t, "learning", given); got != want {
		t.Errorf("given %+v, want %+v", got, want)
	}
	states := map[string]int{}
	late, tick := time.After(20*time.Second), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for done := false; !done && (states["completed"] != 1 || states["cancelled"] != 1); {
		select {
		case <-late:
			done = true
		case <-tick.C:
		}
		list, err := j.List(t.Context(), "", 10)
		if err != nil {
			t.Fatal(err)
		}
		clear(states)
		for _, job := range list {
			states[job.State]++
		}
	}
	if states["completed"] != 1 || states["cancelled"] != 1 || len(states) != 2 {
		t.Errorf("jobs %v, want one completed and one cancelled", states)
	}
}
