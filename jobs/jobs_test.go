package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// finisher says when it was asked to finish a call, and answers as told.
type finisher struct {
	mu    sync.Mutex // guards what follows
	calls []store.CallID
	busy  int
	most  int

	asked  chan store.CallID
	answer func(n int) error
}

func newFinisher(answer func(n int) error) *finisher {
	return &finisher{asked: make(chan store.CallID, 100), answer: answer}
}

func (f *finisher) Finish(_ context.Context, c calls.Call) error {
	f.mu.Lock()
	f.calls = append(f.calls, c.ID)
	n := len(f.calls)
	f.busy++
	f.most = max(f.most, f.busy)
	f.mu.Unlock()
	err := f.answer(n)
	f.mu.Lock()
	f.busy--
	f.mu.Unlock()
	f.asked <- c.ID
	return err
}

func ok(int) error { return nil }

func open(t *testing.T, s *store.Store, f *finisher, cfg jobs.Config) *jobs.Jobs {
	t.Helper()
	if cfg.Delay == 0 {
		cfg.Delay = time.Millisecond
	}
	j, err := jobs.New(cfg, s, map[calls.CallType]jobs.Finisher{calls.CallGeneral: f.Finish}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func run(t *testing.T, j *jobs.Jobs) {
	t.Helper()
	if err := j.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func database(t *testing.T) (string, *store.Store) {
	t.Helper()
	url := storetest.URL(t)
	s := storetest.Open(t, url)
	if err := jobs.Migrate(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	return url, s
}

// endedCall is a call that ended, with the job that follows it.
func endedCall(t *testing.T, s *store.Store, j *jobs.Jobs) calls.Call {
	t.Helper()
	p, err := s.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddConversation(t.Context(), c.ID, "conv_"+c.ID.String()); err != nil {
		t.Fatal(err)
	}
	finish(t, s, j, c.ID)
	return c
}

func finish(t *testing.T, s *store.Store, j *jobs.Jobs, id store.CallID) {
	t.Helper()
	_, _, err := s.FinishCall(t.Context(), id, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"},
		func(tx store.Tx, c calls.Call) error { return j.Schedule(t.Context(), tx, c) })
	if err != nil {
		t.Fatal(err)
	}
}

func await[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}

func TestJobExistsExactlyWhenTheEndingDoes(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	j := open(t, s, newFinisher(ok), jobs.Config{})
	c := endedCall(t, s, j)
	list, err := j.List(t.Context(), "", 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("jobs = %+v, %v; want one", list, err)
	}

	p, err := s.CreatePerson(t.Context(), people.Person{Name: "Bea", Phone: "+15550100124", Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	undone, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddConversation(t.Context(), undone.ID, "conv_undone"); err != nil {
		t.Fatal(err)
	}
	crash := errors.New("crash before the commit")
	_, _, err = s.FinishCall(t.Context(), undone.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached}, func(tx store.Tx, c calls.Call) error {
		if err := j.Schedule(t.Context(), tx, c); err != nil {
			return err
		}
		return crash
	})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	// A second job for the first conversation, and one for a call that never had one.
	err = s.InTx(t.Context(), func(tx store.Tx) error {
		c.ConversationID = "conv_" + c.ID.String()
		if err := j.Schedule(t.Context(), tx, c); err != nil {
			return err
		}
		return j.Schedule(t.Context(), tx, calls.Call{ID: store.NewCallID()})
	})
	if err != nil {
		t.Fatal(err)
	}
	if list, err = j.List(t.Context(), "", 10); err != nil || len(list) != 1 {
		t.Errorf("jobs = %+v, %v; want still one", list, err)
	}
}

func TestPostCallRunsAndIsToldOnTheTimeline(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	f := newFinisher(ok)
	j := open(t, s, f, jobs.Config{})
	run(t, j)
	follow := s.Follow(t.Context())
	defer follow.Stop()
	c := endedCall(t, s, j)
	grown, stop := follow.Watch(c.ID)
	defer stop()
	if got := await(t, "post-call work", f.asked); got != c.ID {
		t.Fatalf("finished %s; want %s", got, c.ID)
	}
	var kinds []string
	for len(kinds) < 2 {
		await(t, "a line on the timeline", grown)
		events, err := s.EventsAfter(t.Context(), c.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		kinds = nil
		for _, e := range events {
			kinds = append(kinds, e.Kind)
		}
	}
	if kinds[0] != "post_call_started" || kinds[1] != "post_call_done" {
		t.Errorf("timeline = %v", kinds)
	}
}

func TestOneAtATimeAcrossProcesses(t *testing.T) {
	t.Parallel()
	url, s := database(t)
	f := newFinisher(func(int) error { return nil })
	one, other := open(t, s, f, jobs.Config{PerMinute: 100}), open(t, storetest.Open(t, url), f, jobs.Config{PerMinute: 100})
	want := map[store.CallID]bool{}
	for range 4 {
		want[endedCall(t, s, one).ID] = true
	}
	run(t, one)
	run(t, other)
	for range 4 {
		delete(want, await(t, "post-call work", f.asked))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(want) != 0 || f.most != 1 {
		t.Errorf("left %v; at most %d at once, want 1", want, f.most)
	}
}

func TestRateHoldsAcrossProcesses(t *testing.T) {
	t.Parallel()
	url, s := database(t)
	f := newFinisher(ok)
	one, other := open(t, s, f, jobs.Config{PerMinute: 2}), open(t, storetest.Open(t, url), f, jobs.Config{PerMinute: 2})
	for range 3 {
		endedCall(t, s, one)
	}
	run(t, one)
	run(t, other)
	await(t, "first", f.asked)
	await(t, "second", f.asked)
	// The third is put off, without losing a try.
	deadline := time.After(30 * time.Second)
	for {
		list, err := one.List(t.Context(), "scheduled", 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && time.Until(list[0].ScheduledAt) > 20*time.Second {
			if list[0].Attempt > 0 {
				t.Errorf("the job that was put off lost %d tries", list[0].Attempt)
			}
			break
		}
		select {
		case <-f.asked:
			t.Fatal("a third job began within the minute")
		case <-deadline:
			t.Fatalf("the third job was not put off: %+v", list)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestJobThatGivesUpIsVisibleAndCanBeRetried(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	f := newFinisher(func(n int) error {
		if n == 1 {
			return errors.New("model is down")
		}
		return nil
	})
	j := open(t, s, f, jobs.Config{MaxAttempts: 1, PerMinute: 100})
	run(t, j)
	c := endedCall(t, s, j)
	await(t, "the first try", f.asked)
	var gone []jobs.Job
	for len(gone) == 0 {
		var err error
		if gone, err = j.List(t.Context(), "discarded", 10); err != nil {
			t.Fatal(err)
		}
	}
	if len(gone[0].Errors) != 1 {
		t.Errorf("errors = %+v; want the one", gone[0].Errors)
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil || events[len(events)-1].Kind != "post_call_failed" {
		t.Errorf("timeline = %+v, %v; want the failure last", events, err)
	}
	if st, err := j.Stats(t.Context()); err != nil || st.Counts["post_call"]["discarded"] != 1 {
		t.Errorf("stats = %+v, %v", st, err)
	}
	if _, err := j.Retry(t.Context(), gone[0].ID); err != nil {
		t.Fatal(err)
	}
	await(t, "the retry", f.asked)
}

func TestAdminSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	j := open(t, s, newFinisher(ok), jobs.Config{Delay: time.Hour})
	if _, err := j.Show(t.Context(), 999); !errors.Is(err, jobs.ErrNoJob) {
		t.Errorf("show: %v; want ErrNoJob", err)
	}
	if _, err := j.List(t.Context(), "lost", 10); !errors.Is(err, jobs.ErrBadState) {
		t.Errorf("list: %v; want ErrBadState", err)
	}
	endedCall(t, s, j)
	list, err := j.List(t.Context(), "scheduled", 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("scheduled = %+v, %v", list, err)
	}
	if got, err := j.Cancel(t.Context(), list[0].ID); err != nil || got.State != "cancelled" {
		t.Errorf("cancel: %+v, %v", got, err)
	}
}

func TestQueuePauses(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	f := newFinisher(ok)
	j := open(t, s, f, jobs.Config{PerMinute: 100})
	run(t, j)
	for { // the queue is there once its producer has said so
		if err := j.Pause(t.Context(), "post_call"); err == nil {
			break
		}
	}
	if st, err := j.Stats(t.Context()); err != nil || len(st.Paused) != 1 {
		t.Fatalf("stats = %+v, %v", st, err)
	}
	if err := j.Resume(t.Context(), "*"); err != nil {
		t.Fatal(err)
	}
	endedCall(t, s, j)
	await(t, "work after the resumption", f.asked)
}

func TestPageShowsTheQueue(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	j := open(t, s, newFinisher(ok), jobs.Config{Delay: time.Hour})
	endedCall(t, s, j)
	page, err := j.Page("/admin/queues")
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/admin/queues/", "/admin/queues/api/jobs?state=scheduled"} {
		rec := httptest.NewRecorder()
		page.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		if rec.Code != http.StatusOK || rec.Body.Len() == 0 {
			t.Errorf("%s: %d, %d bytes", path, rec.Code, rec.Body.Len())
		}
	}
}

func TestStuckQueuesAndFailingJobs(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	j := open(t, s, newFinisher(ok), jobs.Config{})
	job := func(kind, queue, state, more string) {
		t.Helper()
		storetest.Column(t, s, `insert into river_job (kind, queue, state, max_attempts, args, scheduled_at, finalized_at, attempted_at, errors)
			select '`+kind+`', '`+queue+`', '`+state+`', 25, '{}', `+more+` returning ''`)
	}
	const none = `null, null, null`
	job("a", "stuck", "available", `now() - interval '20 minutes', `+none)
	job("a", "unscheduled", "retryable", `now() - interval '20 minutes', `+none)
	job("a", "paused", "available", `now() - interval '20 minutes', `+none)
	job("a", "fresh", "available", `now() - interval '10 minutes', `+none)
	job("a", "later", "scheduled", `now() + interval '10 minutes', `+none)
	job("a", "slow", "available", `now() - interval '20 minutes', `+none)
	job("a", "slow", "running", `now() - interval '30 minutes', null, now() - interval '2 minutes', null`)
	storetest.Column(t, s, `insert into river_queue (name, paused_at, updated_at) values ('paused', now(), now()) returning ''`)
	stuck, err := j.Stuck(t.Context(), time.Now().Add(-15*time.Minute))
	if err != nil || len(stuck) != 2 || stuck[0].Queue != "stuck" || stuck[1].Queue != "unscheduled" || time.Since(stuck[0].Oldest).Round(time.Minute) != 20*time.Minute {
		t.Errorf("%+v, %v", stuck, err)
	}

	failed := func(n int) string { return `array_fill('{}'::jsonb, array[` + strconv.Itoa(n) + `])` }
	job("post_call", "q", "discarded", `now(), now() - interval '30 minutes', null, `+failed(8))
	job("post_call", "q", "retryable", `now() + interval '1 hour', null, null, `+failed(5))
	job("post_call", "q", "discarded", `now(), now() - interval '2 hours', null, `+failed(8))
	job("writing", "q", "retryable", `now() + interval '1 hour', null, null, `+failed(4))
	job("deliver_webhook", "q", "discarded", `now(), now(), null, `+failed(12))
	failing, err := j.Failing(t.Context(), time.Now().Add(-time.Hour), 5)
	if err != nil || len(failing) != 1 || failing[0].Kind != "post_call" || failing[0].Jobs != 2 || failing[0].GaveUp != 1 {
		t.Errorf("%+v, %v", failing, err)
	}
}
