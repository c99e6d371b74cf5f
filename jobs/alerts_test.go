package jobs_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
)

// told notes what it was asked to do.
type told struct {
	mu     sync.Mutex // guards what follows
	steps  []alerts.Due
	sent   []uuid.UUID
	swept  int
	answer func(tries int) error
	asked  chan struct{}
}

func newTold(answer func(tries int) error) *told {
	return &told{answer: answer, asked: make(chan struct{}, 1000)}
}

func (e *told) note(add func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	add()
	e.asked <- struct{}{}
}

func (e *told) Step(_ context.Context, d alerts.Due) error {
	e.note(func() { e.steps = append(e.steps, d) })
	return e.answer(len(e.steps))
}

func (e *told) Send(_ context.Context, id uuid.UUID) error {
	e.note(func() { e.sent = append(e.sent, id) })
	return nil
}

func (e *told) Sweep(context.Context) error {
	e.note(func() { e.swept++ })
	if e.swept%2 == 1 {
		panic("a sweep that panics ends no process")
	}
	return errors.New("nor does one that fails")
}

// wait waits until what was asked holds.
func (e *told) wait(t *testing.T, holds func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		e.mu.Lock()
		now := holds()
		e.mu.Unlock()
		if now {
			return
		}
		select {
		case <-e.asked:
		case <-late:
			t.Fatalf("it never came to that: %+v, %v, %d", e.steps, e.sent, e.swept)
		}
	}
}

func TestStepsAndNoticesAreDoneOnceTheirTransactionIs(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	e := newTold(func(int) error { return alerts.ErrPassed })
	j := open(t, s, newFinisher(ok), jobs.Config{Escalation: e, SweepAlerts: time.Hour})
	run(t, j)
	d, id := alerts.Due{ID: uuid.New(), Run: 1, Step: 2}, uuid.New()
	schedule := func(undo error) {
		t.Helper()
		err := s.InTx(t.Context(), func(tx store.Tx) error {
			for range 2 { // the second is dropped
				if err := j.ScheduleEscalation(t.Context(), tx, d, time.Time{}); err != nil {
					return err
				}
			}
			return errors.Join(j.ScheduleNotice(t.Context(), tx, id, time.Time{}), undo)
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
	schedule(context.Canceled)
	schedule(nil)
	e.wait(t, func() bool { return len(e.steps) > 0 && len(e.sent) > 0 })
	// What was passed is done, and not tried again.
	for len(storetest.Column(t, s, "select kind from river_job where state = 'completed' and kind in ('escalate', 'notice')")) < 2 {
		<-time.After(10 * time.Millisecond)
	}
	if all := storetest.Column(t, s, "select kind || ' ' || queue || ' ' || state from river_job where kind <> 'chore' order by 1"); !slices.Equal(all, []string{"escalate alerts completed", "notice alerts completed"}) {
		t.Errorf("jobs %q", all)
	}
	if !slices.Equal(e.steps, []alerts.Due{d}) || !slices.Equal(e.sent, []uuid.UUID{id}) {
		t.Errorf("asked for %+v, %v", e.steps, e.sent)
	}
}

func TestWhatIsDueNowWaitsForNobody(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	j := open(t, s, newFinisher(ok), jobs.Config{})
	err := s.InTx(t.Context(), func(tx store.Tx) error {
		return errors.Join(j.ScheduleNotice(t.Context(), tx, uuid.New(), time.Now()), j.ScheduleNotice(t.Context(), tx, uuid.New(), time.Now().Add(time.Hour)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := storetest.Column(t, s, "select state::text from river_job order by scheduled_at"); !slices.Equal(got, []string{"available", "scheduled"}) {
		t.Errorf("due now and in an hour: %q", got)
	}
}

func TestStepThatFailsIsTriedAgainSoon(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	e := newTold(func(tries int) error {
		if tries == 1 {
			return errors.New("database is away")
		}
		return nil
	})
	j := open(t, s, newFinisher(ok), jobs.Config{Escalation: e, SweepAlerts: time.Hour})
	run(t, j)
	began := time.Now()
	err := s.InTx(t.Context(), func(tx store.Tx) error {
		return j.ScheduleEscalation(t.Context(), tx, alerts.Due{ID: uuid.New(), Run: 1}, time.Time{})
	})
	if err != nil {
		t.Fatal(err)
	}
	e.wait(t, func() bool { return len(e.steps) == 2 })
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("tried again after %s", took)
	}
}

func TestAlertsAreSweptThoughAllQueuesArePaused(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	e := newTold(func(int) error { return nil })
	j := open(t, s, newFinisher(ok), jobs.Config{Escalation: e, SweepAlerts: 5 * time.Millisecond})
	if err := j.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Pause(t.Context(), "*"); err != nil {
		t.Fatal(err)
	}
	e.wait(t, func() bool { return e.swept >= 5 })
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	was := e.swept
	select {
	case <-time.After(50 * time.Millisecond):
	case <-t.Context().Done():
	}
	if e.swept != was {
		t.Error("it sweeps after the stop")
	}
}
